// Which time of a series is shown: two days, held in the address of the page.
import { filter } from "../../app/router";
import { Field } from "../../parts/fields";

const DAY = 24 * 3_600_000;

/** The instants for the server; a day that is none asks for nothing. The last day is shown whole. */
export function asked(from: string | null, to: string | null): { start?: string; end?: string } {
  const [start, end] = [midnight(from), midnight(to)];
  return {
    ...(start === null ? {} : { start: new Date(start).toISOString() }),
    ...(end === null ? {} : { end: new Date(end + DAY).toISOString() }),
  };
}

function midnight(day: string | null): number | null {
  const at = day && /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00`).getTime() : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

export function Period({ from, to }: { from: string | null; to: string | null }) {
  return (
    <div class="filters">
      <Day label="From" value={from} onChange={(day) => filter({ from: day })} />
      <Day label="To, with this day" value={to} onChange={(day) => filter({ to: day })} />
      {(from || to) && (
        <button type="button" onClick={() => filter({ from: null, to: null })}>
          All of it
        </button>
      )}
    </div>
  );
}

function Day({ label, value, onChange }: { label: string; value: string | null; onChange: (day: string) => void }) {
  return (
    <Field label={label}>
      <input type="date" value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value)} />
    </Field>
  );
}
