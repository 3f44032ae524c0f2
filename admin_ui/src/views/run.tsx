// One run: what was asked, how each stage went over time, what it produced and cost, and what can be done about it.
import { useRef, useState } from "preact/hooks";
import { get, Problem } from "../api/client";
import { useLoaded } from "../app/load";
import { href, params } from "../app/router";
import { JsonLink } from "../parts/link";
import { Loading, Trouble } from "../parts/states";
import { Status } from "../parts/status";
import { Actions } from "./run/actions";
import { Calls } from "./run/calls";
import { type Kind, kindOf } from "./run/drawn";
import { Parameters, RunFacts } from "./run/facts";
import { type Neighbours, neighbours } from "./run/neighbours";
import { Outputs } from "./run/outputs";
import { StageTable } from "./run/stages";
import { Legend, Timeline } from "./run/timeline";
import { carried, type Filters, parse } from "./runs/filters";
import { useLive } from "./runs/live";
import { isAlive, type Log, logOf, type Run } from "./runs/operations";
import { Flags } from "./runs/rows";

export default function RunView({ id }: { id: string }) {
  const log = logOf(id);
  if (!log) return <Missing id={id} problem={new Problem(404, "not_found", "This is no id of a run.")} />;
  const search = new URLSearchParams(params.value);
  search.set("operation", log.operation);
  return <One key={id} id={id} log={log} filters={parse(search)} />;
}

type Given = { id: string; log: Log; filters: Filters };

function One({ id, log, filters }: Given) {
  const path = `${log.path}/${id}`;
  const { value, problem, again } = useLoaded((signal) => get<Run>(path, { outputs: false }, signal), [path]);
  const [stage, look] = useState<string | null>(null);
  const last = useRef<Run | null>(null);
  last.current = value ?? last.current;
  const run = last.current;
  if (!run) return problem ? <Missing id={id} problem={problem} again={again} /> : <Loading />;
  return (
    <article class="run">
      <Head run={run} log={log} filters={filters} again={again} />
      {problem && <Stale problem={problem} again={again} />}
      {isAlive(run) && problem?.status !== 404 && <Following run={run} again={again} />}
      {run.error && <p class="trouble said">{run.error}</p>}
      <section class="panel" aria-label="Facts">
        <RunFacts run={run} />
      </section>
      <section class="panel">
        <h2>Timeline</h2>
        <Timeline run={run} />
        <Legend kinds={kindsOf(run)} />
      </section>
      <section class="panel">
        <h2>Stages</h2>
        <StageTable run={run} onCalls={look} />
        {run.calls > 1 && (
          <button type="button" onClick={() => look("")}>
            All {run.calls.toLocaleString()} model calls
          </button>
        )}
      </section>
      <Parameters run={run} />
      {log.isDurable && <Outputs path={path} isHidden={run.is_hidden} />}
      {stage !== null && <Calls path={path} stage={stage} onClose={() => look(null)} />}
    </article>
  );
}

function Missing({ id, problem, again }: { id: string; problem: Problem; again?: () => void }) {
  return (
    <>
      <h1>
        Run <code class="id said">{id}</code>
      </h1>
      <Trouble problem={problem} again={again} />
    </>
  );
}

/** The run could be read before: what it was then stays on the page. */
function Stale({ problem, again }: { problem: Problem; again: () => void }) {
  return (
    <>
      <Trouble problem={problem} again={again} />
      <p class="warn">
        {problem.status === 404 ? "The run is gone. This is how it was last seen." : "This is how it was last seen."}
      </p>
    </>
  );
}

const kindsOf = (run: Run): Kind[] => [...new Set(run.stages.map((stage) => kindOf(stage, run)))];

function Head({ run, log, filters, again }: { run: Run; log: Log; filters: Filters; again: () => void }) {
  return (
    <header class="head">
      <h1>
        {log.name} run <code class="id">{run.run_id}</code>
      </h1>
      <Status of={run.state} />
      <Flags run={run} />
      <div class="actions">
        <Actions run={run} log={log} onDone={again} />
        <JsonLink to={`${log.path}/${run.run_id}`} />
        <Beside run={run} filters={filters} />
      </div>
    </header>
  );
}

/** The ways to the runs beside this one in the list that the reader came from, and back to it. */
function Beside({ run, filters }: { run: Run; filters: Filters }) {
  const { value } = useLoaded((signal) => neighbours(run, filters, signal), [run.run_id]);
  const query = carried(filters);
  return (
    <nav class="beside" aria-label="Other runs">
      <Way to={value?.newer} query={query} rel="prev">
        ← Newer
      </Way>
      <Way to={value?.older} query={query} rel="next">
        Older →
      </Way>
      <a href={href("/runs", query)}>All runs</a>
    </nav>
  );
}

type WayGiven = {
  to: Neighbours["newer"] | undefined;
  query: Record<string, string | null>;
  rel: string;
  children: string;
};

function Way({ to, query, rel, children }: WayGiven) {
  if (!to) return <span class="quiet">{children}</span>;
  return (
    <a href={href(`/runs/${to}`, query)} rel={rel}>
      {children}
    </a>
  );
}

/** Keeps a run that goes on as it is now. */
function Following({ run, again }: { run: Run; again: () => void }) {
  const live = useLive({
    operation: run.operation,
    dataset: run.dataset,
    isOurs: (event) => event.data["run"] === run.run_id,
    isAlive: true,
    refresh: async () => again(),
  });
  return (
    <p class="live" data-state={live.state}>
      <span role="status">{live.isPaused ? "Paused" : "Goes on: shown as it happens"}</span>
      <button type="button" onClick={live.toggle}>
        {live.isPaused ? "Go on" : "Pause"}
      </button>
    </p>
  );
}
