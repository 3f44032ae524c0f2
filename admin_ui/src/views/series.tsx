// The series of a dataset: what has a value over time.
import { get } from "../api/client";
import type { Page, Schema } from "../api/types";
import { usePages } from "../app/pages";
import { filter, href, params } from "../app/router";
import { Search } from "../parts/fields";
import { EntityLink, JsonLink } from "../parts/link";
import { count } from "../parts/numbers";
import { Seen } from "../parts/seen";
import { Empty, Loading, Trouble } from "../parts/states";
import { More, Table } from "../parts/table";
import { Time } from "../parts/time";
import { Course } from "./series/course";

export type Series = Schema<"SeriesReply">;

const PAGE = 50;
const MOST_TEXT = 256; // characters the server looks for

export default function SeriesList() {
  const dataset = params.value.get("dataset") ?? "default";
  const text = (params.value.get("text") ?? "").slice(0, MOST_TEXT);
  const pages = usePages<Series>(
    (cursor, asking) => get<Page<Series>>("/v1/series", { dataset, text, limit: PAGE, cursor }, asking),
    [dataset, text],
  );
  return (
    <>
      <div class="head">
        <h1>Series</h1>
        <span class="quiet">
          in <bdi>{dataset}</bdi>
        </span>
        <JsonLink to={`/v1/series?${new URLSearchParams({ dataset })}`} />
      </div>
      <div class="filters">
        <Search label="Name or entity" value={text} onChange={(value) => filter({ text: value })} />
      </div>
      <section class="panel" aria-label="Series">
        {pages.items && (pages.items.length ? <List series={pages.items} /> : <Nothing isFiltered={text !== ""} />)}
        {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
        {!pages.problem && <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />}
      </section>
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty>No series has such a name.</Empty>;
  return <Empty>No memory of this dataset gives values over time, such as a revenue for each quarter.</Empty>;
}

function List({ series }: { series: Series[] }) {
  const rows = series.map((each) => [
    <a class="said" href={href(`/series/${encodeURIComponent(each.series_id)}`, { dataset: each.dataset })}>
      {each.name}
    </a>,
    each.entity ? <EntityLink id={each.entity.entity_id} name={each.entity.name} /> : "–",
    <bdi>{each.unit ?? "–"}</bdi>,
    count(each.points),
    <Seen key={each.series_id}>{() => <Course of={each} />}</Seen>,
    <Time at={each.first_at} />,
    <Time at={each.last_at} />,
  ]);
  return (
    <div class="series-list">
      <Table
        label="Series"
        heads={["Series", "Of", "Unit", "Points", "Course and last value", "From", "To"]}
        rows={rows}
      />
    </div>
  );
}
