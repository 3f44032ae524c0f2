// The drawing of statements over time. How a bar looks says how the statement stands, by its form as well as its colour.
import { useMemo, useState } from "preact/hooks";
import { Status } from "../../parts/status";
import { type Bar, type Look, type Row, type Statement, timeline } from "./timelines";

const SHOWN = 40; // rows at first
const LOOKS: readonly (readonly [look: Look, words: string])[] = [
  ["current", "holds"],
  ["contradicted", "holds, contradicted by another"],
  ["superseded", "replaced by another"],
  ["ended", "ended"],
  ["future", "to come"],
];

export function Timeline({ of }: { of: readonly Statement[] }) {
  const [most, show] = useState(SHOWN);
  const drawn = useMemo(() => timeline(of, Date.now()), [of]);
  return (
    <figure class="ages">
      <div role="img" aria-label={`${of.length} statements over time; the table below has the same`}>
        {drawn.rows.slice(0, most).map((row) => (
          <Age key={row.statement.statement_id} row={row} now={drawn.now} />
        ))}
        <div class="age axis">
          <span />
          <div class="age-time">
            {drawn.ticks.map(({ left, words }) => (
              <span key={left} class="age-tick" style={{ left: `${left}%` }}>
                {words}
              </span>
            ))}
          </div>
        </div>
      </div>
      {of.length > most && (
        <button type="button" class="plain" onClick={() => show(Infinity)}>
          draw all {of.length}
        </button>
      )}
      <Legend rows={drawn.rows} />
    </figure>
  );
}

function Age({ row, now }: { row: Row; now: number }) {
  const { statement, bars } = row;
  return (
    <div class="age" title={statement.text}>
      <span class="age-name">
        <bdi class="said">{statement.text}</bdi> <Status of={statement.status} />
      </span>
      <div class="age-time">
        {bars.map((each, at) => (
          <Piece key={at} bar={each} />
        ))}
        <span class="age-now" style={{ left: `${now}%` }} />
      </div>
    </div>
  );
}

function Piece({ bar }: { bar: Bar }) {
  const open = `${bar.isOpenBefore ? " open-before" : ""}${bar.isOpenAfter ? " open-after" : ""}`;
  return <span class={`age-bar ${bar.look}${open}`} style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />;
}

/** Only what there is. */
function Legend({ rows }: { rows: readonly Row[] }) {
  const there = new Set(rows.flatMap((row) => row.bars.map((each) => each.look)));
  return (
    <figcaption class="legend">
      {LOOKS.filter(([look]) => there.has(look)).map(([look, words]) => (
        <span key={look}>
          <span class={`age-bar ${look}`} aria-hidden="true" /> {words}
        </span>
      ))}
      <span>
        <span class="age-now" aria-hidden="true" /> now
      </span>
    </figcaption>
  );
}
