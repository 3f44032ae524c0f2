// The stages of a run in a table, with what each of them does in the server's words.

import { Status } from "../../parts/status";
import { duration, Time } from "../../parts/time";
import type { Run } from "../runs/operations";
import { kindOf } from "./drawn";
import { micros } from "./scale";

type Stage = Run["stages"][number];
type Given = { run: Run; onCalls: (stage: string) => void };

export function StageTable({ run, onCalls }: Given) {
  return (
    <div class="scroll" role="region" aria-label="Stages" tabIndex={0}>
      <table class="stages">
        <caption class="unseen">The stages, in their order</caption>
        <thead>
          <tr>
            {["Stage", "Status", "Started", "Took", "Model calls", "Error"].map((head) => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {run.stages.map((stage) => (
            <tr key={stage.name} id={`stage-${stage.name}`}>
              <th scope="row">
                <StageName stage={stage} />
              </th>
              <td>
                <Status of={stage.status} isAdvisory={kindOf(stage, run) === "advisory"} />
              </td>
              <td>
                <Time at={stage.started_at} />
              </td>
              <td class="number">{took(stage)}</td>
              <td>
                <Calls stage={stage} onCalls={onCalls} />
              </td>
              <td>{stage.error && <span class="said">{stage.error}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function StageName({ stage }: { stage: Stage }) {
  return (
    <details class="does">
      <summary>
        {stage.name}{" "}
        <span class="ask" role="img" aria-label="what it does">
          ?
        </span>
      </summary>
      <p>{stage.does}</p>
    </details>
  );
}

function took({ started_at: from, finished_at: to }: Stage): string {
  return from && to ? duration((micros(to) - micros(from)) / 1000) : "–";
}

function Calls({ stage, onCalls }: { stage: Stage; onCalls: (stage: string) => void }) {
  const [first] = stage.inference_ids;
  if (!first) return <>–</>;
  const rest = stage.calls - 1;
  return (
    <button type="button" class="plain" onClick={() => onCalls(stage.name)}>
      <code class="id">{first}</code>
      {rest > 0 && ` and ${rest} more`}
      <span class="unseen">, model calls of {stage.name}</span>
    </button>
  );
}
