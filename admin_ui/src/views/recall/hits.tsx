// The hits in their order, a part of them at a time.
import { useState } from "preact/hooks";
import { Facts } from "../../parts/fields";
import { Empty } from "../../parts/states";
import { Rest } from "../memory/section";
import { type How, OneHit } from "./hit";
import { AROUND, type Hit, slotOf, type Trace } from "./trace";
import { MEANS, NAMES } from "./words";

const SHOWN = 20;

type Given = { hits: readonly Hit[]; trace: Trace; cited: ReadonlyMap<string, number[]> };

/** `cited`: the numbers an answer cites a memory by, by what its id keeps. */
export function Hits({ hits, trace, cited }: Given) {
  const [shown, show] = useState(SHOWN);
  const measured = new Map(trace.fusion.candidates.map((each) => [slotOf(each.memory_id), each]));
  const how: How = {
    lanes: trace.lanes,
    weights: trace.fusion.weights,
    top: Math.max(...hits.map((hit) => hit.score), 0),
  };
  if (!hits.length) return <Nothing trace={trace} />;
  return (
    <>
      <Legend names={namesIn(trace)} />
      <ol class="hits">
        {hits.slice(0, shown).map((hit, at) => {
          const slot = slotOf(hit.memory_id);
          return (
            <OneHit
              key={slot}
              hit={hit}
              at={at + 1}
              how={how}
              measured={measured.get(slot) ?? null}
              citedAs={cited.get(slot) ?? []}
            />
          );
        })}
      </ol>
      <Rest of="hits" left={hits.length - shown} show={() => show(shown + SHOWN * 5)} />
    </>
  );
}

/** The lanes, then what else is measured. */
function namesIn({ lanes, fusion }: Trace): string[] {
  const measured = fusion.candidates.flatMap((each) => Object.keys(each.measures)).slice(0, 20);
  return [...new Set([...Object.keys(lanes), ...measured, AROUND])];
}

function Legend({ names }: { names: readonly string[] }) {
  return (
    <details class="fold what-is">
      <summary class="quiet">What the lanes and measures are</summary>
      <Facts pairs={names.map((name) => [NAMES[name] ?? name, MEANS[name] ?? "–"] as const)} />
      <p class="quiet">
        A lane brings candidates up, with a rank and a score of its own; the bar is the share of the lane's best. What
        each measure adds, its weight times its value, makes the score that the hits are ordered by.
      </p>
    </details>
  );
}

/** Every live memory has a vector, so nothing is found only where nothing may be. */
function Nothing({ trace: { filters } }: { trace: Trace }) {
  if (filters.considered)
    return <Empty>None of the {filters.considered} memories of the dataset passes the filters.</Empty>;
  return <Empty>{filters.as_of ? "The dataset held no memory at that time." : "The dataset holds no memory."}</Empty>;
}
