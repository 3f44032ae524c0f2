// What lies around a point: the circle is in the address of the page, and the server measures the distances.
import { useMemo } from "preact/hooks";
import { get } from "../../api/client";
import type { Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { filter, params } from "../../app/router";
import { count } from "../../parts/numbers";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Radius } from "./chosen";
import { List } from "./list";
import type { Circle } from "./map";
import { together } from "./spots";

const MOST = 500; // mentions asked for
export const KM = "100";

/** The circle that the address asks for; null if it asks for none, or for one that is nowhere. */
export function circleOf(query: URLSearchParams): Circle | null {
  const [lat, lon] = (query.get("near") ?? "").split(",").map((each) => (each.trim() ? Number(each) : Number.NaN));
  const km = Number(query.get("km") ?? KM);
  if (lat === undefined || lon === undefined || !(Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && km > 0)) return null;
  return { lat, lon, km };
}

export function look(lat: number, lon: number, km = params.value.get("km") ?? KM): void {
  filter({ near: `${lat.toFixed(4)},${lon.toFixed(4)}`, km });
}

type Given = { dataset: string; near: Circle; chosen: string; choose: (key: string) => void };

export function Near({ dataset, near, chosen, choose }: Given) {
  const { lat, lon, km } = near;
  const { value, problem, again } = useLoaded(
    (asking) => get<Schema<"NearReply">>("/v1/places/near", { dataset, lat, lon, km, limit: MOST }, asking),
    [dataset, lat, lon, km],
  );
  const places = useMemo(() => together(value?.data ?? []), [value]);
  return (
    <section class="panel" aria-labelledby="near">
      <div class="head">
        <h2 id="near">
          Within {count(km)} km of {lat.toFixed(2)}°, {lon.toFixed(2)}°
        </h2>
      </div>
      <div class="actions near-here">
        <Radius km={String(km)} onChange={(next) => look(lat, lon, next)} />
        <button type="button" onClick={() => filter({ near: null, km: null })}>
          All places
        </button>
      </div>
      {problem ? (
        <Trouble problem={problem} again={again} />
      ) : !value ? (
        <Loading />
      ) : places.length ? (
        <List places={places} chosen={chosen} choose={choose} />
      ) : (
        <Empty>No memory of this dataset names a place in this circle.</Empty>
      )}
      {value?.data.length === MOST && <p class="quiet">Only the nearest {MOST} mentions are listed.</p>}
    </section>
  );
}
