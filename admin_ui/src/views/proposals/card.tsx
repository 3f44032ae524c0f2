// A proposal as a card: the two sides, why they may be one, and what can be decided.
import { Bar } from "../../parts/bars";
import { Status } from "../../parts/status";
import { Time } from "../../parts/time";
import { Name } from "../entity/name";
import { CHOICES, type Decision, type Proposal, reasonOf, VERBS } from "./decisions";
import { Side } from "./side";

type Props = { of: Proposal; isBusy: boolean; ask: (decision: Decision) => void };

export function Card({ of, isBusy, ask }: Props) {
  const { entity, other, dataset } = of;
  const isOne = of.status === "accepted";
  return (
    <li class="panel" data-row>
      <div class="head">
        <Title of={of} />
        <Status of={of.status} />
      </div>
      <Why of={of} />
      <div class={isOne ? "" : "columns"}>
        <Side
          id={entity.entity_id}
          name={entity.name}
          dataset={dataset}
          title={isOne ? "Both are now" : "Stays:"}
          isRoot={isOne}
        />
        {!isOne && <Side id={other.entity_id} name={other.name} dataset={dataset} title="Would be merged into it:" />}
      </div>
      <Choices of={of} isBusy={isBusy} ask={ask} />
    </li>
  );
}

/** Two that are one go by the same name. */
function Title({ of: { entity, other, status } }: { of: Proposal }) {
  if (entity.name === other.name)
    return (
      <h2>
        <Name of={entity.name} />{" "}
        <span class="quiet">
          made of <code class="id">{entity.entity_id}</code> and <code class="id">{other.entity_id}</code>
        </span>
      </h2>
    );
  return (
    <h2>
      <Name of={other.name} /> <span class="quiet">{WORDS[status] ?? "and"}</span> <Name of={entity.name} />
    </h2>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  open: "may be",
  accepted: "is one with",
  refused: "is not",
  undone: "is not, after all,",
};

function Why({ of }: { of: Proposal }) {
  return (
    <p class="links quiet">
      <span>
        Likeness, 0 to 1: <Bar value={of.score} max={1} label={of.score.toFixed(2)} />
      </span>
      <span class="said">{reasonOf(of)}</span>
      <span>
        proposed <Time at={of.created_at} />
      </span>
      {of.decided_at && (
        <span>
          decided <Time at={of.decided_at} />
        </span>
      )}
    </p>
  );
}

function Choices({ of, isBusy, ask }: Props) {
  const { entity, other } = of;
  const pair = entity.name === other.name ? entity.name : `${entity.name} and ${other.name}`;
  return (
    <p class="actions">
      {(CHOICES[of.status] ?? []).map((each) => (
        <button
          key={each}
          type="button"
          class={each === "accepted" && of.status === "open" ? "main" : undefined}
          disabled={isBusy}
          aria-label={`${VERBS[each]}: ${pair}`}
          onClick={() => ask(each)}
        >
          {VERBS[each]}
        </button>
      ))}
    </p>
  );
}
