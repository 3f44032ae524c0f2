// What a run is about and what came of it.
import type { ComponentChildren } from "preact";
import { href } from "../../app/router";
import { Facts } from "../../parts/fields";
import { Tree } from "../../parts/json";
import { MemoryLink } from "../../parts/link";
import { duration, Time } from "../../parts/time";
import type { Run } from "../runs/operations";
import { micros } from "./scale";
import { spent } from "./spent";

type Pair = readonly [string, ComponentChildren];

export function RunFacts({ run }: { run: Run }) {
  const pairs: (Pair | null)[] = [
    ...about(run),
    ["Dataset", <span class="said">{run.dataset}</span>],
    run.session === null ? null : ["Session", <span class="said">{run.session}</span>],
    ["Asked", <Time at={run.created_at} />],
    ["Began", run.started_at ? <Began run={run} at={run.started_at} /> : "not yet"],
    ["Took", run.started_at && run.finished_at ? between(run.started_at, run.finished_at) : "not finished"],
    run.attempts > 1 ? ["Attempts", run.attempts] : null,
    run.next_attempt_at ? ["Next attempt", <Time at={run.next_attempt_at} />] : null,
    run.user === null ? null : ["Asked with key", <code class="id">{run.user}</code>],
    ["Model calls", run.calls ? spent(run) : "none"],
    run.is_hidden ? ["Left out", "what it said, since a memory that it rests on is forgotten"] : null,
  ];
  return <Facts pairs={pairs.filter((pair) => pair !== null)} />;
}

const between = (from: string, to: string): string => duration((micros(to) - micros(from)) / 1000);

function Began({ run, at }: { run: Run; at: string }) {
  return (
    <>
      <Time at={at} /> <span class="quiet">after waiting {between(run.created_at, at)}</span>
    </>
  );
}

function about(run: Run): Pair[] {
  if (run.operation === "query") return asked(run);
  const pairs: Pair[] = [];
  if (run.memory_id) pairs.push(["Memory", <MemoryLink id={run.memory_id} />]);
  if (run.document_id) pairs.push(["Document", <DocumentLink run={run} id={run.document_id} />]);
  const { chunks, read, stored } = run.progress ?? {};
  if (chunks) pairs.push(["Chunks", `${chunks}, ${read ?? 0} read, ${stored ?? 0} stored`]);
  return pairs;
}

function asked(run: Run): Pair[] {
  return [
    ["Question", <span class="said">{run.question}</span>],
    ["Answer", run.answer === null ? "none" : <span class="said">{run.answer}</span>],
    ["Answered by", run.answered_by ?? "–"],
  ];
}

function DocumentLink({ run, id }: { run: Run; id: string }) {
  return (
    <a href={href(`/documents/${encodeURIComponent(id)}`, { dataset: run.dataset })}>
      {run.title && <span class="said">{run.title} </span>}
      <code class="id">{id}</code>
    </a>
  );
}

/** What the run was asked for; nothing where it takes no parameters. */
export function Parameters({ run }: { run: Run }) {
  if (!Object.keys(run.parameters).length) return null;
  return (
    <section class="panel">
      <h2>Parameters</h2>
      <Tree value={run.parameters} />
    </section>
  );
}
