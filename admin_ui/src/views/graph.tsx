// Entities and relations around one entity, drawn and as a list, as they were at a time.
import { useMemo, useState } from "preact/hooks";
import { get, query } from "../api/client";
import { useLoaded } from "../app/load";
import { filter, href, params } from "../app/router";
import { Select } from "../parts/fields";
import { JsonLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { GraphCanvas } from "./graph/canvas";
import { historyOf } from "./graph/history";
import { NodeList } from "./graph/list";
import { Period } from "./graph/period";
import { changes, type Graph, type History, sceneOf } from "./graph/scene";
import { Start } from "./graph/start";

const DEPTHS = [
  ["1", "1 relation"],
  ["2", "2 relations"],
  ["3", "3 relations"],
  ["4", "4 relations"],
] as const;
const NO_HISTORY: History = { statements: [], kinds: new Map() };

export default function GraphView() {
  const dataset = params.value.get("dataset") ?? "default";
  const entity = params.value.get("entity");
  return (
    <>
      <div class="head">
        <h1>Graph</h1>
        <span class="quiet">
          of the dataset <bdi>{dataset}</bdi>
        </span>
        {entity && <a href={href("/graph", { dataset })}>Another entity</a>}
      </div>
      {entity ? <Around key={`${dataset} ${entity}`} entity={entity} dataset={dataset} /> : <Start dataset={dataset} />}
    </>
  );
}

type Props = { entity: string; dataset: string };

function Around({ entity, dataset }: Props) {
  const depth = params.value.get("depth") ?? "1";
  const asOf = params.value.get("as_of");
  const asked = { entity, dataset, depth, as_of: asOf, limit: 500 };
  const on = [entity, dataset, depth, asOf];
  const graph = useLoaded((asking) => get<Graph>("/v1/graph", asked, asking), on);
  const history = useLoaded((asking) => historyOf(entity, dataset, asking), [entity, dataset]);
  const moments = useMemo(() => history.value && changes(history.value.statements), [history.value]);
  const problem = graph.problem ?? history.problem;
  const again = graph.problem ? graph.again : history.again;
  return (
    <>
      <div class="panel filters graph-filters">
        <Select label="As far as" value={depth} options={DEPTHS} onChange={(chosen) => filter({ depth: chosen })} />
        <Period asOf={asOf} moments={moments} />
        <JsonLink to={`/v1/graph${query(asked)}`} />
      </div>
      {problem && <Trouble problem={problem} again={again} />}
      {graph.value && (history.value || history.problem) ? (
        <Shown graph={graph.value} history={history.value ?? NO_HISTORY} asOf={asOf} dataset={dataset} />
      ) : (
        !problem && <Loading />
      )}
    </>
  );
}

type ShownProps = { graph: Graph; history: History; asOf: string | null; dataset: string };

function Shown({ graph, history, asOf, dataset }: ShownProps) {
  const [chosen, choose] = useState("");
  // The graph says of when it is only by what was asked: it stays the one before until the next has come.
  const scene = useMemo(() => sceneOf(graph, history, asOf ? Date.parse(asOf) : Date.now()), [graph, history, asOf]);
  if (!scene.nodes.length) return <Empty>Nothing was known around it at that time.</Empty>;
  const shown = scene.nodes.some((each) => each.id === chosen) ? chosen : (scene.nodes[0]?.id ?? "");
  return (
    <div class="graph-page">
      <section class="panel" aria-label="Drawing">
        {graph.truncated && (
          <p class="warn">
            ! There is more than these {graph.entities.length} entities: look less far, or around another.
          </p>
        )}
        <GraphCanvas scene={scene} chosen={shown} choose={choose} />
      </section>
      <NodeList scene={scene} chosen={shown} choose={choose} dataset={dataset} />
    </div>
  );
}
