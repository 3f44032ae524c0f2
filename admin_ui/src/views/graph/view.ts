// Which part of a graph is seen, and how large: from places of the layout to pixels of the canvas and back.
import type { Spot } from "./layout";

export type View = { scale: number; x: number; y: number };

const EDGE = 56; // pixels around the whole
const LARGEST = 1.8; // a graph of few entities is not blown up
const SCALES = [0.08, 4] as const;

export const seen = (view: View, { x, y }: Spot): Spot => ({ x: x * view.scale + view.x, y: y * view.scale + view.y });
export const under = (view: View, { x, y }: Spot): Spot => ({
  x: (x - view.x) / view.scale,
  y: (y - view.y) / view.scale,
});

/** The view that shows every spot. */
export function fitting(spots: readonly Spot[], width: number, height: number): View {
  if (!spots.length) return { scale: 1, x: width / 2, y: height / 2 };
  const [xs, ys] = [spots.map((each) => each.x), spots.map((each) => each.y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const room = Math.min((width - 2 * EDGE) / (right - left || 1), (height - 2 * EDGE) / (bottom - top || 1));
  const scale = Math.max(SCALES[0], Math.min(LARGEST, room));
  return { scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale };
}

/** Larger or smaller, with what is at a spot of the canvas staying there. */
export function zoomed(view: View, by: number, around: Spot): View {
  const scale = Math.min(SCALES[1], Math.max(SCALES[0], view.scale * by));
  const grown = scale / view.scale;
  return { scale, x: around.x + (view.x - around.x) * grown, y: around.y + (view.y - around.y) * grown };
}
