// The lines of a chart, in pixels: what is drawn of many points, where a line is broken, and which point is near.
import { type Point, type Scales, timeOf } from "./axis";

/** A point, where it begins and, if it holds for a time, where that ends. */
export type Place = { x: number; end: number; y: number; point: Point };

const MANY_A_PIXEL = 2;
const GAP = 4; // times the usual distance

export function placed(points: readonly Point[], { x, y }: Scales): Place[] {
  return points.map((point) => ({
    x: x(timeOf(point.at)),
    end: x(timeOf(point.until ?? point.at)),
    y: y(point.value),
    point,
  }));
}

/** No more than can be told apart: of those that share their pixels the lowest and the highest, so that no peak is lost. */
export function thinned(points: readonly Point[], width: number): readonly Point[] {
  const most = Math.max(2, Math.floor(width)) * MANY_A_PIXEL;
  if (points.length <= most) return points;
  const size = Math.ceil((2 * points.length) / most);
  const kept: Point[] = [];
  for (let from = 0; from < points.length; from += size) {
    const some = points.slice(from, from + size);
    const ends = [some.reduce(lower), some.reduce(higher)];
    kept.push(...some.filter((each) => ends.includes(each) || each === points[0] || each === points.at(-1)));
  }
  return kept;
}

const lower = (a: Point, b: Point): Point => (b.value < a.value ? b : a);
const higher = (a: Point, b: Point): Point => (b.value > a.value ? b : a);

/** The lines, and the gaps between them: where the next point is much farther away than points usually are here. */
export function runs(places: readonly Place[]): { lines: Place[][]; gaps: [Place, Place][] } {
  const widest = places.length > 3 ? GAP * Math.max(1, stride(places)) : Number.POSITIVE_INFINITY;
  const lines: Place[][] = places[0] ? [[places[0]]] : [];
  const gaps: [Place, Place][] = [];
  places.slice(1).forEach((each, at) => {
    const before = places[at] as Place;
    if (each.x - before.end > widest) {
      gaps.push([before, each]);
      lines.push([each]);
    } else lines.at(-1)?.push(each);
  });
  return { lines, gaps };
}

/** The pixels from one point to the next, in the middle of all. */
function stride(places: readonly Place[]): number {
  const steps = places.slice(1).map((each, at) => each.x - (places[at]?.x ?? each.x));
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
}

const spot = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
const ends = ({ x, end, y }: Place): string => (end > x ? `${spot(x, y)} L${spot(end, y)}` : spot(x, y));
export const lineOf = (places: readonly Place[]): string => `M${places.map(ends).join(" L")}`;
export const gapOf = ([from, to]: [Place, Place]): string => `M${spot(from.end, from.y)} L${spot(to.x, to.y)}`;

/** Lines of no length: their round caps are dots. */
export const dot = (x: number, y: number): string => `M${spot(x, y)} l0.01 0`;
export const middle = ({ x, end }: Place): number => (x + end) / 2;

/** The place in which, or nearest to which, a pixel is. */
export function nearest(places: readonly Place[], x: number): number {
  const away = (place: Place): number => (x < place.x ? place.x - x : x > place.end ? x - place.end : 0);
  return places.reduce((best, each, at) => (away(each) < away(places[best] as Place) ? at : best), 0);
}
