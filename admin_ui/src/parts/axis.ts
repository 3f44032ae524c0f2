// The axes of a chart: which part of the numbers and of time it shows, round ticks on both, and their words.
import { type ScaleLinear, type ScaleTime, scaleLinear, scaleTime } from "d3-scale";

export type Point = {
  at: string | number | Date;
  value: number;
  /** The end of the time that the value holds for; none of an instant. */
  until?: string | null | undefined;
  /** What was recorded for this time before. */
  was?: readonly number[] | undefined;
};
/** In pixels; `left` and `bottom` are for the words of the ticks. */
export type Box = { width: number; height: number; left: number; bottom: number };
export type Scales = { x: ScaleTime<number, number>; y: ScaleLinear<number, number> };

const [ROOM_ABOVE, ROOM_RIGHT] = [8, 8]; // pixels: a dot at the edge is whole
const [TICK_ACROSS, TICK_DOWN] = [84, 44]; // pixels that a tick needs
const MINUTE = 60_000;
const [HOUR, DAY] = [60 * MINUTE, 24 * 60 * MINUTE];

export const timeOf = (at: string | number | Date): number => new Date(at).getTime();

/** The numbers' scale, up to round ends. */
export function upright(points: readonly Point[], height: number): ScaleLinear<number, number> {
  return scaleLinear().domain(range(points)).range([height, ROOM_ABOVE]).nice(downTicks(height));
}

export function scales(points: readonly Point[], box: Box): Scales {
  const ends = points.flatMap((each) => [timeOf(each.at), ...(each.until ? [timeOf(each.until)] : [])]);
  const [from, to] = ends.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [Infinity, -Infinity]);
  const width = Math.max(1, box.width - ROOM_RIGHT);
  // A single instant is in the middle of the day around it.
  const domain = from < to ? [from, to] : [from - DAY / 2, from + DAY / 2];
  return { x: scaleTime().domain(domain).range([box.left, width]), y: upright(points, box.height - box.bottom) };
}

/** From zero where the values are not far from it: half-empty axes make small changes look large. */
function range(points: readonly Point[]): [number, number] {
  const [low, high] = points
    .flatMap((each) => [each.value, ...(each.was ?? [])])
    .reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
  if (low >= 0 && low <= high / 2) return [0, high || 1];
  if (high <= 0 && high >= low / 2) return [low, 0];
  const room = Math.abs(low) / 10 || 1;
  return low === high ? [low - room, high + room] : [low, high];
}

export type Tick = { at: number; word: string };

export function downTicks(height: number): number {
  return Math.max(2, Math.floor(height / TICK_DOWN));
}

export function valueTicks(y: Scales["y"]): Tick[] {
  const values = y.ticks(downTicks(y.range()[0] ?? 0));
  return values.map((value) => ({ at: y(value), word: tickWord(value, values) }));
}

/** Short where the numbers are large, and with as many digits as tell one tick from the next. */
function tickWord(value: number, all: readonly number[]): string {
  const step = Math.abs((all[1] ?? value) - (all[0] ?? 0)) || Math.abs(value) || 1;
  const most = Math.max(...all.map(Math.abs));
  if (most < 100_000)
    return value.toLocaleString("en", { maximumFractionDigits: Math.max(0, Math.ceil(-Math.log10(step))) });
  const power = 10 ** (3 * Math.floor(Math.log10(most) / 3));
  return value.toLocaleString("en", {
    notation: "compact",
    maximumFractionDigits: Math.min(20, Math.max(0, Math.ceil(Math.log10(power / step)))),
  });
}

export function timeTicks(x: Scales["x"], width: number): Tick[] {
  const times = x.ticks(Math.max(2, Math.floor(width / TICK_ACROSS)));
  const step = times.length > 1 ? Number(times[1]) - Number(times[0]) : DAY;
  return times.map((time) => ({ at: x(time), word: timeWord(time, step) }));
}

const said = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, options);
const YEAR = said({ year: "numeric" });
const MONTH = said({ month: "short" });
const DATE = said({ month: "short", day: "numeric" });
const CLOCK = said({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const SECONDS = said({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** The year where one begins, the day where one does, and as much of the clock as the step needs. */
export function timeWord(time: Date, step: number): string {
  const isMidnight = time.getHours() + time.getMinutes() + time.getSeconds() === 0;
  if (step < MINUTE) return SECONDS.format(time);
  if (step < 20 * HOUR && !isMidnight) return CLOCK.format(time);
  if (time.getDate() !== 1 || step < 20 * HOUR) return DATE.format(time);
  return time.getMonth() ? MONTH.format(time) : YEAR.format(time);
}
