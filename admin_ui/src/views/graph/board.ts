// The canvas of a graph at work: settles the layout in slices of frames, and draws when something has changed.
import { draw } from "./drawing";
import { Layout, type Link, type Spot } from "./layout";
import { sizeOf } from "./picture";
import type { Scene } from "./scene";
import { fitting, seen, under, type View, zoomed } from "./view";

const SLICE = 10; // milliseconds of a frame that the layout may have
const REACH = 12; // pixels around a mark that are still the mark
const NOTHING: Scene = { nodes: [], edges: [], relations: [], ties: [] };

export class Board {
  private readonly layout = new Layout();
  private scene = NOTHING;
  private chosen = "";
  private pointed = -1;
  private moved: View | null = null; // null: whatever shows the whole
  private frame = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  show(scene: Scene): void {
    this.scene = scene;
    this.pointed = -1;
    const ids = scene.nodes.map((each) => each.id);
    const links = scene.edges.map(({ from, to }): Link => [ids[from] ?? "", ids[to] ?? ""]);
    this.layout.show([...new Set([...ids.slice(0, 1), ...scene.ties.flat(), ...ids])], [...scene.ties, ...links]);
    this.redraw();
  }

  /** Chooses an entity, and moves the view to it if it is outside. */
  choose(id: string): void {
    this.chosen = id;
    const { x, y } = seen(this.view, this.layout.at(id));
    const [width, height] = this.size;
    if (x < 0 || y < 0 || x > width || y > height) this.pan(width / 2 - x, height / 2 - y);
    this.redraw();
  }

  point(at: number): void {
    if (at === this.pointed) return;
    this.pointed = at;
    this.redraw();
  }

  /** The place of the entity at a spot of the canvas; -1 if none is there. */
  hit(spot: Spot): number {
    const far = this.spots.map((each, at) => Math.hypot(each.x - spot.x, each.y - spot.y) - sizeOf(at));
    const at = far.indexOf(Math.min(...far));
    return (far[at] ?? Infinity) < REACH ? at : -1;
  }

  nodeAt(at: number): Scene["nodes"][number] | null {
    return this.scene.nodes[at] ?? null;
  }

  drag(at: number, spot: Spot): void {
    this.moved ??= this.view;
    this.layout.put(this.nodeAt(at)?.id ?? "", under(this.view, spot));
    this.redraw();
  }

  pan(x: number, y: number): void {
    const { scale, ...off } = this.view;
    this.moved = { scale, x: off.x + x, y: off.y + y };
    this.redraw();
  }

  zoom(by: number, around?: Spot): void {
    const [width, height] = this.size;
    this.moved = zoomed(this.view, by, around ?? { x: width / 2, y: height / 2 });
    this.redraw();
  }

  /** Shows everything that has a place. */
  whole(): void {
    this.moved = null;
    this.redraw();
  }

  /** Gives everything a new place. */
  arrange(): void {
    this.layout.clear();
    this.moved = null;
    this.show(this.scene);
  }

  redraw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.tick());
  }

  close(): void {
    cancelAnimationFrame(this.frame);
  }

  private tick(): void {
    this.frame = 0;
    this.layout.run(SLICE);
    const chosen = this.scene.nodes.findIndex((each) => each.id === this.chosen);
    const isMoving = !this.layout.isSettled;
    draw(this.canvas, { scene: this.scene, spots: this.spots, chosen, pointed: this.pointed, isMoving });
    this.canvas.toggleAttribute("data-settled", !isMoving);
    if (isMoving) this.redraw();
  }

  private get size(): [number, number] {
    return [this.canvas.clientWidth, this.canvas.clientHeight];
  }

  private get view(): View {
    return this.moved ?? fitting(this.layout.all, ...this.size);
  }

  private get spots(): Spot[] {
    const view = this.view;
    return this.scene.nodes.map((each) => seen(view, this.layout.at(each.id)));
  }
}
