// Lines over time, with round ticks. A point is read by the pointer, or by the keys once the chart has the focus.
import { useState } from "preact/hooks";
import { type Box, type Point, scales, type Tick, timeTicks, upright, valueTicks } from "./axis";
import { dot, gapOf, lineOf, middle, nearest, type Place, placed, runs, thinned } from "./lines";
import { short } from "./time";
import { useWidth } from "./width";

export type { Point } from "./axis";

const SMALL = 110; // pixels high
const TICK_WORDS = 20; // pixels under the chart
const LETTER = 6.7; // pixels of a digit
const DOTTED = 80; // points at most that have dots

type Props = {
  points: readonly Point[];
  label: string;
  unit?: string | null | undefined;
  /** Pixels; small beside words unless it is given. */
  height?: number | undefined;
};

/** Points in the order of their times. What holds until another time is level until then. */
export function LineChart({ points, label, unit, height = SMALL }: Props) {
  const [box, width] = useWidth<HTMLElement>(600);
  const [read, reading] = useState<number | null>(null);
  const known = points.filter((each) => Number.isFinite(each.value));
  const drawn = thinned(known, width);
  const [last] = drawn.slice(-1);
  if (!last) return <p class="state">No values yet.</p>;
  const frame = framed(drawn, width, height);
  const places = placed(drawn, scales(drawn, frame));
  const words = (point: Point): string => `${whenOf(point)}: ${amountOf(point, unit)}`;
  const near = read === null ? null : (places[Math.min(read, places.length - 1)] ?? null);
  return (
    <figure ref={box} class="chart">
      <p class="ends">
        <span>{unit && `in ${unit}`}</span>
        <span class="read">{near ? words(near.point) : `last ${amountOf(last, unit)}`}</span>
      </p>
      <div class="plot">
        <svg width={width} height={height} role="img" aria-label={summary(known, label, unit)}>
          <Drawing places={places} frame={frame} near={near} />
        </svg>
        <Reader places={places} label={label} read={read} reading={reading} words={words} />
      </div>
    </figure>
  );
}

/** The words of the values' ticks say how much room they need. */
function framed(points: readonly Point[], width: number, height: number): Box {
  const inner = height - TICK_WORDS;
  const longest = Math.max(...valueTicks(upright(points, inner)).map(({ word }) => word.length));
  return { width, height, left: longest * LETTER + 10, bottom: TICK_WORDS };
}

function Drawing({ places, frame, near }: { places: readonly Place[]; frame: Box; near: Place | null }) {
  const { x, y } = scales(
    places.map((each) => each.point),
    frame,
  );
  const { lines, gaps } = runs(places);
  const [low = 0, high = 0] = y.domain();
  const hasZero = low <= 0 && high >= 0; // an area from anywhere else would look like a share of something
  return (
    <>
      <ValueAxis ticks={valueTicks(y)} frame={frame} zero={low < 0 ? y(0) : null} />
      <TimeAxis ticks={alone(places) ?? timeTicks(x, frame.width - frame.left)} frame={frame} />
      {hasZero &&
        lines.map((each, at) => <path key={at} class="area" d={`${lineOf(each)} V${y(0)} H${each[0]?.x ?? 0} Z`} />)}
      {gaps.length > 0 && <path class="gap" d={gaps.map(gapOf).join(" ")} />}
      <path class="line" d={lines.map(lineOf).join(" ")} />
      {places.length <= DOTTED && <path class="dots" d={places.map((each) => dot(middle(each), each.y)).join("")} />}
      {places.flatMap((each, at) =>
        (each.point.was ?? []).map((value, of) => (
          <circle key={`${at} ${of}`} class="before" cx={middle(each)} cy={y(value)} r="3.5" />
        )),
      )}
      {near && <path class="cross" d={`M${middle(near)} 0V${frame.height - frame.bottom}`} />}
      {near && <path class="dots near" d={dot(middle(near), near.y)} />}
    </>
  );
}

/** A single instant is its own tick: round ones around it would say nothing. */
function alone(places: readonly Place[]): Tick[] | null {
  const [only] = places;
  if (!only || places.length > 1 || only.end > only.x) return null;
  return [{ at: only.x, word: moment(only.point.at) }];
}

function ValueAxis({ ticks, frame, zero }: { ticks: Tick[]; frame: Box; zero: number | null }) {
  return (
    <g class="ticks">
      {ticks.map(({ at, word }) => (
        <g key={word}>
          <path d={`M${frame.left} ${at}H${frame.width}`} class={at === zero ? "zero" : undefined} />
          <text x={frame.left - 6} y={at + 4} text-anchor="end">
            {word}
          </text>
        </g>
      ))}
    </g>
  );
}

/** A word that would be cut by an edge stands inside it. */
function TimeAxis({ ticks, frame }: { ticks: Tick[]; frame: Box }) {
  const foot = frame.height - frame.bottom;
  const anchor = (at: number): string => (at > frame.width - 30 ? "end" : at < 20 ? "start" : "middle");
  return (
    <g class="ticks">
      {ticks.map(({ at, word }) => (
        <g key={at}>
          <path d={`M${at} ${foot}v4`} />
          <text x={at} y={frame.height - 3} text-anchor={anchor(at)}>
            {word}
          </text>
        </g>
      ))}
    </g>
  );
}

type ReaderProps = {
  places: readonly Place[];
  label: string;
  read: number | null;
  reading: (at: number | null) => void;
  words: (point: Point) => string;
};

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };

/** Lies over the drawing and hears the pointer and the keys. It says the point that is read. */
function Reader({ places, label, read, reading, words }: ReaderProps) {
  const last = places.length - 1;
  const now = Math.min(read ?? last, last);
  function key(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? last : step === undefined ? null : now + step;
    if (to === null) return;
    event.preventDefault();
    reading(Math.max(0, Math.min(last, read === null && step ? (step < 0 ? last : 0) : to)));
  }
  function point(event: PointerEvent): void {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    reading(nearest(places, event.clientX - box.left));
  }
  return (
    <div
      class="reader"
      role="slider"
      tabIndex={0}
      aria-label={`Points of ${label}`}
      aria-valuemin={1}
      aria-valuemax={places.length}
      aria-valuenow={now + 1}
      aria-valuetext={words((places[now] as Place).point)}
      onKeyDown={key}
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={() => reading(null)}
      onBlur={() => reading(null)}
    />
  );
}

function summary(points: readonly Point[], label: string, unit: string | null | undefined): string {
  const least = points.reduce((a, b) => (b.value < a.value ? b : a));
  const most = points.reduce((a, b) => (b.value > a.value ? b : a));
  const [last] = points.slice(-1);
  const n = points.length === 1 ? "1 value" : `${points.length} values`;
  return `${label}: ${n} from ${amountOf(least, unit)} to ${amountOf(most, unit)}, last ${last ? amountOf(last, unit) : ""}`;
}

function amountOf({ value }: Point, unit: string | null | undefined): string {
  return `${value.toLocaleString("en", { maximumSignificantDigits: 6 })}${unit ? ` ${unit}` : ""}`;
}

function whenOf({ at, until }: Point): string {
  return until ? `${moment(at)} – ${moment(until)}` : moment(at);
}

function moment(at: string | number | Date): string {
  const instant = new Date(at);
  return Number.isNaN(instant.getTime()) ? String(at) : short(instant.toISOString());
}
