// The runs that derived what is known of a memory, newest first, with what each stage did and produced.
import { useState } from "preact/hooks";
import { Bar } from "../../parts/bars";
import { Tree } from "../../parts/json";
import { RunLink } from "../../parts/link";
import { RunStrip, Status } from "../../parts/status";
import { Table } from "../../parts/table";
import { duration, Time, Took } from "../../parts/time";
import { micros } from "../run/scale";
import type { Run } from "../runs/operations";
import { inLine } from "./inline";
import { Note, Rest, Section } from "./section";

const PAGE = 5;
const HEADS = ["Stage", "Status", "Took", "Produced"];
type Stage = Run["stages"][number];

export function Runs({ runs }: { runs: readonly Run[] }) {
  const [shown, show] = useState(PAGE);
  return (
    <Section title="Runs that derived it" size={runs.length}>
      {!runs.length && <Note>No run of it is on record any more.</Note>}
      {runs.slice(0, shown).map((run, at) => (
        <One key={run.run_id} run={run} isOpen={at === 0} />
      ))}
      <Rest of="runs" left={runs.length - shown} show={() => show(shown + PAGE * 4)} />
    </Section>
  );
}

function One({ run, isOpen }: { run: Run; isOpen: boolean }) {
  const [isShown, show] = useState(isOpen);
  return (
    <div class="one-run">
      <div class="head">
        <h3>
          <RunLink id={run.run_id} />
        </h3>
        <Status of={run.state} />
        <RunStrip run={run} />
        <span class="quiet">
          <Time at={run.created_at} />, took <Took from={run.created_at} to={run.finished_at} />
        </span>
        <button type="button" class="plain" aria-expanded={isShown} onClick={() => show(!isShown)}>
          {isShown ? "hide its stages" : "show its stages"}
        </button>
      </div>
      {run.error && <p class="said bad">{run.error}</p>}
      {isShown && <Stages run={run} />}
    </div>
  );
}

function Stages({ run }: { run: Run }) {
  const longest = Math.max(...run.stages.map(took));
  const isFailed = run.stages.some((stage) => stage.error);
  const rows = run.stages.map((stage) => [
    <>
      <strong>{stage.name}</strong>
      <div class="quiet does-so">{stage.does}</div>
    </>,
    <Status of={stage.status} />,
    stage.finished_at ? <Bar value={took(stage)} max={longest} label={duration(took(stage))} /> : "–",
    <Output of={stage.output} />,
    ...(isFailed ? [stage.error ? <span class="said bad">{stage.error}</span> : "–"] : []),
  ]);
  return <Table label={`Stages of ${run.run_id}`} heads={isFailed ? [...HEADS, "Error"] : HEADS} rows={rows} />;
}

/** Milliseconds. */
function took({ started_at: from, finished_at: to }: Stage): number {
  return from && to ? (micros(to) - micros(from)) / 1000 : 0;
}

/** What is plain of it in a line; all of it as a tree when that is asked for. */
function Output({ of }: { of: Stage["output"] }) {
  const [isWhole, whole] = useState(false);
  if (!of || !Object.keys(of).length) return <>–</>;
  if (isWhole) return <Tree value={of} />;
  const { words, isAll } = inLine(of);
  return (
    <>
      <span class="said">{words}</span>{" "}
      {!isAll && (
        <button type="button" class="plain" onClick={() => whole(true)}>
          all it produced
        </button>
      )}
    </>
  );
}
