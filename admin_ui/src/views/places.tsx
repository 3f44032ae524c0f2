// The places that the memories of a dataset name: on a map that needs no network, and the same as a list.
import { useMemo } from "preact/hooks";
import { get } from "../api/client";
import type { Page } from "../api/types";
import { type Pages, usePages } from "../app/pages";
import { filter, params } from "../app/router";
import { Search } from "../parts/fields";
import { JsonLink } from "../parts/link";
import { count } from "../parts/numbers";
import { Empty, Loading, Trouble } from "../parts/states";
import { More } from "../parts/table";
import { Chosen } from "./places/chosen";
import { List } from "./places/list";
import { type Circle, WorldMap } from "./places/map";
import { circleOf, KM, look, Near } from "./places/near";
import { type Mention, named, type Place, together } from "./places/spots";

const PAGE = 500;

export default function Places() {
  const dataset = params.value.get("dataset") ?? "default";
  const pages = usePages<Mention>(
    (cursor, asking) => get<Page<Mention>>("/v1/places", { dataset, limit: PAGE, cursor }, asking),
    [dataset],
  );
  return (
    <>
      <div class="head">
        <h1>Places</h1>
        <span class="quiet">
          in <bdi>{dataset}</bdi>
        </span>
        <JsonLink to={`/v1/places?${new URLSearchParams({ dataset, limit: String(PAGE) })}`} />
      </div>
      {pages.items && <Shown key={dataset} dataset={dataset} mentions={pages.items} pages={pages} />}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
    </>
  );
}

type Given = { dataset: string; mentions: Mention[]; pages: Pages<Mention> };

function Shown({ dataset, mentions, pages }: Given) {
  const text = params.value.get("text") ?? "";
  const chosen = params.value.get("place") ?? "";
  const near = circleOf(params.value);
  const all = useMemo(() => together(mentions), [mentions]);
  const places = useMemo(() => named(all, text), [all, text]);
  const place = all.find((each) => each.key === chosen);
  const choose = (key: string): void => filter({ place: key === chosen ? null : key });
  return (
    <div class="places">
      <section class="panel" aria-label="Map">
        <WorldMap places={places} chosen={chosen} near={near} choose={choose} look={look} />
      </section>
      <div>
        {place && (
          <Chosen
            place={place}
            beside={all.filter((each) => each !== place && each.lat === place.lat && each.lon === place.lon)}
            isNear={near !== null && isAt(near, place)}
            km={params.value.get("km") ?? KM}
            choose={choose}
            look={look}
          />
        )}
        {near && <Near dataset={dataset} near={near} chosen={chosen} choose={choose} />}
        {!near && (
          <section class="panel" aria-label="List">
            <div class="filters">
              <Search label="Name or region" value={text} onChange={(value) => filter({ text: value })} />
              <Total found={places.length} of={all.length} isAll={!pages.hasMore} />
            </div>
            {places.length > 0 && <List places={places} chosen={chosen} choose={choose} />}
            {!places.length && <Nothing isFiltered={all.length > 0} />}
            <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
          </section>
        )}
      </div>
    </div>
  );
}

/** As exactly as the address of the page says it. */
const isAt = (near: Circle, place: Place): boolean =>
  Math.abs(near.lat - place.lat) < 1e-4 && Math.abs(near.lon - place.lon) < 1e-4;

function Total({ found, of, isAll }: { found: number; of: number; isAll: boolean }) {
  const sum = `${count(of)} ${of === 1 ? "place" : "places"}${isAll ? "" : " so far"}`;
  return (
    <p class="quiet total" role="status">
      {found === of ? sum : `${count(found)} of ${sum}`}
    </p>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return <Empty>{isFiltered ? "No place has such a name." : "No memory of this dataset names a place."}</Empty>;
}
