// The list of runs: one row a run.
import { Component } from "preact";
import { href } from "../../app/router";
import { RunStrip, Status } from "../../parts/status";
import { Time, Took } from "../../parts/time";
import { money, tokensOf } from "../run/spent";
import { carried, type Filters } from "./filters";
import { type Run, words } from "./operations";

const NUMBERS = new Set(["Took", "Tokens", "Cost"]);

type Carried = Record<string, string | null>;

export function Rows({ filters, runs }: { filters: Filters; runs: readonly Run[] }) {
  const { operation, ...rest } = carried(filters);
  const query = { operation: operation === "encode" ? null : operation, ...rest } as Carried;
  const name = JSON.stringify(query);
  return (
    <div class="panel scroll" role="region" aria-label={`${filters.log.name} runs`} tabIndex={0}>
      <table class="runs">
        <caption class="unseen">{filters.log.name} runs, newest first</caption>
        <thead>
          <tr>
            {["Run", "Dataset", filters.log.about, "Asked", "Took", "State", "Stages", "Tokens", "Cost"].map((head) => (
              <th scope="col" key={head} class={NUMBERS.has(head) ? "number" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row key={run.run_id} run={run} query={query} name={name} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Drawn again only when its run is another object: a live list draws what changed and no more. */
class Row extends Component<{ run: Run; query: Carried; name: string }> {
  override shouldComponentUpdate(next: { run: Run; name: string }): boolean {
    return next.run !== this.props.run || next.name !== this.props.name;
  }

  override render() {
    const { run, query } = this.props;
    return (
      <tr>
        <th scope="row">
          <a href={href(`/runs/${run.run_id}`, query)}>
            <code class="id">{run.run_id}</code>
          </a>
        </th>
        <td>
          <bdi>{run.dataset}</bdi>
        </td>
        <td class="about">
          <About run={run} />
        </td>
        <td>
          <Time at={run.created_at} />
        </td>
        <td class="number">{run.finished_at ? <Took from={run.started_at} to={run.finished_at} /> : "…"}</td>
        <td>
          <Status of={run.state} /> <Flags run={run} />
        </td>
        <td>
          <RunStrip run={run} />
        </td>
        <td class="number" title={tokensOf(run)}>
          {run.input_tokens === null ? "–" : (run.input_tokens + (run.output_tokens ?? 0)).toLocaleString()}
        </td>
        <td class="number">{run.cost === null ? "–" : money(run.cost)}</td>
      </tr>
    );
  }
}

/** What a run is about: its memory, document or question. */
function About({ run }: { run: Run }) {
  if (run.operation === "query") return <span class="said cut">{run.question}</span>;
  if (run.operation === "encode") return <code class="id cut">{run.memory_id}</code>;
  const { stored, chunks } = run.progress ?? {};
  return (
    <>
      <span class="said cut">{run.title ?? run.document_id}</span>
      {run.finished_at === null && chunks ? (
        <small class="quiet">
          {stored ?? 0} of {chunks} chunks
        </small>
      ) : null}
    </>
  );
}

const FLAGS: Record<string, string> = {
  failed_stage: "A stage failed though the run succeeded",
  answer_without_citation: "The answer cites nothing",
};

export function Flags({ run }: { run: Run }) {
  return (
    <>
      {run.flags.map((flag) => (
        <span class="flag" key={flag} title={FLAGS[flag] ?? words(flag)}>
          ⚑ {words(flag)}
        </span>
      ))}
    </>
  );
}
