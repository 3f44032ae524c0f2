// What an edit changed of a memory.
import type { Memory } from "./bundle";

const FIELDS: readonly (readonly [field: keyof Memory, name: string])[] = [
  ["text", "text"],
  ["kind", "kind"],
  ["salience", "salience"],
  ["occurred_at", "time"],
  ["metadata", "metadata"],
];

/** The names of what differs from the revision before. */
export function changes(memory: Memory, before: Memory): string[] {
  return FIELDS.filter(([field]) => canonical(memory[field]) !== canonical(before[field])).map(([, name]) => name);
}

/** JSON with the fields of objects in order, since two objects are alike in any. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
