// What is one with an entity, to take back; and the entity that it is to be made one with.
import { useState } from "preact/hooks";
import { send } from "../../api/client";
import { go, href } from "../../app/router";
import { Confirm } from "../../parts/dialog";
import { Empty, Trouble } from "../../parts/states";
import { useAct } from "./act";
import type { Entity, EntityDetail } from "./mentions";
import { Name } from "./name";
import { Others } from "./others";

type Part = EntityDetail["merged_entities"][number];
type Asked = { unmerge: Part } | { into: Entity };

export function Merging({ entity, again }: { entity: EntityDetail; again: () => void }) {
  const [asked, ask] = useState<Asked | null>(null);
  const { isBusy, problem, act } = useAct();
  async function unmerge(id: string): Promise<void> {
    await send("POST", `/v1/entities/${encodeURIComponent(id)}/unmerge`);
    again();
  }
  async function merge({ entity_id: into }: Entity): Promise<void> {
    await send("POST", `/v1/entities/${encodeURIComponent(entity.entity_id)}/merge`, { into });
    go(href(`/entities/${into}`));
  }
  function doIt(what: Asked): void {
    ask(null);
    act(() => ("into" in what ? merge(what.into) : unmerge(what.unmerge.entity_id)));
  }
  // The question is not in the panel: that takes the margin of its last child away, which holds a dialog in the middle.
  return (
    <>
      <section class="panel" aria-labelledby="merging">
        <h2 id="merging">One with it</h2>
        {problem && <Trouble problem={problem} />}
        <Merged parts={entity.merged_entities} isBusy={isBusy} take={(part) => ask({ unmerge: part })} />
        <h3>Make it one with another</h3>
        <Others entity={entity} isBusy={isBusy} pick={(into) => ask({ into })} />
      </section>
      {asked && <Question asked={asked} entity={entity} onYes={() => doIt(asked)} onNo={() => ask(null)} />}
    </>
  );
}

type MergedProps = { parts: readonly Part[]; isBusy: boolean; take: (part: Part) => void };

function Merged({ parts, isBusy, take }: MergedProps) {
  if (!parts.length) return <Empty>No other entity was made one with it.</Empty>;
  return (
    <ul class="merged">
      {parts.map((part) => (
        <li key={part.entity_id}>
          <Name of={part.name} /> (<code class="id">{part.entity_id}</code>) was made one with it{" "}
          <button type="button" disabled={isBusy} aria-label={`Unmerge ${part.name}`} onClick={() => take(part)}>
            Unmerge
          </button>
        </li>
      ))}
    </ul>
  );
}

type QuestionProps = { asked: Asked; entity: Entity; onYes: () => void; onNo: () => void };

function Question({ asked, entity, onYes, onNo }: QuestionProps) {
  if ("unmerge" in asked)
    return (
      <Confirm title="Take the merge back?" action="Unmerge" onYes={onYes} onNo={onNo}>
        <p>
          <Name of={asked.unmerge.name} /> (<code class="id">{asked.unmerge.entity_id}</code>) becomes an entity of its
          own again, with the names, statements and mentions that it brought. <Name of={entity.name} /> keeps the
          others.
        </p>
      </Confirm>
    );
  return (
    <Confirm title="Make them one?" action="Merge" onYes={onYes} onNo={onNo}>
      <Change from={entity} into={asked.into} />
    </Confirm>
  );
}

/** What a merge does to two entities, in words. */
export function Change({ from, into }: { from: Entity; into: Entity }) {
  const count = (of: Entity): string =>
    `${of.statements.toLocaleString()} ${of.statements === 1 ? "statement" : "statements"}`;
  return (
    <>
      <p>
        <Name of={from.name} /> (<code class="id">{from.entity_id}</code>) becomes one with <Name of={into.name} /> (
        <code class="id">{into.entity_id}</code>):
      </p>
      <ul>
        <li>
          its {count(from)} and its names are then those of <Name of={into.name} />, which has {count(into)} now;
        </li>
        <li>its id still works and leads to the one that stays;</li>
        <li>no memory changes, and it can be taken back.</li>
      </ul>
      {from.kind !== into.kind && (
        <p class="warn">
          ! They are of different kinds: {from.kind} and {into.kind}.
        </p>
      )}
    </>
  );
}
