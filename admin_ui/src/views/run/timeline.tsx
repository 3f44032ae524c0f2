// The stages of a run over its time: bars to scale, with idle time cut short.
import { useState } from "preact/hooks";
import { duration } from "../../parts/time";
import type { Run } from "../runs/operations";
import { type Bar, type Drawn, drawn, type Kind } from "./drawn";
import type { Piece } from "./scale";

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;
const took = (micros: number): string => duration(micros / 1000);

/** Pixels: a bar at the very end stays in sight. */
const LEAST: Partial<Record<Kind, number>> = { skipped: 14, never: 0 };

const SAYINGS: Record<Kind, string> = {
  succeeded: "succeeded",
  failed: "failed",
  advisory: "failed, the run did not need it",
  started: "going on",
  skipped: "skipped",
  never: "not reached",
};

/** With the switch for idle time, where there is some that is cut short. */
export function Timeline({ run }: { run: Run }) {
  const [isWhole, show] = useState(false);
  const now = Date.now() * 1000;
  const hasCuts = drawn(run, now).laid.some((piece) => piece.isCut);
  return (
    <>
      <Lanes of={drawn(run, now, isWhole)} />
      {hasCuts && (
        <label class="check quiet">
          <input type="checkbox" checked={isWhole} onChange={(event) => show(event.currentTarget.checked)} /> Idle time
          as long as it was
        </label>
      )}
    </>
  );
}

function Lanes({ of: { whole, laid, bars } }: { of: Drawn }) {
  const cuts = laid.filter((piece) => piece.isCut);
  const said = bars.map((bar) => `${bar.name} ${saying(bar)}`).join("; ");
  return (
    <div class="timeline" role="img" aria-label={`Timeline: ${said}`}>
      {bars.map((bar) => (
        <div class="lane" key={bar.name} onClick={() => pointTo(bar.name)}>
          <span class="lane-name">{bar.name}</span>
          <span class="lane-time">
            {cuts.map((cut) => (
              <Cut key={cut.from} cut={cut} />
            ))}
            <span
              class={`span ${bar.kind}`}
              style={{ left: `min(${percent(bar.left)}, 100% - ${LEAST[bar.kind] ?? 4}px)`, width: percent(bar.width) }}
              title={`${bar.name}: ${saying(bar)}`}
            />
          </span>
        </div>
      ))}
      <div class="lane axis">
        <span class="lane-name" />
        <span class="lane-time">
          {!laid[0]?.isCut && <span class="tick">0</span>}
          {cuts.map((cut) => (
            <span
              class="tick cut"
              key={cut.from}
              style={{ left: percent(cut.left + cut.width / 2) }}
              title={`${took(cut.to - cut.from)} without a stage`}
            >
              {isAtEnd(cut) ? "" : cuts.length > MOST_CUTS ? "//" : took(cut.to - cut.from)}
            </span>
          ))}
          <span class="tick last">{took(whole.to - whole.from)}</span>
        </span>
      </div>
    </div>
  );
}

const MOST_CUTS = 3; // with their length on the axis
const EDGE = 0.07; // of the axis, where its two ends are written

/** Whether its length would be written over what stands at an end of the axis. */
function isAtEnd(cut: Piece): boolean {
  const middle = cut.left + cut.width / 2;
  return middle > 1 - EDGE || (middle < EDGE && cut.left > 0);
}

/** Shows the row of a stage in the table, which the keyboard reaches by itself. */
function pointTo(stage: string): void {
  const row = document.getElementById(`stage-${stage}`);
  row?.scrollIntoView({ block: "center" });
  row?.querySelector<HTMLElement>("summary")?.focus();
}

const saying = (bar: Bar): string => SAYINGS[bar.kind] + (bar.took === null ? "" : `, ${took(bar.took)}`);

function Cut({ cut }: { cut: Piece }) {
  return (
    <span
      class="cut"
      style={{ left: percent(cut.left), width: percent(cut.width) }}
      title={`${took(cut.to - cut.from)} without a stage`}
    />
  );
}

/** What the looks of the bars mean. */
export function Legend({ kinds }: { kinds: readonly Kind[] }) {
  return (
    <p class="legend" aria-hidden="true">
      {kinds.map((kind) => (
        <span key={kind}>
          <span class={`span ${kind}`} /> {SAYINGS[kind]}
        </span>
      ))}
      <span>
        <span class="span hatched" /> idle time cut short
      </span>
    </p>
  );
}
