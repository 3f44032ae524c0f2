// The runs before and after one, among those that the filters find.
import { get } from "../../api/client";
import type { Page } from "../../api/types";
import { asked, type Filters, named } from "../runs/filters";
import { listed } from "../runs/list";
import type { Run } from "../runs/operations";
import { micros } from "./scale";

/** `newer` and `older` are run ids; null where there is none, or none near. */
export type Neighbours = { newer: string | null; older: string | null };

const NEAR = 200;
const SECOND = 1_000_000;

/** Looks into the list that the reader came from, else asks for what is around the run. */
export async function neighbours(run: Run, filters: Filters, signal: AbortSignal): Promise<Neighbours> {
  const known = listed.name === named(filters) ? around(run.run_id, listed.ids) : null;
  if (known?.newer && known.older) return known;
  const [older, newer] = await Promise.all([
    read(filters, { created_to: earlier(iso(micros(run.created_at) + SECOND), filters.before) }, signal),
    read(filters, { created_from: later(run.created_at, filters.after) }, signal),
  ]);
  return {
    older: known?.older ?? around(run.run_id, ids(older))?.older ?? null,
    newer: known?.newer ?? around(run.run_id, ids(newer))?.newer ?? null,
  };
}

/** Who stands beside a run in a list that is newest first; null if it does not stand there. */
export function around(runId: string, list: readonly string[]): Neighbours | null {
  const at = list.indexOf(runId);
  return at < 0 ? null : { newer: list[at - 1] ?? null, older: list[at + 1] ?? null };
}

const ids = (page: Page<Run>): string[] => page.data.map((each) => each.run_id);
const iso = (at: number): string => new Date(at / 1000).toISOString();
const earlier = (one: string, other: string | null): string =>
  other !== null && micros(other) < micros(one) ? other : one;
const later = (one: string, other: string | null): string =>
  other !== null && micros(other) > micros(one) ? other : one;

const read = (filters: Filters, bounds: Record<string, string>, signal: AbortSignal): Promise<Page<Run>> =>
  get<Page<Run>>(filters.log.path, { ...asked(filters), ...bounds, limit: NEAR }, signal);
