// Writes, recalls, questions and runs over time, as small charts of what was counted while the page was open.
import type { Loaded } from "../../app/load";
import { LineChart } from "../../parts/chart";
import { Empty, Trouble } from "../../parts/states";
import { type Reading, samples } from "./loads";
import { type Counter, rates } from "./metrics";
import { count } from "./numbers";

const CHARTS: [Counter, string, string][] = [
  ["writes", "Writes", "since the server started"],
  ["recalls", "Recalls", "since the server started"],
  ["queries", "Questions", "since the server started"],
  ["runs", "Runs", "on record"],
];

export function Activity({ numbers }: { numbers: Loaded<Reading> }) {
  return (
    <section class="panel" aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      {numbers.problem && <Trouble problem={numbers.problem} again={numbers.again} />}
      <div class="cards">
        {CHARTS.map(([counter, title, total]) => (
          <Chart key={counter} counter={counter} title={title} total={total} />
        ))}
      </div>
    </section>
  );
}

function Chart({ counter, title, total }: { counter: Counter; title: string; total: string }) {
  const points = rates(samples.value, counter);
  const sum = samples.value.at(-1)?.[counter];
  return (
    <section class="card">
      <h3>{title}</h3>
      <p class="quiet">
        {sum === undefined || sum === null ? "–" : count(sum)} {total}
      </p>
      {sum === null ? (
        <Empty>Only a key with the scope admin sees the runs.</Empty>
      ) : points.length > 1 ? (
        <LineChart points={points} label={`${title} a second`} unit="/s" />
      ) : (
        <Empty>Counting; the line begins in ten seconds.</Empty>
      )}
    </section>
  );
}
