// An entity: its names, what is said of it over time, where it is mentioned, and what is one with it.
import { get } from "../api/client";
import type { Page } from "../api/types";
import { useLoaded } from "../app/load";
import { usePages } from "../app/pages";
import { href } from "../app/router";
import { Facts } from "../parts/fields";
import { JsonLink } from "../parts/link";
import { Loading, Trouble } from "../parts/states";
import { Time } from "../parts/time";
import { type EntityDetail, mentionsOf } from "./entity/mentions";
import { Merging } from "./entity/merging";
import { Mentions, Names } from "./entity/names";
import { Relations } from "./entity/relations";
import { Statements } from "./entity/statements";
import type { Statement } from "./entity/timelines";
import { Kind } from "./graph/mark";

export default function EntityView({ id }: { id: string }) {
  const address = `/v1/entities/${encodeURIComponent(id)}`;
  const { value, problem, again } = useLoaded((asking) => get<EntityDetail>(address, {}, asking), [id]);
  if (value && !problem) return <Known key={value.entity_id} entity={value} asked={id} again={again} />;
  return (
    <>
      <h1>Entity</h1>
      {problem ? <Trouble problem={problem} again={again} /> : <Loading />}
    </>
  );
}

type Props = { entity: EntityDetail; asked: string; again: () => void };

function Known({ entity, asked, again }: Props) {
  const { entity_id: id, dataset, merged } = entity;
  const question = { dataset, entity: id, include_superseded: true, limit: 50 };
  // What was merged or taken back changes what is said of it.
  const on = [id, merged.join(" ")];
  const pages = usePages<Statement>(
    (cursor, asking) => get<Page<Statement>>("/v1/statements", { ...question, cursor }, asking),
    on,
  );
  const mentions = useLoaded((asking) => mentionsOf(entity, asking), on);
  return (
    <>
      <div class="head">
        <h1 class="said">{entity.name}</h1>
        <Kind of={entity.kind} />
        <a href={href("/graph", { entity: id, dataset })}>Graph around it</a>
        <JsonLink to={`/v1/entities/${id}`} />
      </div>
      {asked !== id && (
        <p class="warn">
          ! <code class="id">{asked}</code> was made one with this entity.
        </p>
      )}
      <About entity={entity} />
      <Names entity={entity} mentions={mentions} />
      <Statements pages={pages} />
      {pages.items && <Relations entity={id} statements={pages.items} hasMore={pages.hasMore} />}
      <Mentions entity={entity} mentions={mentions} />
      <Merging entity={entity} again={again} />
    </>
  );
}

function About({ entity }: { entity: EntityDetail }) {
  return (
    <section class="panel" aria-label="About the entity">
      <Facts
        pairs={[
          ["Id", <code class="id">{entity.entity_id}</code>],
          ["Dataset", <bdi>{entity.dataset}</bdi>],
          ["Memories", `${entity.memories.toLocaleString()} name it`],
          ["Statements", `${entity.statements.toLocaleString()} are about it`],
          ["Speaks", entity.is_speaker ? "yes: memories are written by it" : "no"],
          ["First named", <Time at={entity.created_at} />],
        ]}
      />
    </section>
  );
}
