// What an edit changed of a memory.
import type { Revision } from "./bundle";

const FIELDS: readonly (readonly [field: keyof Revision, name: string])[] = [
  ["kind", "kind"],
  ["salience", "salience"],
  ["occurred_at", "time"],
  ["metadata", "metadata"],
];

/** The names of what differs from the revision before. Of long texts only the opening and the length are known. */
export function changes(memory: Revision, before: Revision): string[] {
  const others = FIELDS.filter(([field]) => canonical(memory[field]) !== canonical(before[field]));
  return [...textOf(memory, before), ...others.map(([, name]) => name)];
}

function textOf(memory: Revision, before: Revision): string[] {
  if (memory.text !== before.text || memory.characters !== before.characters) return ["text"];
  return memory.is_cut ? ["perhaps text beyond its opening"] : [];
}

/** JSON with the fields of objects in order, since two objects are alike in any. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
