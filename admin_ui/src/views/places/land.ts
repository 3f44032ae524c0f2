// The lines of the map, read from their packed form, as paths in the map's own units.
import { type Point, project } from "./projection";
import { BORDERS, LAND, STEPS_PER_DEGREE } from "./world";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const MORE = 32; // a digit with this bit is followed by a higher one

/** The numbers that are packed in a text; each has its sign in the lowest bit. */
export function numbers(packed: string): number[] {
  const found: number[] = [];
  let value = 0;
  let shift = 0;
  for (const digit of packed) {
    const bits = DIGITS.indexOf(digit);
    value |= (bits & ~MORE) << shift;
    shift += 5;
    if (bits & MORE) continue;
    found.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return found;
}

/** The lines in degrees, longitude before latitude. */
export function lines(packed: string): Point[][] {
  const all = numbers(packed);
  const found: Point[][] = [];
  for (let at = 0; at < all.length; ) {
    const end = at + 1 + 2 * (all[at] ?? 0);
    let [x, y] = [0, 0];
    const line: Point[] = [];
    for (at++; at < end; at += 2) {
      x += all[at] ?? 0;
      y += all[at + 1] ?? 0;
      line.push([x / STEPS_PER_DEGREE, y / STEPS_PER_DEGREE]);
    }
    found.push(line);
  }
  return found;
}

const spot = (point: Point): string =>
  project(point)
    .map((each) => each.toFixed(2))
    .join(" ");
export const pathOf = (line: readonly Point[]): string => `M${line.map(spot).join("L")}`;

/** A line that goes on past an edge of the map, and the same where it comes in on the other side. */
function both(line: Point[]): Point[][] {
  const xs = line.map(([x]) => x);
  const turn = Math.max(...xs) > 180 ? -360 : Math.min(...xs) < -180 ? 360 : 0;
  return turn ? [line, line.map(([x, y]): Point => [x + turn, y])] : [line];
}

/** Closed; what is inside an uneven number of lines is land. */
export const landPath = (): string =>
  lines(LAND)
    .flatMap(both)
    .map((line) => `${pathOf(line)}Z`)
    .join("");
export const borderPath = (): string => lines(BORDERS).map(pathOf).join("");
