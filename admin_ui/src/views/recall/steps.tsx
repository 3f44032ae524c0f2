// How long each step of a recall took on the server.
import { Bar } from "../../parts/bars";
import { Table } from "../../parts/table";
import { duration } from "../../parts/time";
import type { Trace } from "./trace";
import { MEANS, STEPS } from "./words";

export function Steps({ stages }: { stages: Trace["stages"] }) {
  const longest = Math.max(...stages.map((each) => each.ms), 0);
  return (
    <section class="panel" aria-labelledby="steps">
      <h2 id="steps">
        Steps <span class="quiet">{fine(tookOf(stages))} in all</span>
      </h2>
      <Table
        label="Steps"
        heads={["Step", "Took"]}
        rows={stages.map((each) => [
          <>
            {each.name}
            <small class="quiet">
              {STEPS[each.name] ?? (MEANS[each.name] ? `finds what ${MEANS[each.name]}` : "")}
              {each.status !== "succeeded" && ` (${each.status})`}
            </small>
          </>,
          <Bar value={each.ms} max={longest} label={fine(each.ms)} />,
        ])}
      />
    </section>
  );
}

/** A step is often shorter than a millisecond. */
export function fine(ms: number): string {
  if (ms >= 10) return duration(ms);
  return ms < 0.1 ? "<0.1 ms" : `${ms.toFixed(1)} ms`;
}

/** Milliseconds of all steps: they run one after the other. */
export const tookOf = (stages: Trace["stages"]): number => stages.reduce((sum, each) => sum + each.ms, 0);
