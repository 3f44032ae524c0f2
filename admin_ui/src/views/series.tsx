// The series of a dataset: what has a value over time.
import { get } from "../api/client";
import type { Page, Schema } from "../api/types";
import { usePages } from "../app/pages";
import { filter, href, params } from "../app/router";
import { Search } from "../parts/fields";
import { EntityLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { More, Table } from "../parts/table";
import { Time } from "../parts/time";

export type Series = Schema<"SeriesReply">;

export default function SeriesList() {
  const dataset = params.value.get("dataset") ?? "default";
  const text = params.value.get("text") ?? "";
  const pages = usePages<Series>(
    (cursor, asking) => get<Page<Series>>("/v1/series", { dataset, text, cursor }, asking),
    [dataset, text],
  );
  return (
    <>
      <div class="head">
        <h1>Series</h1>
        <span class="quiet">
          in <bdi>{dataset}</bdi>
        </span>
      </div>
      <div class="filters">
        <Search label="Name" value={text} onChange={(value) => filter({ text: value })} />
      </div>
      {pages.items &&
        (pages.items.length ? (
          <List series={pages.items} />
        ) : (
          <Empty>No such series: no memory here gives values over time.</Empty>
        ))}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
    </>
  );
}

function List({ series }: { series: Series[] }) {
  const rows = series.map((each) => [
    <a class="said" href={href(`/series/${each.series_id}`, { dataset: each.dataset })}>
      {each.name}
    </a>,
    each.entity ? <EntityLink id={each.entity.entity_id} name={each.entity.name} /> : "–",
    each.unit ?? "–",
    each.points,
    <Time at={each.first_at} />,
    <Time at={each.last_at} />,
  ]);
  return <Table label="Series" heads={["Series", "Of", "Unit", "Points", "From", "To"]} rows={rows} />;
}
