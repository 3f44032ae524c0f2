// Where a graph begins: the entity to look around.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { usePages } from "../../app/pages";
import { filter, href, params } from "../../app/router";
import { Search } from "../../parts/fields";
import { Empty, Loading, Trouble } from "../../parts/states";
import { More, Table } from "../../parts/table";

type Entity = Schema<"EntityReply">;

export function Start({ dataset }: { dataset: string }) {
  const name = params.value.get("name") ?? "";
  const pages = usePages<Entity>(
    (cursor, asking) => get<Page<Entity>>("/v1/entities", { dataset, name, cursor }, asking),
    [dataset, name],
  );
  const rows = pages.items?.map((each) => [
    <a class="said" href={href("/graph", { entity: each.entity_id, dataset })}>
      {each.name}
    </a>,
    each.kind,
    each.memories,
    each.statements,
    <a href={href(`/entities/${each.entity_id}`)} aria-label={`Page of ${each.name}`}>
      page
    </a>,
  ]);
  return (
    <>
      <div class="filters">
        <Search label="Name" value={name} onChange={(value) => filter({ name: value })} />
      </div>
      {rows &&
        (rows.length ? (
          <Table label="Entities" heads={["Entity", "Kind", "Memories", "Statements", "Page"]} rows={rows} />
        ) : (
          <Empty>There is no such entity.</Empty>
        ))}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
    </>
  );
}
