// Where the entities of a graph stand: they push each other away and relations pull them together. Knows no drawing.

export type Spot = { x: number; y: number };
export type Link = readonly [from: number, to: number];

const REST = 90; // the length of a relation at rest
const PUSH = 6000;
const PULL = 0.06;
const HOME = 0.002;
const COOLING = 0.975;
const COLD = 0.3;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

export class Layout {
  readonly spots: Spot[];
  private heat = 40; // farthest that a spot moves in a step

  /** The first spot is the middle of the graph. */
  constructor(
    count: number,
    private readonly links: readonly Link[],
  ) {
    this.spots = Array.from({ length: count }, (_, at) => ({
      x: Math.cos(at * GOLDEN) * 40 * Math.sqrt(at),
      y: Math.sin(at * GOLDEN) * 40 * Math.sqrt(at),
    }));
  }

  get isSettled(): boolean {
    return this.heat < COLD;
  }

  /** Goes on for some milliseconds at most, or until it is settled. */
  run(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (!this.isSettled && performance.now() < end) this.step();
  }

  step(): void {
    const moves = this.spots.map(({ x, y }) => ({ x: -x * HOME, y: -y * HOME }));
    this.push(moves);
    this.pull(moves);
    this.spots.forEach((spot, at) => {
      const move = moves[at] as Spot;
      const far = Math.hypot(move.x, move.y) || 1;
      const share = at ? Math.min(far, this.heat) / far : 0;
      spot.x += move.x * share;
      spot.y += move.y * share;
    });
    this.heat *= COOLING;
  }

  private push(moves: Spot[]): void {
    for (let a = 0; a < this.spots.length; a++) {
      const [here, mine] = [this.spots[a] as Spot, moves[a] as Spot];
      for (let b = a + 1; b < this.spots.length; b++) {
        const [there, its] = [this.spots[b] as Spot, moves[b] as Spot];
        const [x, y] = [here.x - there.x, here.y - there.y];
        const force = PUSH / (x * x + y * y + 100);
        const far = Math.sqrt(x * x + y * y) || 1;
        mine.x += (x / far) * force;
        mine.y += (y / far) * force;
        its.x -= (x / far) * force;
        its.y -= (y / far) * force;
      }
    }
  }

  private pull(moves: Spot[]): void {
    for (const [a, b] of this.links) {
      const [here, there] = [this.spots[a] as Spot, this.spots[b] as Spot];
      const [x, y] = [there.x - here.x, there.y - here.y];
      const far = Math.hypot(x, y) || 1;
      const force = ((far - REST) * PULL) / far;
      (moves[a] as Spot).x += x * force;
      (moves[a] as Spot).y += y * force;
      (moves[b] as Spot).x -= x * force;
      (moves[b] as Spot).y -= y * force;
    }
  }
}
