// The plain values of an object in a line of words.

const MOST = 160; // units of the line

/** `isAll` is false where something is left out: what is no plain value, or what does not fit in the line. */
export function inLine(of: Record<string, unknown>): { words: string; isAll: boolean } {
  const fields = Object.entries(of);
  const plain = fields.filter(([, value]) => value === null || typeof value !== "object");
  const words = plain
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${value === null ? "none" : value}`)
    .join(" · ");
  if (words.length <= MOST) return { words, isAll: plain.length === fields.length };
  return { words: `${words.slice(0, MOST).replace(/[\ud800-\udbff]$/, "")}…`, isAll: false };
}
