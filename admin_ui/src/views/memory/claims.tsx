// The statements that rest on a memory: relations between entities, and what is said of one.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { MOST, type Statement } from "./bundle";
import { Claim, type Shared } from "./claim";
import { useSought } from "./pointing";
import { Note, Rest, Section } from "./section";

const PAGE = 20;

/** What each status means, said where it occurs. */
const MEANS: Record<string, string> = {
  current: "believed, and holds now",
  superseded: "ended by a later statement",
  ended: "over by its own words",
  future: "does not hold yet",
  retracted: "not believed any more",
  contradicted: "another statement says otherwise",
};

/** Relations first: the numbers of statements follow that order everywhere on the page. */
export function ordered(statements: readonly Statement[]): Statement[] {
  return [...statements.filter((each) => each.object), ...statements.filter((each) => !each.object)];
}

export function Claims(shared: Shared) {
  const { bundle } = shared;
  const relations = bundle.statements.filter((each) => each.object);
  const values = bundle.statements.filter((each) => !each.object);
  return (
    <Section title="Relations and statements" size={bundle.statements.length}>
      {!bundle.statements.length && <Note>No statement rests on it.</Note>}
      <Legend of={bundle.statements} />
      <List title="Relations between entities" of={relations} shared={shared} />
      <List title="Statements with a value" of={values} shared={shared} />
      {bundle.statements.length >= MOST.statements && (
        <p class="quiet">These are the {MOST.statements} that the server tells at most.</p>
      )}
    </Section>
  );
}

function Legend({ of }: { of: readonly Statement[] }) {
  const found = [...new Set(of.map((each) => each.status))].filter((each) => MEANS[each]);
  if (!found.length) return null;
  return (
    <p class="quiet means">
      {found.map(
        (each): ComponentChildren => (
          <span key={each}>
            <strong>{each}</strong> {MEANS[each]}
          </span>
        ),
      )}
    </p>
  );
}

type ListGiven = { title: string; of: readonly Statement[]; shared: Shared };

function List({ title, of, shared }: ListGiven) {
  const [shown, show] = useState(PAGE);
  useSought(
    of.map((each) => each.statement_id),
    shown,
    (at) => show(at + PAGE),
  );
  if (!of.length) return null;
  return (
    <>
      <h3>{title}</h3>
      <ol class="claims">
        {of.slice(0, shown).map((each) => (
          <Claim key={each.statement_id} statement={each} shared={shared} />
        ))}
      </ol>
      <Rest of="statements" left={of.length - shown} show={() => show(shown + PAGE * 5)} />
    </>
  );
}
