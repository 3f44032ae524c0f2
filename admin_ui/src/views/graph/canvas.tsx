// The graph on the page: settles in short slices, is moved, made larger, and told which entity is chosen.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { theme } from "../../app/session";
import { draw, type Edge, fitting, type Node, type View } from "./drawing";
import { Layout } from "./layout";

const SLICE = 12; // milliseconds of a frame
const REACH = 16; // pixels around a spot that are a click on it

type Props = { nodes: readonly Node[]; edges: readonly Edge[]; chosen: number; choose: (at: number) => void };

export function GraphCanvas({ nodes, edges, chosen, choose }: Props) {
  const box = useRef<HTMLCanvasElement>(null);
  const layout = useMemo(
    () =>
      new Layout(
        nodes.length,
        edges.map((each) => each.link),
      ),
    [nodes, edges],
  );
  const [moved, move] = useState<View | null>(null);
  const grip = useRef<{ x: number; y: number; view: View; isMoved: boolean } | null>(null);
  const view = (): View =>
    moved ?? fitting(layout.spots, box.current?.clientWidth ?? 600, box.current?.clientHeight ?? 400);
  useEffect(() => {
    let frame = 0;
    function tick(): void {
      layout.run(SLICE);
      if (box.current) draw(box.current, { nodes, edges, spots: layout.spots, chosen }, view());
      if (!layout.isSettled) frame = requestAnimationFrame(tick);
    }
    tick();
    const resized = new ResizeObserver(() => layout.isSettled && tick());
    if (box.current) resized.observe(box.current);
    return () => {
      cancelAnimationFrame(frame);
      resized.disconnect();
    };
  }, [layout, chosen, moved, theme.value]);
  function zoom(by: number): void {
    const { scale, x, y } = view();
    const [right, down] = [(box.current?.clientWidth ?? 0) / 2, (box.current?.clientHeight ?? 0) / 2];
    move({ scale: scale * by, x: right - (right - x) * by, y: down - (down - y) * by });
  }
  function drag(event: PointerEvent): void {
    const held = grip.current;
    if (!held || Math.hypot(event.clientX - held.x, event.clientY - held.y) < 4) return;
    held.isMoved = true;
    move({ ...held.view, x: held.view.x + event.clientX - held.x, y: held.view.y + event.clientY - held.y });
  }
  function click(event: PointerEvent): void {
    const held = grip.current;
    grip.current = null;
    if (!held || held.isMoved) return;
    const { scale, x, y } = view();
    const far = layout.spots.map((spot) =>
      Math.hypot(spot.x * scale + x - event.offsetX, spot.y * scale + y - event.offsetY),
    );
    const at = far.indexOf(Math.min(...far));
    if ((far[at] ?? Infinity) < REACH) choose(at);
  }
  return (
    <figure class="graph">
      <canvas
        ref={box}
        role="img"
        aria-label={`Graph of ${nodes.length} entities and ${edges.length} relations; the list beside it has the same`}
        onPointerDown={(event) => (grip.current = { x: event.clientX, y: event.clientY, view: view(), isMoved: false })}
        onPointerMove={drag}
        onPointerUp={click}
        onPointerLeave={() => (grip.current = null)}
      />
      <p class="actions">
        <button type="button" aria-label="Closer" onClick={() => zoom(1.4)}>
          +
        </button>
        <button type="button" aria-label="Farther" onClick={() => zoom(1 / 1.4)}>
          −
        </button>
        <button type="button" onClick={() => move(null)}>
          Whole
        </button>
        <span class="quiet">○ person □ organization ◇ other; dashed: no longer so</span>
      </p>
    </figure>
  );
}
