// The places that the memories of a dataset name, on a map that needs no network, and the same as a list.
import { useMemo } from "preact/hooks";
import { get } from "../api/client";
import type { Schema } from "../api/types";
import { useLoaded } from "../app/load";
import { filter, params } from "../app/router";
import { EntityLink, MemoryLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { Table } from "../parts/table";
import WorldMap from "./places/map";

type Near = Schema<"NearPlaceReply">;
export type Found = { key: string; name: string; lat: number; lon: number; place: Near; memories: string[] };

const ALL_KM = 20_100; // half around the earth
const MOST = 500;
const MEMORIES_SHOWN = 3;

/** One for each name at a point; the server has one for each memory. */
export function together(places: readonly Near[]): Found[] {
  const found = new Map<string, Found>();
  for (const place of places) {
    const key = `${place.lat},${place.lon},${place.name}`;
    const known = found.get(key);
    if (known) known.memories = [...new Set([...known.memories, ...place.memory_ids])];
    else
      found.set(key, { key, name: place.name, lat: place.lat, lon: place.lon, place, memories: [...place.memory_ids] });
  }
  return [...found.values()];
}

export default function Places() {
  const dataset = params.value.get("dataset") ?? "default";
  const asked = { dataset, lat: 0, lon: 0, km: ALL_KM, limit: MOST };
  const { value, problem, again } = useLoaded(
    (asking) => get<Schema<"NearReply">>("/v1/places/near", asked, asking),
    [dataset],
  );
  const found = useMemo(() => together(value?.data ?? []), [value]);
  return (
    <>
      <div class="head">
        <h1>Places</h1>
        <span class="quiet">
          in <bdi>{dataset}</bdi>
        </span>
      </div>
      {problem ? (
        <Trouble problem={problem} again={again} />
      ) : !value ? (
        <Loading />
      ) : (
        <Shown key={dataset} found={found} isCut={value.data.length === MOST} />
      )}
    </>
  );
}

function Shown({ found, isCut }: { found: Found[]; isCut: boolean }) {
  const chosen = params.value.get("place") ?? "";
  const choose = (key: string): void => filter({ place: key === chosen ? null : key });
  return (
    <div class="columns places">
      <section class="panel" aria-label="Map">
        <WorldMap spots={found} chosen={chosen} choose={choose} />
      </section>
      <section class="panel" aria-label="List">
        {found.length ? (
          <List found={found} chosen={chosen} choose={choose} />
        ) : (
          <Empty>No memory of this dataset names a place.</Empty>
        )}
        {isCut && <p class="quiet">Only the {MOST} mentions nearest to 0° 0° are shown.</p>}
      </section>
    </div>
  );
}

function List({ found, chosen, choose }: { found: Found[]; chosen: string; choose: (key: string) => void }) {
  const rows = found.map(({ key, place, memories }) => [
    <button type="button" class="plain" aria-pressed={key === chosen} onClick={() => choose(key)}>
      <bdi class="said">{place.name}</bdi>
    </button>,
    <>
      {[place.region, place.country].filter(Boolean).join(", ") || "–"}
      {!place.confident && <span class="warn"> ? unsure</span>}
    </>,
    `${place.lat.toFixed(3)}, ${place.lon.toFixed(3)}`,
    place.entity ? <EntityLink id={place.entity.entity_id} name={place.entity.name} /> : "–",
    <>
      {memories.slice(0, MEMORIES_SHOWN).map((id) => (
        <div key={id}>
          <MemoryLink id={id} />
        </div>
      ))}
      {memories.length > MEMORIES_SHOWN && <span class="quiet">and {memories.length - MEMORIES_SHOWN} more</span>}
    </>,
  ]);
  return <Table label="Places" heads={["Place", "Region", "Latitude, longitude", "Entity", "Memories"]} rows={rows} />;
}
