// What is drawn of a run: each stage as a bar on the scale of the run's time. Without a view.
import type { Run } from "../runs/operations";
import { isAlive } from "../runs/operations";
import { micros, type Piece, pieces, place, type Span } from "./scale";

export type Kind = "succeeded" | "failed" | "advisory" | "started" | "skipped" | "never";
/** `left` and `width` are parts of the whole width. */
export type Bar = { name: string; kind: Kind; left: number; width: number; took: number | null };
export type Drawn = { whole: Span; laid: Piece[]; bars: Bar[] };

type Stage = Run["stages"][number];

/** Lays out a run; `now` (microseconds) is the end of what still goes on. `isWhole`: no idle time is cut short. */
export function drawn(run: Run, now: number, isWhole = false): Drawn {
  const spans = run.stages.map((stage) => spanOf(stage, isAlive(run) ? now : null));
  const known = spans.filter((span): span is Span => span !== null);
  const from = Math.min(micros(run.created_at), ...known.map((span) => span.from));
  const ended = run.finished_at === null ? from : micros(run.finished_at);
  const to = Math.max(ended, isAlive(run) ? now : from, ...known.map((span) => span.to));
  const whole = { from, to };
  const laid = pieces(whole, known, isWhole);
  let after = 0; // where a stage that took no time is drawn: behind the one before it
  const bars = run.stages.map((stage, at) => {
    const bar = barOf(stage, kindOf(stage, run), spans[at] ?? null, laid, after);
    if (bar.kind !== "never") after = bar.left + bar.width;
    return bar;
  });
  return { whole, laid, bars };
}

function spanOf(stage: Stage, now: number | null): Span | null {
  if (stage.started_at === null) return null;
  const from = micros(stage.started_at);
  if (stage.finished_at !== null) return { from, to: Math.max(from, micros(stage.finished_at)) };
  return { from, to: stage.status === "started" && now !== null ? Math.max(from, now) : from };
}

function barOf(stage: Stage, kind: Kind, span: Span | null, laid: readonly Piece[], after: number): Bar {
  if (kind === "never") return { name: stage.name, kind, left: 0, width: 1, took: null };
  if (span === null) return { name: stage.name, kind, left: after, width: 0, took: null };
  const left = place(span.from, laid);
  return { name: stage.name, kind, left, width: place(span.to, laid) - left, took: span.to - span.from };
}

/** A failed stage of a run that succeeded was not needed for it. */
export function kindOf(stage: Pick<Stage, "status">, run: Pick<Run, "status">): Kind {
  if (stage.status === "failed") return run.status === "succeeded" ? "advisory" : "failed";
  if (stage.status === "skipped" || stage.status === "succeeded" || stage.status === "started") return stage.status;
  return "never";
}
