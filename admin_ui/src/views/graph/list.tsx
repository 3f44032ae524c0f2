// The entities of a graph as a list: each can be chosen without a pointer, and what is known of the chosen one is told.
import { useState } from "preact/hooks";
import { href } from "../../app/router";
import { Search } from "../../parts/fields";
import { Empty } from "../../parts/states";
import { Status } from "../../parts/status";
import { Name } from "../entity/name";
import { Holds, Said } from "../entity/said";
import { Kind } from "./mark";
import type { Node, Scene } from "./scene";

const FEW = 12; // entities that need no search
const ROWS = 100; // entities at first
const SHOWN = 30; // relations at first

type Props = { scene: Scene; chosen: string; choose: (id: string) => void; dataset: string };

export function NodeList({ scene, chosen, choose, dataset }: Props) {
  const [name, look] = useState("");
  const [most, show] = useState(ROWS);
  const wanted = name.toLocaleLowerCase();
  const [middle, ...others] = scene.nodes;
  const ordered = [...(middle ? [middle] : []), ...others.sort((a, b) => b.degree - a.degree)];
  const shown = ordered.filter((each) => each.name.toLocaleLowerCase().includes(wanted));
  const node = scene.nodes.find((each) => each.id === chosen) ?? middle;
  return (
    <div class="beside-graph">
      {node && <Chosen key={node.id} node={node} scene={scene} dataset={dataset} isMiddle={node === middle} />}
      <section class="panel" aria-labelledby="nodes">
        <h2 id="nodes">
          Entities <span class="quiet">{scene.nodes.length}, each with the number of its relations shown</span>
        </h2>
        {scene.nodes.length > FEW && <Search label="Find among them" value={name} onChange={look} />}
        {shown.length === 0 && <Empty>None of them has such a name.</Empty>}
        <ul class="nodes">
          {shown.slice(0, most).map((each) => (
            <Row key={each.id} node={each} isChosen={each === node} choose={choose} />
          ))}
        </ul>
        {shown.length > most && (
          <button type="button" class="plain" onClick={() => show(Infinity)}>
            list all {shown.length}
          </button>
        )}
      </section>
    </div>
  );
}

function Row({ node, isChosen, choose }: { node: Node; isChosen: boolean; choose: (id: string) => void }) {
  return (
    <li data-row>
      <button type="button" class="plain" aria-pressed={isChosen} onClick={() => choose(node.id)}>
        <Name of={node.name} />
      </button>
      <span class="quiet">
        <Kind of={node.kind} /> <span class="count">{node.degree}</span>
      </span>
    </li>
  );
}

type ChosenProps = { node: Node; scene: Scene; dataset: string; isMiddle: boolean };

function Chosen({ node, scene, dataset, isMiddle }: ChosenProps) {
  const [most, show] = useState(SHOWN);
  const relations = scene.relations.filter((each) =>
    [each.subject.entity_id, each.object?.entity_id].includes(node.id),
  );
  return (
    <section class="panel" aria-labelledby="chosen">
      <h2 id="chosen">
        <Name of={node.name} />
      </h2>
      <p class="links">
        <Kind of={node.kind} />
        <a href={href(`/entities/${node.id}`)}>Its page</a>
        {!isMiddle && <a href={href("/graph", { entity: node.id, dataset })}>Look around it</a>}
      </p>
      {relations.length === 0 && <Empty>No relation is known at this time.</Empty>}
      <ul class="relations">
        {relations.slice(0, most).map((each) => (
          <li key={each.statement_id}>
            <Said of={each} /> <Status of={each.status} />
            <div class="quiet">
              <Holds of={each} />
            </div>
          </li>
        ))}
      </ul>
      {relations.length > most && (
        <button type="button" class="plain" onClick={() => show(Infinity)}>
          show all {relations.length}
        </button>
      )}
    </section>
  );
}
