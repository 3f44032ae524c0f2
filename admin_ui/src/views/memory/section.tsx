// A part of the page under its heading, which folds: closed at first where it is large, and not on the page while it is.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../../parts/numbers";

type Given = { title: string; size?: number; isOpen?: boolean; children: ComponentChildren };

/** `size`: how many things are in it, said beside the title. */
export function Section({ title, size, isOpen = true, children }: Given) {
  const [isShown, show] = useState(isOpen);
  return (
    <details class="panel fold" open={isOpen} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>
        <h2>{title}</h2> {size !== undefined && <span class="quiet">{count(size)}</span>}
      </summary>
      {isShown && <div class="inside">{children}</div>}
    </details>
  );
}

/** What is said of a part in a line, above all that nothing is in it. */
export function Note({ children }: { children: ComponentChildren }) {
  return <p class="quiet">{children}</p>;
}

/** The way to the rest of a list of which a part is shown. */
export function Rest({ of, left, show }: { of: string; left: number; show: () => void }) {
  if (left <= 0) return null;
  return (
    <p class="more">
      <button type="button" onClick={show}>
        Show more {of} ({count(left)} left)
      </button>
    </p>
  );
}
