// Statements as bars over time: one row a statement, a bar for every time in which it held. Knows no drawing.
import { scaleTime } from "d3-scale";
import type { Schema } from "../../api/types";

export type Statement = Schema<"StatementReply">;
type Validity = Schema<"ValidityReply">;
export type Look = "current" | "contradicted" | "superseded" | "ended" | "future";
/** From and to in percent of the drawing; open where no begin or no end is known. */
export type Bar = { left: number; width: number; look: Look; isOpenBefore: boolean; isOpenAfter: boolean };
export type Row = { statement: Statement; bars: Bar[] };
export type Tick = { left: number; words: string };
export type Timeline = { rows: Row[]; ticks: Tick[]; now: number };

const HOUR = 3_600_000;
const MARGIN = 0.03; // of the time shown, after the last that happens
const LAST = 93; // percent; words of a later tick would stand out of the drawing
const NARROWEST = 0.4; // percent

export function timeline(statements: readonly Statement[], now: number, ticks = 6): Timeline {
  const [from, to] = range(statements, now);
  const scale = scaleTime().domain([from, to]).range([0, 100]);
  const words = scale.tickFormat(ticks);
  return {
    rows: [...statements].sort(byWhatThenWhen).map((each) => ({ statement: each, bars: bars(each, scale, now) })),
    ticks: scale
      .ticks(ticks)
      .map((at) => ({ left: scale(at), words: words(at) }))
      .filter((each) => each.left <= LAST),
    now: scale(now),
  };
}

const beginning = (held: Validity): number => Date.parse(held.valid_from ?? held.recorded_at);

/** What says the same kind of thing is together, so that one is seen to take the place of another. */
function byWhatThenWhen(a: Statement, b: Statement): number {
  const [left, right] = [a, b].map((each) => `${each.subject.name} ${each.predicate}`) as [string, string];
  return left.localeCompare(right) || first(a) - first(b);
}

const first = (statement: Statement): number => Math.min(...statement.validities.map(beginning));

function range(statements: readonly Statement[], now: number): [number, number] {
  const held = statements.flatMap((each) => each.validities);
  const ends = held.flatMap((each) => (each.valid_to ? [Date.parse(each.valid_to)] : []));
  const instants = [...held.map(beginning), ...ends, now].filter(Number.isFinite);
  const from = instants.reduce((low, each) => Math.min(low, each), now);
  const to = instants.reduce((high, each) => Math.max(high, each), now);
  return to - from < HOUR ? [to - HOUR, to + HOUR * MARGIN] : [from, to + (to - from) * MARGIN];
}

function bars(statement: Statement, scale: (at: number) => number, now: number): Bar[] {
  return statement.validities.map((held) => {
    const left = held.valid_from ? scale(Date.parse(held.valid_from)) : 0;
    const right = held.valid_to ? scale(Date.parse(held.valid_to)) : 100;
    return {
      left,
      width: Math.max(NARROWEST, right - left),
      look: lookOf(statement, held, now),
      isOpenBefore: !held.valid_from,
      isOpenAfter: !held.valid_to,
    };
  });
}

function lookOf({ contradicts }: Statement, held: Validity, now: number): Look {
  if (held.valid_from && Date.parse(held.valid_from) > now) return "future";
  if (!held.valid_to || Date.parse(held.valid_to) > now) return contradicts.length ? "contradicted" : "current";
  return held.superseded_by ? "superseded" : "ended";
}
