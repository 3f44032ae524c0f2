// Entities and relations around one entity, drawn and as a list, as they were at a time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import type { Page, Schema } from "../api/types";
import { useLoaded } from "../app/load";
import { filter, href, params } from "../app/router";
import { Field, Select } from "../parts/fields";
import { EntityLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { Status } from "../parts/status";
import { Time } from "../parts/time";
import { GraphCanvas } from "./graph/canvas";
import { Start } from "./graph/start";

type Graph = Schema<"GraphReply">;
const STEPS = 200;
const REST = 250; // milliseconds without a move before the slider asks

export default function GraphView() {
  const dataset = params.value.get("dataset") ?? "default";
  const entity = params.value.get("entity");
  return (
    <>
      <div class="head">
        <h1>Graph</h1>
        <span class="quiet">
          in <bdi>{dataset}</bdi>
        </span>
        {entity && <a href={href("/graph", { dataset })}>All entities</a>}
      </div>
      {entity ? <Around key={`${dataset} ${entity}`} entity={entity} dataset={dataset} /> : <Start dataset={dataset} />}
    </>
  );
}

function Around({ entity, dataset }: { entity: string; dataset: string }) {
  const depth = params.value.get("depth") ?? "1";
  const asOf = params.value.get("as_of");
  const asked = { entity, dataset, depth, as_of: asOf, limit: 500 };
  const { value, problem, again } = useLoaded(
    (asking) => get<Graph>("/v1/graph", asked, asking),
    [entity, dataset, depth, asOf],
  );
  return (
    <>
      <div class="filters">
        <Select
          label="Relations away"
          value={depth}
          options={["1", "2", "3", "4"]}
          onChange={(chosen) => filter({ depth: chosen })}
        />
        <Slider entity={entity} dataset={dataset} asOf={asOf} />
      </div>
      {problem ? (
        <Trouble problem={problem} again={again} />
      ) : value ? (
        <Drawn graph={value} dataset={dataset} />
      ) : (
        <Loading />
      )}
    </>
  );
}

/** From the first time that anything is known to hold until now; at its end it asks for what holds now. */
function Slider({ entity, dataset, asOf }: { entity: string; dataset: string; asOf: string | null }) {
  const asked = { entity, dataset, include_superseded: true, limit: 500 };
  const { value } = useLoaded(
    (asking) => get<Page<Schema<"StatementReply">>>("/v1/statements", asked, asking),
    [entity, dataset],
  );
  const now = useMemo(() => Date.now(), []);
  const froms = (value?.data ?? []).flatMap((each) =>
    each.validities.map((held) => Date.parse(held.valid_from ?? held.recorded_at)),
  );
  const first = Math.min(now - 1000, ...froms.filter(Number.isFinite));
  const stepOf = (at: string | null): number =>
    at ? Math.round(((Date.parse(at) - first) / (now - first)) * STEPS) : STEPS;
  const timeOf = (step: number): string | null =>
    step >= STEPS ? null : new Date(first + ((now - first) * step) / STEPS).toISOString();
  const [held, hold] = useState<number | null>(null);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(waiting.current), []);
  function slide(step: number): void {
    hold(step);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => {
      hold(null);
      filter({ as_of: timeOf(step) });
    }, REST);
  }
  const shown = held === null ? asOf : timeOf(held);
  return (
    <Field label={<>As of {shown ? <Time at={shown} /> : "now"}</>}>
      <input
        type="range"
        min={0}
        max={STEPS}
        value={held ?? stepOf(asOf)}
        aria-valuetext={shown ?? "now"}
        onInput={(event) => slide(Number(event.currentTarget.value))}
      />
    </Field>
  );
}

function Drawn({ graph, dataset }: { graph: Graph; dataset: string }) {
  const [chosen, choose] = useState(0);
  useEffect(() => choose(0), [graph]);
  const edges = useMemo(() => {
    const at = new Map(graph.entities.map((each, index) => [each.entity_id, index]));
    return graph.relations.flatMap(({ subject, object, predicate, status }) => {
      const [from, to] = [at.get(subject.entity_id), at.get(object?.entity_id ?? "")];
      return from === undefined || to === undefined
        ? []
        : [{ link: [from, to] as const, words: predicate.replaceAll("_", " "), isCurrent: status === "current" }];
    });
  }, [graph]);
  if (!graph.entities.length) return <Empty>Nothing is known around it at that time.</Empty>;
  return (
    <div class="columns">
      <section class="panel" aria-label="Drawing">
        <GraphCanvas nodes={graph.entities} edges={edges} chosen={chosen} choose={choose} />
      </section>
      <section class="panel" aria-label="List">
        {graph.truncated && <p class="warn">! There is more than is shown.</p>}
        <Chosen graph={graph} at={Math.min(chosen, graph.entities.length - 1)} dataset={dataset} />
        <h2>Entities</h2>
        <ul class="nodes">
          {graph.entities.map((each, at) => (
            <li key={each.entity_id} data-row>
              <button type="button" class="plain said" aria-pressed={at === chosen} onClick={() => choose(at)}>
                {each.name}
              </button>{" "}
              <span class="quiet">{each.kind}</span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Chosen({ graph, at, dataset }: { graph: Graph; at: number; dataset: string }) {
  const entity = graph.entities[at];
  if (!entity) return null;
  const relations = graph.relations.filter((each) =>
    [each.subject.entity_id, each.object?.entity_id].includes(entity.entity_id),
  );
  return (
    <>
      <h2 class="said">{entity.name}</h2>
      <p class="links">
        <a href={href(`/entities/${entity.entity_id}`)}>Its page</a>{" "}
        <a href={href("/graph", { entity: entity.entity_id, dataset })}>Look around it</a>
      </p>
      {relations.length === 0 && <Empty>No relation here.</Empty>}
      <ul>
        {relations.map((each) => (
          <li key={each.statement_id}>
            <EntityLink id={each.subject.entity_id} name={each.subject.name} /> {each.predicate.replaceAll("_", " ")}{" "}
            {each.object && <EntityLink id={each.object.entity_id} name={each.object.name} />}{" "}
            <Status of={each.status} />
          </li>
        ))}
      </ul>
    </>
  );
}
