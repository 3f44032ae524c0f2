// The other entities that an entity is tied to, each once with all that ties them.
import { useState } from "preact/hooks";
import { EntityLink } from "../../parts/link";
import { Empty } from "../../parts/states";
import { Status } from "../../parts/status";
import { Table } from "../../parts/table";
import type { Statement } from "./timelines";

const SHOWN = 20; // entities at first
type Tie = { id: string; name: string; statements: Statement[] };

/** By the other entity, the ones with the most ties first. */
export function ties(entity: string, statements: readonly Statement[]): Tie[] {
  const found = new Map<string, Tie>();
  for (const each of statements) {
    if (!each.object) continue;
    const { entity_id: id, name } = each.subject.entity_id === entity ? each.object : each.subject;
    const tie = found.get(id) ?? { id, name, statements: [] };
    tie.statements.push(each);
    found.set(id, tie);
  }
  return [...found.values()].sort((a, b) => b.statements.length - a.statements.length);
}

type Props = { entity: string; statements: readonly Statement[]; hasMore: boolean };

export function Relations({ entity, statements, hasMore }: Props) {
  const found = ties(entity, statements);
  const [most, show] = useState(SHOWN);
  const rows = found.slice(0, most).map(({ id, name, statements: of }) => [
    <EntityLink id={id} name={name} />,
    of.map((each) => (
      <div key={each.statement_id} class="tie">
        <span aria-hidden="true">{each.subject.entity_id === entity ? "→" : "←"}</span>{" "}
        <span class="said">{each.text}</span> <Status of={each.status} />
      </div>
    )),
  ]);
  return (
    <section class="panel" aria-labelledby="relations">
      <h2 id="relations">
        Relations{" "}
        <span class="quiet">
          with {found.length} {found.length === 1 ? "entity" : "entities"}
          {hasMore && ", of the statements loaded"}
        </span>
      </h2>
      {rows.length ? (
        <Table label="Relations" heads={["With", "What ties them"]} rows={rows} />
      ) : (
        <Empty>It is tied to no other entity.</Empty>
      )}
      {found.length > most && (
        <button type="button" class="plain" onClick={() => show(Infinity)}>
          show all {found.length}
        </button>
      )}
    </section>
  );
}
