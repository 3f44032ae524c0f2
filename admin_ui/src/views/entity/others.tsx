// Other entities of the dataset by the start of their names, to pick one.
import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { Page } from "../../api/types";
import { useLoaded } from "../../app/load";
import { Search } from "../../parts/fields";
import { Empty, Trouble } from "../../parts/states";
import { Kind } from "../graph/mark";
import type { Entity } from "./mentions";
import { Name } from "./name";

type Props = { entity: Entity; isBusy: boolean; pick: (into: Entity) => void };

export function Others({ entity, isBusy, pick }: Props) {
  const [name, type] = useState("");
  const asked = { dataset: entity.dataset, name, limit: 10 };
  const { value, problem, again } = useLoaded(
    async (asking) => (name ? get<Page<Entity>>("/v1/entities", asked, asking) : null),
    [name],
  );
  const others = value?.data.filter((each) => each.entity_id !== entity.entity_id);
  return (
    <>
      <Search label="Name of the one that stays begins with" value={name} onChange={type} />
      {problem && <Trouble problem={problem} again={again} />}
      {others?.length === 0 && <Empty>No other entity has such a name.</Empty>}
      <ul class="merged">
        {others?.map((each) => (
          <li key={each.entity_id}>
            <button type="button" disabled={isBusy} onClick={() => pick(each)}>
              Merge into <Name of={each.name} most={60} />
            </button>{" "}
            <span class="quiet">
              <Kind of={each.kind} /> · {each.statements.toLocaleString()} statements ·{" "}
              <code class="id">{each.entity_id}</code>
            </span>
          </li>
        ))}
      </ul>
      {value?.has_more && <p class="quiet">There are more: type more of the name.</p>}
    </>
  );
}
