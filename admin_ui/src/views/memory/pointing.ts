// What the reader points at, in the text or in the lists beside it: both show it, and each leads to the other.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const NOTHING: readonly string[] = [];

/** The ids of the statements and entities pointed at. */
export const lit = signal<readonly string[]>(NOTHING);
/** The one that is to be brought into view, and where. */
export const sought = signal<{ id: string; where: "text" | "list" } | null>(null);

/** The handlers of something that stands for these ids: pointing at it or having the focus in it lights them. */
export function pointing(ids: readonly string[]) {
  const on = () => void (lit.value = ids);
  const off = () => void (lit.value = NOTHING);
  return { onMouseEnter: on, onMouseLeave: off, onFocusIn: on, onFocusOut: off };
}

/** Brings what is sought in a list into view, after `reveal` was called with its place in the list as long as that is not shown. */
export function useSought(ids: readonly string[], shown: number, reveal: (at: number) => void): void {
  const wanted = sought.value?.where === "list" ? sought.value.id : null;
  useEffect(() => {
    const at = wanted === null ? -1 : ids.indexOf(wanted);
    if (wanted === null || at < 0) return;
    if (at >= shown) return reveal(at);
    sought.value = null;
    bring(document.getElementById(wanted));
  }, [wanted, shown]);
}

/** Scrolls to an element and gives it the focus. */
export function bring(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "center" });
  element?.focus({ preventScroll: true });
}
