// Where a graph begins: the entity to look around, by its name or among those that most is said of.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { usePages } from "../../app/pages";
import { filter, href, params } from "../../app/router";
import { Search, Select } from "../../parts/fields";
import { Empty, Loading, Trouble } from "../../parts/states";
import { More, Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { Name } from "../entity/name";
import { Best } from "./best";
import { KINDS } from "./kinds";
import { Kind } from "./mark";

type Entity = Schema<"EntityReply">;
const HEADS = ["Entity", "Kind", "Memories that name it", "Statements about it", "First named", "Page"];

export function Start({ dataset }: { dataset: string }) {
  const name = params.value.get("name") ?? "";
  const kind = params.value.get("kind") ?? "";
  const pages = usePages<Entity>(
    (cursor, asking) => get<Page<Entity>>("/v1/entities", { dataset, name, kind, cursor }, asking),
    [dataset, name, kind],
  );
  const isAsked = Boolean(name || kind);
  return (
    <>
      <div class="filters">
        <Search label="Name begins with" value={name} onChange={(value) => filter({ name: value })} />
        <Select label="Kind" value={kind} options={["", ...KINDS]} onChange={(value) => filter({ kind: value })} />
      </div>
      {!isAsked && <Best dataset={dataset} />}
      <section class="panel wide" aria-labelledby="entities">
        <h2 id="entities">{isAsked ? "Found" : "All entities"}</h2>
        {pages.items &&
          (pages.items.length ? (
            <Table label="Entities" heads={HEADS} rows={pages.items.map((each) => row(each, dataset))} />
          ) : (
            <Empty>{isAsked ? "No entity is called so." : "No memory of this dataset names anything yet."}</Empty>
          ))}
        {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
        <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
      </section>
    </>
  );
}

const row = (each: Entity, dataset: string) => [
  <a href={href("/graph", { entity: each.entity_id, dataset })}>
    <Name of={each.name} />
  </a>,
  <Kind of={each.kind} />,
  <span class="number">{each.memories.toLocaleString()}</span>,
  <span class="number">{each.statements.toLocaleString()}</span>,
  <Time at={each.created_at} />,
  <a href={href(`/entities/${each.entity_id}`)} aria-label={`Page of ${each.name}`}>
    page
  </a>,
];
