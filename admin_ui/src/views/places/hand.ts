// Moving the map with the pointer: dragged, and zoomed by the wheel while Ctrl is held (a page must still scroll).
import { useRef } from "preact/hooks";
import { type Frame, moved, type Size, zoomed } from "./frame";

type Grip = { x: number; y: number; frame: Frame };
const LEAST = 4; // pixels before it is a drag and not a click

export function useHand(frame: Frame, size: Size, set: (frame: Frame) => void) {
  const grip = useRef<Grip | null>(null);
  const hasMoved = useRef(false);
  return {
    onPointerDown(event: PointerEvent): void {
      grip.current = { x: event.clientX, y: event.clientY, frame };
      hasMoved.current = false;
    },
    onPointerMove(event: PointerEvent): void {
      const from = grip.current;
      if (!from || !event.buttons) return;
      const [right, down] = [from.x - event.clientX, from.y - event.clientY];
      if (!hasMoved.current && Math.hypot(right, down) < LEAST) return;
      if (!hasMoved.current) (event.currentTarget as Element).setPointerCapture(event.pointerId);
      hasMoved.current = true;
      set(moved(from.frame, size, [right, down]));
    },
    onPointerUp: () => void (grip.current = null),
    onPointerCancel: () => void (grip.current = null),
    /** The click that ends a drag chooses nothing. */
    onClickCapture(event: MouseEvent): void {
      if (hasMoved.current) event.stopPropagation();
      hasMoved.current = false;
    },
    onWheel(event: WheelEvent): void {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = (event.currentTarget as Element).getBoundingClientRect();
      const at: [number, number] = [
        event.clientX - box.left - size.width / 2,
        event.clientY - box.top - size.height / 2,
      ];
      set(zoomed(frame, size, event.deltaY < 0 ? 0.8 : 1.25, at));
    },
  };
}
