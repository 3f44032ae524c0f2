// Which runs are asked for: read from the address, sent to the API, carried to the page of one run. Without a view.
import type { Params } from "../../api/client";
import { LOGS, type Log, type Operation, STAGE_STATUSES } from "./operations";

export type Filters = {
  log: Log;
  dataset: string | null;
  status: string | null;
  stage: string | null;
  stageStatus: string | null;
  text: string | null;
  after: string | null;
  before: string | null;
  /** Filters of this log alone, such as `memory_id`. */
  own: Record<string, string>;
};

export const STATUSES_OF_API = ["started"];

/** Reads the filters; what the log does not know is left out, so that an old address still opens. */
export function parse(params: URLSearchParams): Filters {
  const log = LOGS[(params.get("operation") ?? "encode") as Operation] ?? LOGS.encode;
  const given = (name: string): string | null => params.get(name)?.trim() || null;
  const among = (name: string, known: readonly string[]): string | null =>
    known.find((each) => each === given(name)) ?? null;
  const own = log.own
    .map((name) => [name, given(name)] as const)
    .filter((each): each is [string, string] => each[1] !== null);
  return {
    log,
    dataset: given("dataset"),
    status: among("status", [...log.states, ...STATUSES_OF_API]),
    stage: given("stage"),
    stageStatus: among("stage_status", STAGE_STATUSES),
    text: given("text"),
    after: instant(given("after")),
    before: instant(given("before")),
    own: Object.fromEntries(own),
  };
}

/** What the API is asked for. A stage alone narrows nothing, so it is sent with a status only. */
export function asked(filters: Filters): Params {
  const isOfApi = filters.status !== null && STATUSES_OF_API.includes(filters.status);
  return {
    dataset: filters.dataset,
    [isOfApi ? "status" : "state"]: filters.status,
    stage: filters.stageStatus && filters.stage,
    stage_status: filters.stageStatus,
    text: filters.text,
    created_from: filters.after,
    created_to: filters.before,
    ...filters.own,
  };
}

/** The query string of the address that these filters are read from. */
export function carried(filters: Filters): Record<string, string | null> {
  return {
    operation: filters.log.operation,
    dataset: filters.dataset,
    status: filters.status,
    stage: filters.stage,
    stage_status: filters.stageStatus,
    text: filters.text,
    after: filters.after,
    before: filters.before,
    ...filters.own,
  };
}

/** One text for equal filters. */
export const named = (filters: Filters): string => JSON.stringify([filters.log.operation, asked(filters)]);

/** Whether anything but the log and the dataset narrows the list. */
export function isNarrow(filters: Filters): boolean {
  const { status, stageStatus, text, after, before, own } = filters;
  return Boolean(status ?? stageStatus ?? text ?? after ?? before) || Object.keys(own).length > 0;
}

/** An RFC 3339 time as the API takes it; null for what is no time. */
export function instant(text: string | null): string | null {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** The same time for `<input type="datetime-local">`, which knows no zone. */
export function local(text: string | null): string {
  if (text === null) return "";
  const at = new Date(text);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
