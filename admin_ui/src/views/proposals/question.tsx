// Asks before a proposal is decided, and says what will change.
import { useLoaded } from "../../app/load";
import { Confirm } from "../../parts/dialog";
import { Loading, Trouble } from "../../parts/states";
import { Change } from "../entity/merging";
import { Name } from "../entity/name";
import { type Decision, type Proposal, VERBS } from "./decisions";
import { knownOf } from "./side";

type Props = { of: Proposal; decision: Decision; onYes: () => void; onNo: () => void };

const TITLES: Readonly<Record<Decision, string>> = {
  accepted: "Make them one?",
  refused: "Are they two?",
  undone: "Take the merge back?",
};

export function Question({ of, decision, onYes, onNo }: Props) {
  return (
    <Confirm title={TITLES[decision]} action={VERBS[decision]} onYes={onYes} onNo={onNo}>
      {decision === "accepted" && <Accepting of={of} />}
      {decision === "refused" && <Refusing of={of} />}
      {decision === "undone" && <Undoing of={of} />}
    </Confirm>
  );
}

function Accepting({ of: { entity, other, dataset } }: { of: Proposal }) {
  const { value, problem, again } = useLoaded(
    (asking) => Promise.all([other, entity].map((each) => knownOf(each.entity_id, dataset, asking))),
    [entity.entity_id, other.entity_id],
  );
  if (problem) return <Trouble problem={problem} again={again} />;
  const [from, into] = value ?? [];
  if (!from || !into) return <Loading />;
  if (from.entity.entity_id !== into.entity.entity_id) return <Change from={from.entity} into={into.entity} />;
  return <p>Another merge has made them one already: the proposal is closed, and nothing else changes.</p>;
}

function Refusing({ of: { entity, other } }: { of: Proposal }) {
  return (
    <p>
      <Name of={other.name} /> and <Name of={entity.name} /> stay two entities. Nothing else changes, and they are not
      proposed again.
    </p>
  );
}

function Undoing({ of: { entity, other } }: { of: Proposal }) {
  return (
    <p>
      <Name of={other.name} /> (<code class="id">{other.entity_id}</code>) becomes an entity of its own again, with the
      names, statements and mentions that it brought to <Name of={entity.name} />. No memory changes, and the two are
      not proposed again by themselves.
    </p>
  );
}
