// The runs that read a document, newest first: the one that its texts are of, and those before or still at it.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { Bar } from "../../parts/bars";
import { RunLink } from "../../parts/link";
import { Empty, Loading, Trouble } from "../../parts/states";
import { RunStrip, Status } from "../../parts/status";
import { Table } from "../../parts/table";
import { Time, Took } from "../../parts/time";

type Run = Schema<"RunReply">;
const SHOWN = 20;

export function DocumentRuns({ id, dataset, current }: { id: string; dataset: string; current: string | null }) {
  const { value, problem, again } = useLoaded(
    (asking) => get<Page<Run>>("/v1/admin/api/remember-runs", { dataset, document_id: id, limit: SHOWN }, asking),
    [id, dataset],
  );
  return (
    <section class="panel" aria-labelledby="runs">
      <h2 id="runs">Versions</h2>
      <p class="quiet">Each run read the document as it was then; the newest that got so far gives it its texts.</p>
      <p class="links">
        <a href={href("/runs", { operation: "remember", dataset, document_id: id })}>all of them in the run log</a>
      </p>
      {problem ? (
        <Trouble problem={problem} again={again} />
      ) : value ? (
        <List runs={value.data} current={current} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

function List({ runs, current }: { runs: Run[]; current: string | null }) {
  if (!runs.length) return <Empty>No run of this document is on record any more.</Empty>;
  const rows = runs.map((run) => [
    <>
      <RunLink id={run.run_id} /> {run.run_id === current && <strong>current</strong>}
    </>,
    <Status of={run.state} />,
    <RunStrip run={run} />,
    <Progress run={run} />,
    <Time at={run.created_at} />,
    <Took from={run.created_at} to={run.finished_at} />,
  ]);
  return (
    <Table
      label="Versions of the document"
      heads={["Run", "State", "Stages", "In the graph", "Began", "Took"]}
      rows={rows}
    />
  );
}

function Progress({ run }: { run: Run }) {
  const [all, stored] = [run.progress?.["chunks"] ?? 0, run.progress?.["stored"] ?? 0];
  return all ? <Bar value={stored} max={all} label={`${stored} of ${all} chunks`} /> : <>–</>;
}
