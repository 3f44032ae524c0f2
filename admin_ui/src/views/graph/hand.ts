// What a pointer does on the board: it moves the ground or an entity, chooses, and the wheel makes larger.
import type { Board } from "./board";
import type { Spot } from "./layout";

const STILL = 4; // pixels that a click may slip
const WHEEL = 0.0015; // growth of a pixel of the wheel

/** `at`: the entity that is held, -1 for the ground. */
type Grip = Spot & { at: number; isMoved: boolean };

/** Listens until the returned function is called. */
export function hand(canvas: HTMLCanvasElement, board: Board, choose: (at: number) => void): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const its = new Hand(canvas, board, choose);
  canvas.addEventListener("pointerdown", (event) => its.take(event), { signal });
  canvas.addEventListener("pointermove", (event) => its.move(spotOf(event)), { signal });
  canvas.addEventListener("pointerup", () => its.release(), { signal });
  canvas.addEventListener("pointercancel", () => its.leave(), { signal });
  canvas.addEventListener("pointerleave", () => its.leave(), { signal });
  canvas.addEventListener("wheel", (event) => its.turn(event), { signal, passive: false });
  return () => listening.abort();
}

const spotOf = (event: MouseEvent): Spot => ({ x: event.offsetX, y: event.offsetY });

class Hand {
  private grip: Grip | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly board: Board,
    private readonly choose: (at: number) => void,
  ) {}

  take(event: PointerEvent): void {
    const spot = spotOf(event);
    this.grip = { ...spot, at: this.board.hit(spot), isMoved: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(spot: Spot): void {
    if (this.grip) this.drag(this.grip, spot);
    else this.hover(spot);
  }

  release(): void {
    if (this.grip && !this.grip.isMoved && this.grip.at >= 0) this.choose(this.grip.at);
    this.grip = null;
  }

  leave(): void {
    this.grip = null;
    this.board.point(-1);
  }

  turn(event: WheelEvent): void {
    event.preventDefault();
    this.board.zoom(Math.exp(-event.deltaY * WHEEL), spotOf(event));
  }

  private drag(held: Grip, spot: Spot): void {
    const [x, y] = [spot.x - held.x, spot.y - held.y];
    if (!held.isMoved && Math.hypot(x, y) < STILL) return;
    if (held.at >= 0) this.board.drag(held.at, spot);
    else this.board.pan(x, y);
    this.grip = { ...held, ...spot, isMoved: true };
  }

  private hover(spot: Spot): void {
    const at = this.board.hit(spot);
    this.board.point(at);
    this.canvas.title = this.board.nodeAt(at)?.name ?? "";
    this.canvas.classList.toggle("on-mark", at >= 0);
  }
}
