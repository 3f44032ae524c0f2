// How large a box is on the page, now and when it changes.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The box to give the ref to, and its width in pixels; `at` before it is known. */
export function useWidth<T extends Element>(at: number): [{ current: T | null }, number] {
  const box = useRef<T>(null);
  const [width, set] = useState(at);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const measure = (): void => set((before) => Math.round(element.getBoundingClientRect().width) || before);
    measure();
    const watching = new ResizeObserver(measure);
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
  return [box, width];
}
