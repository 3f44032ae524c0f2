// The places as a list, beside the map that shows the same.
import { EntityLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { Table } from "../../parts/table";
import { distance } from "./scale";
import type { Place } from "./spots";

const ENTITIES = 3;

type Given = { places: readonly Place[]; chosen: string; choose: (key: string) => void };

/** With the distances where the places are those around a point. */
export function List({ places, chosen, choose }: Given) {
  const isNear = places.some((each) => each.km !== null);
  const heads = ["Place", ...(isNear ? ["Distance"] : []), "Entities", "Memories"];
  const rows = places.map((place) => [
    <>
      <button
        type="button"
        class="plain"
        title={place.name}
        aria-pressed={place.key === chosen}
        onClick={() => choose(place.key)}
      >
        <bdi class="said">{place.name}</bdi>
      </button>
      <small class="said quiet">{place.region}</small> {!place.isSure && <Unsure />}
    </>,
    ...(isNear ? [<span class="number">{distance(place.km ?? 0)}</span>] : []),
    <Entities of={place} />,
    count(place.memories.length),
  ]);
  return <Table label="Places" heads={heads} rows={rows} />;
}

function Entities({ of }: { of: Place }) {
  if (!of.entities.length) return <>–</>;
  const rest = of.entities.length - ENTITIES;
  return (
    <>
      {of.entities.slice(0, ENTITIES).map(({ entity_id, name }) => (
        <div key={entity_id}>
          <EntityLink id={entity_id} name={name} />
        </div>
      ))}
      {rest > 0 && <span class="quiet">and {rest} more</span>}
    </>
  );
}

export function Unsure() {
  return (
    <span class="warn" title="Another place of this name may be meant.">
      ? unsure
    </span>
  );
}
