// Where the reader is: the path under /admin and the filters in the query string. An address is the whole state of a view.
import { computed, signal } from "@preact/signals";

export const BASE = "/admin";

const here = signal(location.pathname + location.search);

export const path = computed(
  () => new URL(here.value, location.origin).pathname.slice(BASE.length).replace(/\/+$/, "") || "/",
);
export const params = computed(() => new URL(here.value, location.origin).searchParams);

addEventListener("popstate", () => (here.value = location.pathname + location.search));

/** The address of a view. */
export function href(to: string, query: Record<string, string | null | undefined> = {}): string {
  const given = Object.entries(query).filter((each): each is [string, string] => Boolean(each[1]));
  const text = new URLSearchParams(given).toString();
  return BASE + (to === "/" ? "" : to) + (text ? `?${text}` : "");
}

export function go(address: string, replace = false): void {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  here.value = location.pathname + location.search;
  if (!replace) scrollTo(0, 0);
}

/** Changes filters of the view that is open; null takes one away. */
export function filter(changes: Record<string, string | null>): void {
  const next = new URLSearchParams(params.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const text = next.toString();
  go(BASE + (path.value === "/" ? "" : path.value) + (text ? `?${text}` : ""), true);
}

/** Follows links inside the UI without loading the page anew. Call it once. */
export function followLinks(root: HTMLElement): void {
  root.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = (event.target as Element).closest("a");
    if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith(BASE)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
