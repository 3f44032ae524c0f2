// What is one with an entity, to take back; and the entity that it is to be made one with.
import { useState } from "preact/hooks";
import { send } from "../../api/client";
import { go, href } from "../../app/router";
import { Confirm } from "../../parts/dialog";
import { Empty, Trouble } from "../../parts/states";
import { useAct } from "./act";
import type { Entity } from "./mentions";
import { Name } from "./name";
import { Others } from "./others";

type Asked = { unmerge: string } | { into: Entity };

export function Merging({ entity, again }: { entity: Entity; again: () => void }) {
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
    act(() => ("into" in what ? merge(what.into) : unmerge(what.unmerge)));
  }
  // The question is not in the panel: that takes the margin of its last child away, which holds a dialog in the middle.
  return (
    <>
      <section class="panel" aria-labelledby="merging">
        <h2 id="merging">One with it</h2>
        {problem && <Trouble problem={problem} />}
        <Merged ids={entity.merged} isBusy={isBusy} take={(id) => ask({ unmerge: id })} />
        <h3>Make it one with another</h3>
        <Others entity={entity} isBusy={isBusy} pick={(into) => ask({ into })} />
      </section>
      {asked && <Question asked={asked} entity={entity} onYes={() => doIt(asked)} onNo={() => ask(null)} />}
    </>
  );
}

function Merged({ ids, isBusy, take }: { ids: readonly string[]; isBusy: boolean; take: (id: string) => void }) {
  if (!ids.length) return <Empty>No other entity was made one with it.</Empty>;
  return (
    <ul class="merged">
      {ids.map((id) => (
        <li key={id}>
          <code class="id">{id}</code> was made one with it{" "}
          <button type="button" disabled={isBusy} aria-label={`Unmerge ${id}`} onClick={() => take(id)}>
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
          <code class="id">{asked.unmerge}</code> becomes an entity of its own again, with the names, statements and
          mentions that it brought. <Name of={entity.name} /> keeps the others.
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
