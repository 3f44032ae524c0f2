// An entity: its names, what is said of it over time, and what is one with it.
import { get } from "../api/client";
import type { Schema } from "../api/types";
import { useLoaded } from "../app/load";
import { href } from "../app/router";
import { Facts } from "../parts/fields";
import { JsonLink } from "../parts/link";
import { Loading, Trouble } from "../parts/states";
import { Time } from "../parts/time";
import { Merging } from "./entity/merging";
import { Statements } from "./entity/statements";

export default function EntityView({ id }: { id: string }) {
  const address = `/v1/entities/${encodeURIComponent(id)}`;
  const { value, problem, again } = useLoaded((asking) => get<Schema<"EntityReply">>(address, {}, asking), [id]);
  if (problem)
    return (
      <>
        <h1>Entity</h1>
        <Trouble problem={problem} again={again} />
      </>
    );
  if (!value)
    return (
      <>
        <h1>Entity</h1>
        <Loading />
      </>
    );
  const { entity_id: entity, dataset } = value;
  return (
    <>
      <div class="head">
        <h1 class="said">{value.name}</h1>
        <span class="quiet">{value.kind}</span>
      </div>
      <section class="panel" aria-label="About the entity">
        <Facts
          pairs={[
            ["Id", <code class="id">{entity}</code>],
            ["Dataset", <bdi>{dataset}</bdi>],
            [
              "Aliases",
              value.aliases.map((each) => (
                <bdi key={each} class="chip">
                  {each}
                </bdi>
              )),
            ],
            ["Speaker", value.is_speaker ? "yes: memories are written by it" : "no"],
            ["Memories", value.memories],
            ["Statements", value.statements],
            ["First named", <Time at={value.created_at} />],
          ]}
        />
        <p class="links">
          <a href={href("/graph", { entity, dataset })}>Graph around it</a> <JsonLink to={address} />
        </p>
      </section>
      <Statements entity={entity} dataset={dataset} />
      <Merging entity={value} again={again} />
    </>
  );
}
