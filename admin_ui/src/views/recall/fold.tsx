// A line that opens to what is behind it, which is not on the page before.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type Given = { title: string; facts: string; children: ComponentChildren };

export function Fold({ title, facts, children }: Given) {
  const [isOpen, open] = useState(false);
  return (
    <details class="fold line-fold" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>
        <span>{title}</span> <span class="number quiet">{facts}</span>
      </summary>
      {isOpen && <div class="inside">{children}</div>}
    </details>
  );
}
