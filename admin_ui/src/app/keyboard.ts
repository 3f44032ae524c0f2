// The keys that work everywhere: through the rows of a list, into the search, to the help.

type Key = readonly [names: string, does: string];

/** What the keys do and where, for the help. Names that do the same stand beside each other. */
export const KEYS: readonly (readonly [where: string, keys: readonly Key[]])[] = [
  [
    "Everywhere",
    [
      ["?", "these keys"],
      ["/", "into the search or the question"],
      ["Esc", "close a window or the menu, or leave a field"],
      ["Tab", "to the next control; the first one skips to the content"],
    ],
  ],
  [
    "Lists",
    [
      ["j", "next row"],
      ["k", "row before"],
      ["Enter", "open the row"],
    ],
  ],
  [
    "Map, once it has the focus",
    [
      ["← ↑ ↓ →", "move it"],
      ["+ -", "closer, farther"],
      ["0", "all places"],
      ["Enter", "on a spot: choose it, or look into a cluster"],
    ],
  ],
  [
    "Charts, once one has the focus",
    [
      ["← →", "read the point before, the next one"],
      ["PageUp PageDown", "ten points on"],
      ["Home End", "the first point, the last one"],
    ],
  ],
];

const ROWS = "main tbody tr, main [data-row]";
const WAYS = "a[href], button, [tabindex='0']";

/** Listens until the returned function is called. */
export function listenToKeys(help: () => void): () => void {
  function on(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    if (act(event.key, help)) event.preventDefault();
  }
  addEventListener("keydown", on);
  return () => removeEventListener("keydown", on);
}

function act(key: string, help: () => void): boolean {
  if (key === "?") help();
  else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "/") return focusSearch();
  else return false;
  return true;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Moves the focus to the first way out of the next row: Enter is then the browser's own. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter(
    (row) => row.getClientRects().length && row.querySelector(WAYS),
  );
  const now = rows.findIndex((row) => row.contains(document.activeElement));
  const next = now < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + by));
  const row = rows[next];
  row?.querySelector<HTMLElement>(WAYS)?.focus();
  row?.scrollIntoView({ block: "nearest" });
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>(
    "main input[type=search], main textarea, main input[type=text]",
  );
  field?.focus();
  field?.select();
  return field !== null;
}
