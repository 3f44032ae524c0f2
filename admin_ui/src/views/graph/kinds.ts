// The mark of every kind of entity: a shape and a colour of its own, so that neither has to be told apart alone.

export type Mark = { points: readonly (readonly [x: number, y: number])[]; colour: string };

const turned = (corners: number, from: number, out = 1, inner = out): [number, number][] =>
  Array.from({ length: corners }, (_, at) => {
    const angle = from + (at * 2 * Math.PI) / corners;
    const far = at % 2 ? inner : out;
    return [far * Math.cos(angle), far * Math.sin(angle)];
  });

const UP = -Math.PI / 2;
const box = (x: number, y: number): [number, number][] => [
  [-x, -y],
  [x, -y],
  [x, y],
  [-x, y],
];

/** Corners of shapes about as large as a circle of radius 1. A round mark has none. */
const MARKS: Record<string, Mark> = {
  person: { points: [], colour: "--kind-a" },
  organization: { points: box(0.9, 0.9), colour: "--kind-b" },
  place: { points: turned(3, UP, 1.25), colour: "--kind-c" },
  product: { points: turned(6, UP, 1.1), colour: "--kind-d" },
  event: { points: turned(10, UP, 1.35, 0.6), colour: "--kind-e" },
  work: { points: box(0.75, 1.1), colour: "--kind-f" },
  contact: { points: turned(3, -UP, 1.25), colour: "--kind-a" },
  identifier: { points: box(1.25, 0.6), colour: "--kind-e" },
  concept: { points: turned(5, UP, 1.15), colour: "--kind-d" },
  other: { points: turned(4, UP, 1.2), colour: "--kind-g" },
};
const NONE: Mark = { points: turned(8, UP, 1.2, 0.8), colour: "--kind-g" };

/** The kinds that there are. */
export const KINDS = Object.keys(MARKS);

export const markOf = (kind: string): Mark => MARKS[kind] ?? NONE;
