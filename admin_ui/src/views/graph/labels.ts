// Where names fit: a label is put at the first of its places that nobody has taken.

export type Box = { left: number; top: number; width: number; height: number };

const CELL = 64; // pixels of a square that is looked through at a time

/** The room on a drawing that is taken. */
export class Room {
  private readonly cells = new Map<string, Box[]>();

  isFree(box: Box): boolean {
    return this.keys(box).every((key) => !this.cells.get(key)?.some((other) => meet(box, other)));
  }

  take(box: Box): void {
    for (const key of this.keys(box)) this.cells.set(key, [...(this.cells.get(key) ?? []), box]);
  }

  /** Takes the first of the boxes that is free; null if none is. */
  first(boxes: readonly Box[]): Box | null {
    const found = boxes.find((box) => this.isFree(box)) ?? null;
    if (found) this.take(found);
    return found;
  }

  private keys({ left, top, width, height }: Box): string[] {
    const keys: string[] = [];
    for (let x = Math.floor(left / CELL); x <= Math.floor((left + width) / CELL); x++)
      for (let y = Math.floor(top / CELL); y <= Math.floor((top + height) / CELL); y++) keys.push(`${x} ${y}`);
    return keys;
  }
}

const meet = (a: Box, b: Box): boolean =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

type Way = { x: number; y: number };
const BELOW: Way = { x: 0, y: 1 };

/** The places of a label around a mark: below, above, to the right, to the left; those first that lie the given way. */
export function around(x: number, y: number, radius: number, width: number, height: number, way = BELOW): Box[] {
  const [middle, beside] = [x - width / 2, y - height / 2];
  const gap = radius + 3;
  const places: [number, Box][] = [
    [way.y, { left: middle, top: y + gap, width, height }],
    [-way.y, { left: middle, top: y - gap - height, width, height }],
    [way.x, { left: x + gap, top: beside, width, height }],
    [-way.x, { left: x - gap - width, top: beside, width, height }],
  ];
  return places.sort((a, b) => b[0] - a[0]).map(([, box]) => box);
}
