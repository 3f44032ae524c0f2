// The shortest way to a stage that failed: which runs it was last, and which stages since the server started.
import { useLoaded } from "../../app/load";
import { href, params } from "../../app/router";
import { RunLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { Empty, Loading, Trouble } from "../../parts/states";
import { RunStrip, Status } from "../../parts/status";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { failedRuns, OPERATIONS, type Run } from "./loads";
import { type FailedStage, failedStages, type Series } from "./metrics";

export function Failures({ tick, series }: { tick: number; series: Series[] }) {
  const dataset = params.value.get("dataset");
  const { value, problem, again } = useLoaded((asking) => failedRuns(dataset, asking), [tick, dataset]);
  return (
    <section class="panel" aria-labelledby="failures">
      <h2 id="failures">Failed stages</h2>
      <p class="links">
        {OPERATIONS.map((operation) => (
          <a key={operation} href={href("/runs", { operation, dataset, stage_status: "failed" })}>
            {operation} runs with a failed stage
          </a>
        ))}
      </p>
      {problem ? <Trouble problem={problem} again={again} /> : value ? <Runs runs={value} /> : <Loading />}
      <Stages stages={failedStages(series)} />
    </section>
  );
}

function Runs({ runs }: { runs: Run[] }) {
  if (!runs.length) return <Empty>No run on record has a failed stage.</Empty>;
  const rows = runs.map((run) => [
    <RunLink id={run.run_id} />,
    run.operation,
    <Status of={run.state} />,
    <RunStrip run={run} />,
    <FailedNames run={run} />,
    <Time at={run.created_at} />,
  ]);
  return (
    <Table
      label="Newest runs with a failed stage"
      heads={["Run", "Operation", "State", "Stages", "What failed", "Began"]}
      rows={rows}
    />
  );
}

function FailedNames({ run }: { run: Run }) {
  const failed = run.stages.filter((each) => each.status === "failed");
  return (
    <>
      {failed.map(({ name, error }) => (
        <span key={name} class="said cut" title={error ?? ""}>
          {name} <span class="quiet">{error}</span>
        </span>
      ))}
    </>
  );
}

function Stages({ stages }: { stages: FailedStage[] }) {
  if (!stages.length) return null;
  return (
    <p class="links">
      Since the server started:{" "}
      {stages.map((each) => (
        <StageCount key={each.operation + each.stage} {...each} />
      ))}
    </p>
  );
}

// What derives a memory is logged with what encoded it; recalls are in no log.
const LOGS: Record<string, string> = { encode: "encode", derive: "encode", remember: "remember", query: "query" };

function StageCount({ operation, stage, times }: FailedStage) {
  const words = `${operation} ${stage} failed ${count(times)} ${times === 1 ? "time" : "times"}`;
  const log = LOGS[operation];
  return log ? (
    <a href={href("/runs", { operation: log, stage, stage_status: "failed" })}>{words}</a>
  ) : (
    <span>{words}</span>
  );
}
