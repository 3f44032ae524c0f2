// The three logs of runs: where the server keeps each, what it calls their states, what its runs are about.
import type { Schema } from "../../api/types";

export type Run = Schema<"RunReply">;
export type Operation = Run["operation"];

export type Log = {
  operation: Operation;
  name: string;
  /** What one of its runs is about, as the head of a column. */
  about: string;
  path: string;
  states: readonly string[];
  /** Names of filters that only this log has. */
  own: readonly string[];
  /** Whether its runs can be started again or cancelled. */
  isDurable: boolean;
};

const API = "/v1/admin/api/";
const ENDS = ["succeeded", "failed"];
const QUEUED = ["waiting", "running", "retrying", ...ENDS, "quarantined", "cancelled"];

export const LOGS: Record<Operation, Log> = {
  encode: {
    operation: "encode",
    name: "Derive",
    about: "Memory",
    path: `${API}encode-runs`,
    states: [...QUEUED, "superseded"],
    own: ["memory_id"],
    isDurable: true,
  },
  remember: {
    operation: "remember",
    name: "Remember",
    about: "Document",
    path: `${API}remember-runs`,
    states: QUEUED,
    own: ["document_id"],
    isDurable: true,
  },
  query: {
    operation: "query",
    name: "Query",
    about: "Question",
    path: `${API}query-runs`,
    states: ["running", ...ENDS],
    own: ["session"],
    isDurable: false,
  },
};

export const STAGE_STATUSES = ["not_started", "started", "succeeded", "failed", "skipped"] as const;

const ALIVE = new Set(["waiting", "running", "retrying"]);

/** Whether something may still happen to a run in this state. */
export const isAlive = (run: { state: string }): boolean => ALIVE.has(run.state);

const PREFIXES: Record<string, Operation> = { enc: "encode", rem: "remember", qry: "query" };

/** The log that a run's id names; null if the id is of no run. */
export function logOf(runId: string): Log | null {
  const operation = /^(enc|rem|qry)_[0-9A-Za-z]{13}$/.test(runId) ? PREFIXES[runId.slice(0, 3)] : undefined;
  return operation ? LOGS[operation] : null;
}

/** Words for a name of the API: `not_started` is "not started". */
export const words = (name: string): string => name.replaceAll("_", " ");
