// What the scopes of a key allow. Each includes those before it.
export const SCOPES: readonly (readonly [scope: string, allows: string])[] = [
  ["read", "recall and ask; see memories, entities, places, series and documents"],
  ["write", "what read may; keep, edit and forget memories, remember documents, make datasets, decide on merges"],
  ["admin", "what write may; see the run logs and model calls, retry and cancel runs, manage API keys"],
];

/** A key's scopes in the order of what they allow. */
export function inOrder(scopes: readonly string[]): string[] {
  const place = (scope: string): number => SCOPES.findIndex(([name]) => name === scope);
  return [...scopes].sort((a, b) => place(a) - place(b));
}
