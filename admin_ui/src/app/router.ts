// Where the reader is: the path under /admin and the filters in the query string. An address is the whole state of a view.
import { computed, signal } from "@preact/signals";

export const BASE = "/admin";

const here = signal(location.pathname + location.search);

export const path = computed(
  () => new URL(here.value, location.origin).pathname.slice(BASE.length).replace(/\/+$/, "") || "/",
);
export const params = computed(() => new URL(here.value, location.origin).searchParams);

/** The filters that were changed last, if nothing else has moved the reader since. */
let edited = "";

addEventListener("popstate", () => {
  edited = "";
  here.value = location.pathname + location.search;
});

/** The address of a view. */
export function href(to: string, query: Record<string, string | null | undefined> = {}): string {
  const given = Object.entries(query).filter((each): each is [string, string] => Boolean(each[1]));
  const text = new URLSearchParams(given).toString();
  return BASE + (to === "/" ? "" : to) + (text ? `?${text}` : "");
}

export function go(address: string, replace = false): void {
  edited = "";
  history[replace ? "replaceState" : "pushState"](null, "", address);
  const isElsewhere = new URL(address, location.origin).pathname !== new URL(here.value, location.origin).pathname;
  here.value = location.pathname + location.search;
  if (isElsewhere) scrollTo(0, 0);
}

/** Changes filters of the view that is open; null takes one away. Further changes of the same filters are one step back. */
export function filter(changes: Record<string, string | null>): void {
  const names = Object.keys(changes).sort().join(" ");
  const isSame = edited === names;
  const next = new URLSearchParams(params.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const text = next.toString();
  go(BASE + (path.value === "/" ? "" : path.value) + (text ? `?${text}` : ""), isSame);
  edited = names;
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
