// Writes, recalls, questions and runs over the last hour, as small charts of what the server counted each minute.
import type { Loaded } from "../../app/load";
import { LineChart } from "../../parts/chart";
import { count } from "../../parts/numbers";
import { Loading, Trouble } from "../../parts/states";
import type { Activity as Counted, Reading } from "./loads";

type Kind = "writes" | "recalls" | "queries" | "runs";

const CHARTS: readonly (readonly [kind: Kind, title: string])[] = [
  ["writes", "Writes"],
  ["recalls", "Recalls"],
  ["queries", "Questions"],
  ["runs", "Runs begun"],
];

export function Activity({ numbers }: { numbers: Loaded<Reading> }) {
  const points = numbers.value?.activity.points;
  return (
    <section class="panel" aria-labelledby="activity">
      <h2 id="activity">
        Activity <span class="quiet">calls a minute, in the last hour or since the server started</span>
      </h2>
      {numbers.problem && <Trouble problem={numbers.problem} again={numbers.again} />}
      {points ? (
        <div class="cards">
          {CHARTS.map(([kind, title]) => (
            <Chart key={kind} points={points} kind={kind} title={title} />
          ))}
        </div>
      ) : (
        !numbers.problem && <Loading />
      )}
    </section>
  );
}

function Chart({ points, kind, title }: { points: Counted["points"]; kind: Kind; title: string }) {
  const sum = points.reduce((total, each) => total + each[kind], 0);
  return (
    <section class="card">
      <h3>
        {title} <span class="quiet">{count(sum)}</span>
      </h3>
      <LineChart
        points={points.map((each) => ({ at: each.at, value: each[kind] }))}
        label={`${title} a minute`}
        unit="a minute"
      />
    </section>
  );
}
