// Where the entities of a graph stand. Whoever has a place keeps it when others come and go. Knows no drawing.
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationLinkDatum,
} from "d3-force";

export type Spot = { x: number; y: number };
export type Link = readonly [from: string, to: string];
type Body = Spot & { id: string; fx?: number | null; fy?: number | null };
type Spring = SimulationLinkDatum<Body>;

const REST = 110; // the length of a relation at rest
const APART = 26; // half of the least distance of two entities
const PUSH = -260;
const REACH = 700; // farther away nobody is pushed
const COOLING = 0.03;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

export class Layout {
  private readonly bodies = new Map<string, Body>();
  private moving: Simulation<Body, Spring> | null = null;

  /** Takes in what is shown: what is new finds its place around what is there. The very first is the middle. */
  show(ids: readonly string[], links: readonly Link[]): void {
    const fresh = ids.filter((id) => !this.bodies.has(id));
    if (!fresh.length) return;
    for (const body of this.bodies.values()) pin(body);
    const near = neighbours(links);
    for (const id of fresh) this.add(id, near.get(id) ?? []);
    const springs = pairs(links).filter((each) => each.every((id) => this.bodies.has(id)));
    this.moving = simulation([...this.bodies.values()], springs);
  }

  get isSettled(): boolean {
    return this.moving === null;
  }

  /** Goes on for some milliseconds at most, or until it is settled. */
  run(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (this.moving && performance.now() < end) this.step();
  }

  step(): void {
    if (!this.moving) return;
    this.moving.tick();
    if (this.moving.alpha() < this.moving.alphaMin()) this.moving = null;
  }

  at(id: string): Spot {
    return this.bodies.get(id) ?? { x: 0, y: 0 };
  }

  /** Puts an entity where somebody wants it. */
  put(id: string, { x, y }: Spot): void {
    const body = this.bodies.get(id);
    if (body) pin(Object.assign(body, { x, y }));
  }

  /** Every place, that of what is not shown now too. */
  get all(): Spot[] {
    return [...this.bodies.values()];
  }

  /** Forgets every place. */
  clear(): void {
    this.bodies.clear();
    this.moving = null;
  }

  /** Next to a neighbour that has a place, away from the middle: a chain is laid out straight, not folded. */
  private add(id: string, near: readonly string[]): void {
    const count = this.bodies.size;
    const home = near.map((each) => this.bodies.get(each)).find((each) => each !== undefined) ?? { x: 0, y: 0 };
    const turn = count * GOLDEN;
    const angle = home.x || home.y ? Math.atan2(home.y, home.x) + Math.sin(turn) : turn;
    const far = count ? REST * (0.5 + 0.1 * Math.sqrt(count)) : 0;
    const body: Body = { id, x: home.x + Math.cos(angle) * far, y: home.y + Math.sin(angle) * far };
    if (!count) pin(body);
    this.bodies.set(id, body);
  }
}

function pin(body: Body): void {
  body.fx = body.x;
  body.fy = body.y;
}

/** Every two once: more relations between them do not pull harder. */
function pairs(links: readonly Link[]): Link[] {
  const found = new Map(links.map((link): [string, Link] => [[...link].sort().join(" "), link]));
  return [...found.values()];
}

function neighbours(links: readonly Link[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [from, to] of links) {
    found.set(from, [...(found.get(from) ?? []), to]);
    found.set(to, [...(found.get(to) ?? []), from]);
  }
  return found;
}

/** It is stopped: its own timer would run whole rounds when the page has other things to do. */
function simulation(bodies: Body[], links: readonly Link[]): Simulation<Body, Spring> {
  const springs = links.map(([source, target]): Spring => ({ source, target }));
  return forceSimulation<Body, Spring>(bodies)
    .stop()
    .alphaDecay(COOLING)
    .force(
      "relations",
      forceLink<Body, Spring>(springs)
        .id((body) => body.id)
        .distance(REST),
    )
    .force("apart", forceManyBody<Body>().strength(PUSH).distanceMax(REACH))
    .force("room", forceCollide<Body>(APART))
    .force("across", forceX<Body>(0).strength(0.03))
    .force("down", forceY<Body>(0).strength(0.045));
}
