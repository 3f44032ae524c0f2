// What a link between two memories says, seen from one of them.
import type { Edge } from "./bundle";

/** From the memory to the other, from the other to it, or the same both ways. */
export type Direction = "out" | "in" | "both";

const WORDS: Record<string, readonly [out: string, into: string]> = {
  similar_to: ["similar to", "similar to"],
  followed_by: ["followed by", "follows"],
  caused: ["caused", "caused by"],
  derived_from: ["derived from", "source of"],
  contradicts: ["contradicts", "contradicted by"],
  supports: ["supports", "supported by"],
  references: ["refers to", "referred to by"],
  part_of: ["part of", "has as a part"],
};

export function directionOf(edge: Edge, id: string): Direction {
  if (edge.kind === "similar_to") return "both";
  return edge.source === id ? "out" : "in";
}

export const otherOf = (edge: Edge, id: string): string => (edge.source === id ? edge.target : edge.source);

/** The link in words that begin at the memory looked at. A kind that is not known is said as it is called. */
export function saying(kind: string, direction: Direction): string {
  const name = kind.replaceAll("_", " ");
  const [out, into] = WORDS[kind] ?? [name, `${name} (from there)`];
  return direction === "in" ? into : out;
}

/** The kinds and how many links are of each, most first. */
export function kindsOf(edges: readonly Edge[]): [kind: string, times: number][] {
  const found = new Map<string, number>();
  for (const { kind } of edges) found.set(kind, (found.get(kind) ?? 0) + 1);
  return [...found].sort(([, a], [, b]) => b - a);
}
