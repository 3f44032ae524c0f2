// The runs before and after one, among those that the filters find.
import { get } from "../../api/client";
import type { Page } from "../../api/types";
import { asked, type Filters, named } from "../runs/filters";
import { listed } from "../runs/list";
import type { Run } from "../runs/operations";
import { micros } from "./scale";

/** `newer` and `older` are run ids; null where there is none. */
export type Neighbours = { newer: string | null; older: string | null };

type Read = (bounds: { created_from?: string; created_to?: string }) => Promise<Page<Run>>;

const NEAR = 100; // runs asked for at a time
const FIRST_WINDOW = 1_000_000; // microseconds
const STEP = 16; // by which a window becomes wider or narrower
const MOST_WINDOWS = 24;

/** Looks into the list that the reader came from, else asks for what is around the run. */
export async function neighbours(run: Run, filters: Filters, signal: AbortSignal): Promise<Neighbours> {
  const known = listed.name === named(filters) ? around(run.run_id, listed.ids) : null;
  const read: Read = (bounds) =>
    get<Page<Run>>(filters.log.path, { ...asked(filters), ...within(bounds, filters), limit: NEAR }, signal);
  const [older, newer] = await Promise.all([
    known?.older ?? olderOf(run, read),
    known?.newer ?? newerOf(run, read, Date.now() * 1000),
  ]);
  return { older, newer };
}

/** Who stands beside a run in a list that is newest first; null if it does not stand there. */
export function around(runId: string, list: readonly string[]): Neighbours | null {
  const at = list.indexOf(runId);
  return at < 0 ? null : { newer: list[at - 1] ?? null, older: list[at + 1] ?? null };
}

/** The first of a list from the run's own instant on down. */
export async function olderOf(run: Run, read: Read): Promise<string | null> {
  const page = await read({ created_to: iso(micros(run.created_at) + 1) });
  return around(run.run_id, ids(page))?.older ?? null;
}

/** The API lists the newest first, so the window above the run is made wider or narrower until its end is on one page. */
export async function newerOf(run: Run, read: Read, now: number): Promise<string | null> {
  const from = micros(run.created_at);
  let width = FIRST_WINDOW;
  for (let tries = 0; tries < MOST_WINDOWS; tries++) {
    const page = await read({ created_from: run.created_at, created_to: iso(from + width) });
    const newer = around(run.run_id, ids(page))?.newer ?? null;
    if (newer !== null) return newer;
    if (!page.has_more && from + width > now) return null;
    width = page.has_more ? Math.max(1, Math.round(width / STEP)) : width * STEP;
  }
  return null;
}

const ids = (page: Page<Run>): string[] => page.data.map((each) => each.run_id);

/** RFC 3339 of microseconds, which a `Date` does not have. */
export function iso(at: number): string {
  const text = new Date(Math.floor(at / 1000)).toISOString();
  return `${text.slice(0, -1)}${String(at % 1000).padStart(3, "0")}Z`;
}

/** The bounds, made no wider than the filters are. */
function within(bounds: Parameters<Read>[0], filters: Filters): Parameters<Read>[0] {
  const { created_from: from, created_to: to } = bounds;
  const { after, before } = filters;
  return {
    ...bounds,
    ...(from && after && micros(after) > micros(from) ? { created_from: after } : {}),
    ...(to && before && micros(before) < micros(to) ? { created_to: before } : {}),
  };
}
