// What the charts draw: counters of /metrics and of the run logs, read now and then, as rates between two readings.
// Owns how long they are remembered. Knows no view.
import { headers, refusal } from "../../api/client";

export type Series = { name: string; labels: Record<string, string>; value: number };

/** One reading: when, and how often each thing had happened by then. */
export type Sample = { at: number; writes: number; recalls: number; queries: number; runs: number | null };
export type Counter = Exclude<keyof Sample, "at">;

const KEPT = 180; // a quarter of an hour at a reading every five seconds
const COUNT = "mindlog_operation_seconds_count";
const WRITES = new Set(["encode", "encode_vector", "encode_batch", "edit", "remember"]);
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads the text format of Prometheus; what is no sample is passed over. */
export function parse(text: string): Series[] {
  const found: Series[] = [];
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = (line.startsWith("#") ? null : LINE.exec(line)) ?? [];
    if (name) found.push({ name, labels: labelled(labels), value: Number(value) });
  }
  return found;
}

function labelled(text: string): Record<string, string> {
  const pairs = [...text.matchAll(LABEL)].map(([, name = "", value = ""]) => [name, value.replace(/\\(.)/g, "$1")]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Asks the server for its counters. */
export async function counters(signal: AbortSignal): Promise<Series[]> {
  const response = await fetch("/metrics", { headers: headers(), signal });
  if (!response.ok) throw await refusal(response);
  return parse(await response.text());
}

/** Makes a sample of the counters. `runs`: on record so far, null where the key may not see them. */
export function sampleOf(series: Series[], at: number, runs: number | null): Sample {
  const calls = series.filter((each) => each.name === COUNT);
  const sum = (isOne: (operation: string) => boolean): number =>
    calls.filter((each) => isOne(each.labels["operation"] ?? "")).reduce((total, each) => total + each.value, 0);
  return {
    at,
    writes: sum((operation) => WRITES.has(operation)),
    recalls: sum((operation) => operation === "recall"),
    queries: sum((operation) => operation === "query"),
    runs,
  };
}

export type FailedStage = { operation: string; stage: string; times: number };

/** The stages that have failed since the server started, the most frequent first. */
export function failedStages(series: Series[]): FailedStage[] {
  return series
    .filter(
      (each) => each.name === "mindlog_stage_seconds_count" && each.labels["status"] === "failed" && each.value > 0,
    )
    .map(({ labels, value }) => ({ operation: labels["operation"] ?? "", stage: labels["stage"] ?? "", times: value }))
    .sort((a, b) => b.times - a.times);
}

/** Adds a reading to those that are remembered. */
export function remembered(samples: readonly Sample[], next: Sample): Sample[] {
  return [...samples, next].slice(-KEPT);
}

/** How often a thing happened a second, between each two readings. A server that was started anew counts from zero. */
export function rates(samples: readonly Sample[], counter: Counter): { at: number; value: number }[] {
  return samples.slice(1).flatMap((now, index) => {
    const before = samples[index];
    const [from, to] = [before?.[counter] ?? null, now[counter]];
    if (!before || from === null || to === null || now.at <= before.at) return [];
    const grown = to < from ? to : to - from;
    return [{ at: now.at, value: grown / ((now.at - before.at) / 1000) }];
  });
}
