// Rows under named columns, and the way to the rows after them.
import type { ComponentChildren } from "preact";

type Props = { label: string; heads: readonly ComponentChildren[]; rows: readonly (readonly ComponentChildren[])[] };

/** The label names the table for those who do not see it. A wide table scrolls in itself, never the page. */
export function Table({ label, heads, rows }: Props) {
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th key={at} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, at) => (
            <tr key={at}>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Nothing where there is no more. */
export function More({ has, busy, load }: { has: boolean; busy: boolean; load: () => void }) {
  if (!has) return null;
  return (
    <p class="more">
      <button type="button" onClick={load} disabled={busy} aria-busy={busy}>
        {busy ? "Loading…" : "Load more"}
      </button>
    </p>
  );
}
