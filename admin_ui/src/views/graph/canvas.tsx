// The board on the page, with its buttons and what its marks and lines mean.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../../app/session";
import { Board } from "./board";
import { hand } from "./hand";
import { KindMark } from "./mark";
import type { Scene } from "./scene";

const STEP = 1.4; // how much a button makes larger

type Props = { scene: Scene; chosen: string; choose: (id: string) => void };

export function GraphCanvas({ scene, chosen, choose }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const board = useBoard(canvas, choose);
  useEffect(() => board.current?.show(scene), [scene]);
  useEffect(() => board.current?.choose(chosen), [chosen]);
  useEffect(() => board.current?.redraw(), [theme.value]);
  const words = `Drawing of ${scene.nodes.length} entities and ${scene.edges.length} relations; the list beside it has the same`;
  return (
    <figure class="graph">
      <canvas ref={canvas} role="img" aria-label={words} />
      <Tools board={board} />
      <Legend scene={scene} />
    </figure>
  );
}

function Tools({ board }: { board: RefObject<Board | null> }) {
  return (
    <div class="tools-of-graph">
      <button type="button" aria-label="Zoom in" title="Zoom in" onClick={() => board.current?.zoom(STEP)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" title="Zoom out" onClick={() => board.current?.zoom(1 / STEP)}>
        −
      </button>
      <button type="button" onClick={() => board.current?.whole()}>
        Show all
      </button>
      <button type="button" onClick={() => board.current?.arrange()}>
        Arrange anew
      </button>
    </div>
  );
}

function Legend({ scene }: { scene: Scene }) {
  const counts = new Map<string, number>();
  for (const { kind } of scene.nodes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return (
    <figcaption>
      <ul class="legend" aria-label="Kinds and lines">
        {[...counts].map(([kind, count]) => (
          <li key={kind}>
            <KindMark kind={kind} /> {kind} <span class="count">{count}</span>
          </li>
        ))}
        <li>
          <Line /> holds
        </li>
        <li>
          <Line dashes="5 4" /> held before, around the middle
        </li>
        {scene.relations.some((each) => each.status === "contradicted") && <li>≠ contradicted by another</li>}
      </ul>
    </figcaption>
  );
}

function Line({ dashes }: { dashes?: string }) {
  return (
    <svg class="line-mark" viewBox="0 0 26 10" aria-hidden="true">
      <path d="M0 5 H20" stroke-dasharray={dashes} />
      <path d="M26 5 L18 1.5 V8.5 Z" class="tip" />
    </svg>
  );
}

/** A board for the canvas, as long as the canvas is there. */
function useBoard(canvas: RefObject<HTMLCanvasElement | null>, choose: (id: string) => void): RefObject<Board | null> {
  const board = useRef<Board>(null);
  useEffect(() => {
    const box = canvas.current;
    if (!box) return;
    const made = new Board(box);
    board.current = made;
    const redraw = (): void => made.redraw();
    const letGo = hand(box, made, (at) => choose(made.nodeAt(at)?.id ?? ""));
    const resized = new ResizeObserver(redraw);
    const darkness = matchMedia("(prefers-color-scheme: dark)");
    resized.observe(box);
    darkness.addEventListener("change", redraw);
    return () => {
      letGo();
      resized.disconnect();
      darkness.removeEventListener("change", redraw);
      made.close();
    };
  }, []);
  return board;
}
