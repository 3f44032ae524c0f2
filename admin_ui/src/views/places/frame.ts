// Which part of the map is seen: moved, made larger or smaller, and never beyond the map.
import { NORTH, type Point, project, SOUTH } from "./projection";

/** The middle in the map's units, and how many of them a pixel is. */
export type Frame = { x: number; y: number; unit: number };
/** In pixels. */
export type Size = { width: number; height: number };

const WIDEST = 360;
const CLOSEST = 0.02; // units across: about 2 km at the equator
const ROOM = 1.4; // around the places that are shown
const LEAST = 30; // units across: enough of the coasts to know where it is
const [TOP, BOTTOM] = [project([0, NORTH])[1], project([0, SOUTH])[1]];

export function whole(size: Size): Frame {
  return kept({ x: 0, y: (TOP + BOTTOM) / 2, unit: WIDEST / size.width }, size);
}

/** As close as all of the points (on the map) allow; `least` units across where they are all in one spot. */
export function around(points: readonly Point[], size: Size, least = LEAST): Frame {
  if (!points.length) return whole(size);
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const unit = Math.max(
    least / size.width,
    ((right - left) * ROOM) / size.width,
    ((bottom - top) * ROOM) / size.height,
  );
  return kept({ x: (left + right) / 2, y: (top + bottom) / 2, unit }, size);
}

/** All of the points, closer than `around` goes by itself. */
export const close = (points: readonly Point[], size: Size): Frame => around(points, size, CLOSEST);

/** `by` below 1 is closer. What is at `at` (pixels from the middle) stays there. */
export function zoomed(frame: Frame, size: Size, by: number, at: Point = [0, 0]): Frame {
  const unit = Math.min(WIDEST / size.width, Math.max(CLOSEST / size.width, frame.unit * by));
  const lost = frame.unit - unit;
  return kept({ x: frame.x + at[0] * lost, y: frame.y + at[1] * lost, unit }, size);
}

/** By pixels to the east and south. */
export function moved(frame: Frame, size: Size, [right, down]: Point): Frame {
  return kept({ ...frame, x: frame.x + right * frame.unit, y: frame.y + down * frame.unit }, size);
}

/** With the point (on the map) in the middle. */
export function centred(frame: Frame, size: Size, [x, y]: Point): Frame {
  return kept({ ...frame, x, y }, size);
}

/** Where a point of the map is seen, in pixels from the left and the top. */
export function seen(frame: Frame, size: Size, [x, y]: Point): Point {
  return [(x - frame.x) / frame.unit + size.width / 2, (y - frame.y) / frame.unit + size.height / 2];
}

/** The map fills the frame as far as it can. */
function kept(frame: Frame, size: Size): Frame {
  const unit = Math.min(WIDEST / size.width, frame.unit);
  return {
    x: between(frame.x, -WIDEST / 2, WIDEST / 2, (size.width * unit) / 2),
    y: between(frame.y, TOP, BOTTOM, (size.height * unit) / 2),
    unit,
  };
}

function between(at: number, low: number, high: number, half: number): number {
  return high - low <= 2 * half ? (low + high) / 2 : Math.min(high - half, Math.max(low + half, at));
}
