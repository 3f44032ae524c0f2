// The counters of /metrics, as far as the overview shows them. Knows no view.
import { headers, refusal } from "../../api/client";

export type Series = { name: string; labels: Record<string, string>; value: number };

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
