// The entities of a dataset that most is said of: good places to begin.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { Bar } from "../../parts/bars";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Name } from "../entity/name";
import { Kind } from "./mark";

type Entity = Schema<"EntityReply">;
const LOOKED_AT = 500;
const SHOWN = 12;

/** The most statements first, then the most memories. */
export const best = (entities: readonly Entity[]): Entity[] =>
  [...entities].sort((a, b) => b.statements - a.statements || b.memories - a.memories).slice(0, SHOWN);

export function Best({ dataset }: { dataset: string }) {
  const asked = { dataset, limit: LOOKED_AT };
  const { value, problem, again } = useLoaded((asking) => get<Page<Entity>>("/v1/entities", asked, asking), [dataset]);
  if (problem) return <Trouble problem={problem} again={again} />;
  if (!value) return <Loading />;
  const found = best(value.data);
  const most = found[0]?.statements ?? 0;
  return (
    <section class="panel" aria-labelledby="best">
      <h2 id="best">
        Best connected{" "}
        {value.has_more && <span class="quiet">among the {LOOKED_AT} entities that are known longest</span>}
      </h2>
      {found.length === 0 && <Empty>No memory of this dataset names anything yet.</Empty>}
      <ul class="cards best">
        {found.map((each) => (
          <li key={each.entity_id} class="card" data-row>
            <a href={href("/graph", { entity: each.entity_id, dataset })}>
              <Name of={each.name} />
            </a>
            <Kind of={each.kind} />
            <Bar value={each.statements} max={most} label={counted(each.statements, "statement")} />
            <span class="quiet">named in {counted(each.memories, "memory", "memories")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;
