// Makes an entity one with another, and takes that back.
import { useState } from "preact/hooks";
import { get, Problem, send } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { go, href } from "../../app/router";
import { Confirm } from "../../parts/dialog";
import { Search } from "../../parts/fields";
import { Empty, Trouble } from "../../parts/states";

type Entity = Schema<"EntityReply">;
type Asked = { title: string; words: string; action: string; path: string; body?: unknown };

export function Merging({ entity, again }: { entity: Entity; again: () => void }) {
  const [asked, ask] = useState<Asked | null>(null);
  const [problem, tell] = useState<Problem | null>(null);
  async function act({ path, body }: Asked): Promise<void> {
    ask(null);
    tell(null);
    try {
      const stays = await send<Entity>("POST", path, body);
      if (body && stays.entity_id !== entity.entity_id) go(href(`/entities/${stays.entity_id}`));
      else again();
    } catch (error) {
      tell(error instanceof Problem ? error : new Problem(0, "failed", String(error)));
    }
  }
  return (
    <section class="panel" aria-labelledby="merging">
      <h2 id="merging">Merge</h2>
      {problem && <Trouble problem={problem} />}
      {entity.merged.map((id) => (
        <p key={id}>
          <code class="id">{id}</code> is one with it.{" "}
          <button
            type="button"
            aria-label={`Unmerge ${id}`}
            onClick={() =>
              ask({
                title: "Take the merge back?",
                words: `${id} becomes an entity of its own again.`,
                action: "Unmerge",
                path: `/v1/entities/${id}/unmerge`,
              })
            }
          >
            Unmerge
          </button>
        </p>
      ))}
      <Others
        entity={entity}
        pick={(into) =>
          ask({
            title: "Make them one?",
            words: `${entity.name} becomes one with ${into.name}. It can be taken back.`,
            action: "Merge",
            path: `/v1/entities/${entity.entity_id}/merge`,
            body: { into: into.entity_id },
          })
        }
      />
      {asked && (
        <Confirm title={asked.title} action={asked.action} onYes={() => void act(asked)} onNo={() => ask(null)}>
          <p class="said">{asked.words}</p>
        </Confirm>
      )}
    </section>
  );
}

function Others({ entity, pick }: { entity: Entity; pick: (into: Entity) => void }) {
  const [name, type] = useState("");
  const { value } = useLoaded(
    async (asking) =>
      name
        ? (await get<Page<Entity>>("/v1/entities", { dataset: entity.dataset, name, limit: 10 }, asking)).data
        : null,
    [name],
  );
  const others = value?.filter((each) => each.entity_id !== entity.entity_id);
  return (
    <>
      <Search label="Merge into the entity named" value={name} onChange={type} />
      {others?.length === 0 && <Empty>No other entity has such a name.</Empty>}
      <ul>
        {others?.map((each) => (
          <li key={each.entity_id}>
            <button type="button" class="plain said" onClick={() => pick(each)}>
              {each.name}
            </button>{" "}
            <span class="quiet">{each.kind}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
