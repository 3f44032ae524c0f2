// What the overview asks the server, every few seconds while it is open and seen.

import { useEffect, useState } from "preact/hooks";
import { get, headers, Problem, refusal } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { counters, type Series } from "./metrics";

export type Health = Schema<"HealthReply">;
export type Counts = Schema<"RunCountsReply">;
export type Run = Schema<"RunReply">;
export const OPERATIONS = ["encode", "remember", "query"] as const;
export type Operation = (typeof OPERATIONS)[number];
export type CountsOf = Record<Operation, Counts>;

const EVERY = 5000;
const RUNS_SHOWN = 5;
const log = (operation: Operation): string => `/v1/admin/api/${operation}-runs`;

/** Grows every few seconds, though not while nobody sees the page. */
export function useTick(): number {
  const [tick, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || set((before) => before + 1), EVERY);
    return () => clearInterval(timer);
  }, []);
  return tick;
}

/** How the server is. One that is not ready answers 503 and says why all the same. */
export async function health(asking: AbortSignal): Promise<Health> {
  const response = await fetch("/readyz", { headers: headers(), signal: asking }).catch((error: unknown) => {
    if (asking.aborted) throw error;
    throw new Problem(0, "unreachable", "The server does not answer.");
  });
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as Health | null;
  if (!body || !Array.isArray(body.reasons)) throw await refusal(response);
  return body;
}

async function counts(asking: AbortSignal): Promise<CountsOf> {
  const [encode, remember, query] = await Promise.all(
    OPERATIONS.map((each) => get<Counts>(`${log(each)}/counts`, {}, asking)),
  );
  return { encode, remember, query } as CountsOf;
}

/** The newest runs in which a stage failed, of every operation. */
export async function failedRuns(dataset: string | null, asking: AbortSignal): Promise<Run[]> {
  const asked = { dataset, stage_status: "failed", limit: RUNS_SHOWN };
  const pages = await Promise.all(OPERATIONS.map((each) => get<Page<Run>>(log(each), asked, asking)));
  const runs = pages.flatMap((page) => page.data);
  return runs.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at)).slice(0, RUNS_SHOWN);
}

export type Activity = Schema<"ActivityReply">;
export type Reading = { series: Series[]; counts: CountsOf | null; activity: Activity };

/** Reads the counters, the runs' states and the last hour. A key that may not see the runs has no counts of them. */
export async function reading(asking: AbortSignal): Promise<Reading> {
  const [series, runs, activity] = await Promise.all([
    counters(asking),
    counts(asking).catch(() => null),
    get<Activity>("/v1/activity", { minutes: 60 }, asking),
  ]);
  return { series, counts: runs, activity };
}

export const allOf = (byState: Record<string, number>): number =>
  Object.values(byState).reduce((sum, each) => sum + each, 0);
