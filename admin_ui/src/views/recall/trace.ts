// How a recall came to its hits, as the API tells it (`trace`), and what each measure adds to a score.
import type { Schema } from "../../api/types";

export type Hit = Schema<"HitReply">;
export type Candidate = { memory_id: string; rank: number; score: number };
export type Measured = { score: number; may_be_hit: boolean; measures: Record<string, number> };
export type Lane = {
  candidates: Candidate[];
  entities?: { entity_id: string; name: string; kind: string }[];
  statements?: { statement_id: string; text: string; score: number; holds: boolean; memory_ids: string[] }[];
  superseded?: { statement_id: string; superseded_by: string; memory_ids: string[] }[];
};
export type Span = { start: string; end: string };
export type CueTime = {
  phrase?: string;
  relative?: boolean;
  unparsed?: string;
  windows: Span[];
  inside: number;
  dated: number;
};
export type Explained = { memory_id: string; outcome: string; why: string; rank?: number } & Partial<Measured> & {
    lanes?: Record<string, { rank?: number; score: number; last_candidate?: number | null }>;
  };
export type Trace = {
  stages: { name: string; status: string; ms: number }[];
  cue: { terms: string[]; first_person: boolean };
  filters: { as_of: string | null; considered: number; passed: number; dropped_by: Record<string, number> };
  time: CueTime | null;
  lanes: Record<string, Lane>;
  fusion: { weights: Record<string, number>; pool: number; candidates: (Measured & { memory_id: string })[] };
  explained: Explained[];
};

/** What of a score comes from one measure; `share` is of the whole score, null where that is not above zero. */
export type Part = { name: string; adds: number; share: number | null };

/** What is left of the score after every measure of the memory's own. */
export const AROUND = "around";
const LEAST = 0.0005; // what is shown with three digits

/** What the measures add up to, in the order of the weights. The rest is lent by the turns around it and its session. */
export function partsOf({ score, measures }: Measured, weights: Record<string, number>): Part[] {
  const own = Object.entries(measures).map(([name, value]) => [name, value * (weights[name] ?? 0)] as const);
  const around = score - own.reduce((sum, [, adds]) => sum + adds, 0);
  return [...own, [AROUND, around] as const]
    .filter(([, adds]) => Math.abs(adds) >= LEAST)
    .map(([name, adds]) => ({ name, adds, share: score > 0 ? adds / score : null }));
}

const HALF = "G"; // from this character on, the highest of its five bits is set

/** One text for all revisions of a memory: the part of its id that an edit keeps. */
export function slotOf(id: string): string {
  const text = id.slice("mem_".length).toUpperCase();
  return text.slice(0, 13) + (text.charAt(13) >= HALF ? HALF : "0");
}

/** The best score of a lane, what its bars are measured against. */
export const best = (lane: Lane | undefined): number => lane?.candidates[0]?.score ?? 0;

/** The places of hits (from 1) by what their ids keep. */
export const placesOf = (hits: readonly Pick<Hit, "memory_id">[]): Map<string, number> =>
  new Map(hits.map((hit, at) => [slotOf(hit.memory_id), at + 1]));

export const figure = (value: number): string => value.toFixed(3).replace("-", "−");
