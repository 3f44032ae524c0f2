// What the cue was understood to say, and what the filters left of the dataset.
import type { ComponentChildren } from "preact";
import { Bar } from "../../parts/bars";
import { Facts } from "../../parts/fields";
import { count } from "../../parts/numbers";
import { Time } from "../../parts/time";
import type { CueTime, Trace } from "./trace";

export function Understood({ trace: { cue, time } }: { trace: Trace }) {
  const terms = cue.terms.map((each, at) => (
    <bdi key={at} class="chip">
      {each}
    </bdi>
  ));
  return (
    <section class="panel" aria-labelledby="understood">
      <h2 id="understood">The cue as it was read</h2>
      <Facts
        pairs={[
          ["Words looked for", terms.length ? <span class="terms">{terms}</span> : "none"],
          ["Time", time ? <When time={time} /> : "names none"],
          ...(cue.first_person ? [["Person", "speaks of itself (I, my)"] as const] : []),
        ]}
      />
      {terms.length > 0 && <p class="quiet">Words are cut to their stems, as they are in the index.</p>}
    </section>
  );
}

function When({ time }: { time: CueTime }) {
  return (
    <>
      {time.phrase && (
        <p>
          <q>{time.phrase}</q>:{" "}
          {time.windows.map((each, at) => (
            <span key={at}>
              <Time at={each.start} /> – <Time at={each.end} />{" "}
            </span>
          ))}
          {!time.windows.length && "in every year. "}
          {time.relative ? "What lies in it comes before all else" : "The nearer to it, the higher"}:{" "}
          {count(time.inside)} {time.inside === 1 ? "memory" : "memories"} inside.
        </p>
      )}
      {time.unparsed && (
        <p>
          Not understood: <q>{time.unparsed}</q>
        </p>
      )}
    </>
  );
}

export function Dropped({ trace: { filters } }: { trace: Trace }) {
  const { considered, passed } = filters;
  const dropped = Object.entries(filters.dropped_by);
  const rows: [string, ComponentChildren][] = [
    [
      filters.as_of ? "In the dataset then" : "In the dataset",
      <Bar value={considered} max={considered} label={count(considered)} />,
    ],
    ...dropped.map(([name, size]): [string, ComponentChildren] => [
      `Dropped by ${name.replaceAll("_", " ")}`,
      <Bar value={size} max={considered} label={count(size)} />,
    ]),
    ["May be hits", <Bar value={passed} max={considered} label={count(passed)} />],
  ];
  return (
    <section class="panel" aria-labelledby="dropped">
      <h2 id="dropped">What the filters left</h2>
      <Facts pairs={rows} />
      <p class="quiet">
        {dropped.length
          ? "Numbers of memories. Each filter is counted alone; one memory may be dropped by several."
          : "Numbers of memories. No filter was given."}
        {filters.as_of && (
          <>
            {" "}
            As of <Time at={filters.as_of} />.
          </>
        )}
      </p>
    </section>
  );
}
