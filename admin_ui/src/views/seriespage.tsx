// A series: its points as a line and as a table, with the values they had before.
import { get } from "../api/client";
import type { Page, Schema } from "../api/types";
import { useLoaded } from "../app/load";
import { usePages } from "../app/pages";
import { href, params } from "../app/router";
import { LineChart } from "../parts/chart";
import { EntityLink, JsonLink, MemoryLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { More, Table } from "../parts/table";
import { Time } from "../parts/time";
import type { Series } from "./series";

type Point = Schema<"PointReply">;
const PAGES = 20; // looked through for the name: the server has no call for one series

async function named(id: string, dataset: string, asking: AbortSignal): Promise<Series | null> {
  let cursor: string | null = null;
  for (let page = 0; page < PAGES; page++) {
    const found: Page<Series> = await get<Page<Series>>("/v1/series", { dataset, limit: 500, cursor }, asking);
    const series = found.data.find((each) => each.series_id === id);
    if (series || !found.has_more) return series ?? null;
    cursor = found.next_cursor;
  }
  return null;
}

export default function SeriesPage({ id }: { id: string }) {
  const dataset = params.value.get("dataset") ?? "default";
  const address = `/v1/series/${encodeURIComponent(id)}/points`;
  const series = useLoaded((asking) => named(id, dataset, asking), [id, dataset]).value;
  const pages = usePages<Point>((cursor, asking) => get<Page<Point>>(address, { limit: 500, cursor }, asking), [id]);
  return (
    <>
      <p class="crumbs">
        <a href={href("/series", { dataset })}>Series</a> in <bdi>{dataset}</bdi>
      </p>
      <div class="head">
        <h1 class="said">{series?.name ?? id}</h1>
        {series?.entity && (
          <span>
            of <EntityLink id={series.entity.entity_id} name={series.entity.name} />
          </span>
        )}
        <JsonLink to={address} />
      </div>
      {pages.items &&
        (pages.items.length ? (
          <Points points={pages.items} name={series?.name ?? "Series"} unit={series?.unit ?? null} />
        ) : (
          <Empty>The series has no points.</Empty>
        ))}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
    </>
  );
}

function Points({ points, name, unit }: { points: Point[]; name: string; unit: string | null }) {
  const rows = points.map((each) => [
    <>
      <Time at={each.at} />
      {each.until && (
        <>
          {" "}
          – <Time at={each.until} />
        </>
      )}
    </>,
    <>
      {each.value.toLocaleString("en")} {unit ?? ""}
    </>,
    <bdi>{each.written ?? "–"}</bdi>,
    each.was.length ? each.was.map((value) => value.toLocaleString("en")).join(", then ") : "–",
    each.memory_id ? (
      <MemoryLink id={each.memory_id} />
    ) : (
      <bdi class="said">{each.source_url ?? each.source ?? "–"}</bdi>
    ),
    <Time at={each.recorded_at} />,
  ]);
  return (
    <>
      <section class="panel" aria-label="Chart">
        <LineChart points={points} label={name} unit={unit} />
      </section>
      <section class="panel" aria-label="Points">
        <Table label="Points" heads={["Time", "Value", "As written", "Was", "From", "Recorded"]} rows={rows} />
      </section>
    </>
  );
}
