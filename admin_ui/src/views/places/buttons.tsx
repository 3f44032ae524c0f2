// What moves the map without a pointer: buttons, and the keys that do the same.
import { type Frame, moved, type Size, whole, zoomed } from "./frame";
import type { Point } from "./projection";

const STEP = 80; // pixels
const CLOSER = 0.5;
const WAYS: readonly (readonly [key: string, name: string, sign: string, move: Point])[] = [
  ["ArrowLeft", "West", "←", [-STEP, 0]],
  ["ArrowUp", "North", "↑", [0, -STEP]],
  ["ArrowDown", "South", "↓", [0, STEP]],
  ["ArrowRight", "East", "→", [STEP, 0]],
];

/** Where a key moves the map to; null for the other keys. */
export function keyed(key: string, frame: Frame, size: Size, all: () => Frame): Frame | null {
  const way = WAYS.find(([name]) => name === key);
  if (way) return moved(frame, size, way[3]);
  if (key === "+" || key === "=") return zoomed(frame, size, CLOSER);
  if (key === "-") return zoomed(frame, size, 1 / CLOSER);
  return key === "0" ? all() : null;
}

type Given = {
  frame: Frame;
  size: Size;
  set: (frame: Frame) => void;
  /** Null where there is no place. */
  all: (() => Frame) | null;
  look: () => void;
};

export function Buttons({ frame, size, set, all, look }: Given) {
  return (
    <div class="actions" role="group" aria-label="Move the map">
      <Sign name="Closer" sign="+" act={() => set(zoomed(frame, size, CLOSER))} />
      <Sign name="Farther" sign="−" act={() => set(zoomed(frame, size, 1 / CLOSER))} />
      {WAYS.map(([, name, sign, move]) => (
        <Sign key={name} name={name} sign={sign} act={() => set(moved(frame, size, move))} />
      ))}
      <button type="button" disabled={!all} onClick={() => all && set(all())}>
        All places
      </button>
      <button type="button" onClick={() => set(whole(size))}>
        World
      </button>
      <button type="button" onClick={look}>
        Near the middle
      </button>
    </div>
  );
}

function Sign({ name, sign, act }: { name: string; sign: string; act: () => void }) {
  return (
    <button type="button" class="sign" aria-label={name} title={name} onClick={act}>
      {sign}
    </button>
  );
}
