// A scene with its places on the canvas, and the measures that lines, marks and names share.
import type { Spot } from "./layout";
import type { Edge, Scene } from "./scene";

export type Picture = {
  scene: Scene;
  /** Where every entity is on the canvas, pixels. */
  spots: readonly Spot[];
  /** The place of the entity that is chosen, and that of the one under the pointer; -1 for none. */
  chosen: number;
  pointed: number;
  isMoving: boolean;
};
export type Pen = CanvasRenderingContext2D;
/** The colour of a name of the style sheet. */
export type Ink = (name: string) => string;

export const RING = 5; // pixels from a mark to the ring around it
const BEND = 26; // pixels between relations of the same two

export const sizeOf = (at: number): number => (at === 0 ? 9 : 7);

/** The entities that are looked at. */
export const nearOnes = ({ chosen, pointed }: Picture): Set<number> =>
  new Set([chosen, pointed].filter((at) => at >= 0));
export const touches = (edge: Edge, near: ReadonlySet<number>): boolean => near.has(edge.from) || near.has(edge.to);

/** The point that a bent relation is drawn towards, and its middle. */
export function curve({ spots }: Picture, { from, to, bend }: Edge): { pull: Spot; middle: Spot } {
  const [a, b] = [spots[from] as Spot, spots[to] as Spot];
  const far = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const side = (bend * BEND * 2) / far;
  const pull = { x: (a.x + b.x) / 2 - (b.y - a.y) * side, y: (a.y + b.y) / 2 + (b.x - a.x) * side };
  return { pull, middle: { x: (a.x + b.x) / 4 + pull.x / 2, y: (a.y + b.y) / 4 + pull.y / 2 } };
}
