// A series: what it measures, its points as a line and as a table.
import { get } from "../api/client";
import type { Page } from "../api/types";
import { useLoaded } from "../app/load";
import { usePages } from "../app/pages";
import { href, params } from "../app/router";
import { Facts } from "../parts/fields";
import { EntityLink, JsonLink } from "../parts/link";
import { count } from "../parts/numbers";
import { Empty, Loading, Trouble } from "../parts/states";
import { More } from "../parts/table";
import { Time } from "../parts/time";
import type { Series } from "./series";
import { asked, Period } from "./series/period";
import { type Point, Points } from "./series/points";

const PAGE = 500;

export default function SeriesPage({ id }: { id: string }) {
  const address = `/v1/series/${encodeURIComponent(id)}`;
  const { value, problem, again } = useLoaded((asking) => get<Series>(address, {}, asking), [id]);
  const dataset = value?.dataset ?? params.value.get("dataset");
  return (
    <>
      <p class="crumbs">
        <a href={href("/series", { dataset })}>Series</a>
        {dataset && (
          <>
            {" in "}
            <bdi>{dataset}</bdi>
          </>
        )}
      </p>
      <div class="head">
        <h1 class="said">{value?.name ?? id}</h1>
        {value?.entity && (
          <span>
            of <EntityLink id={value.entity.entity_id} name={value.entity.name} />
          </span>
        )}
      </div>
      {problem ? <Trouble problem={problem} again={again} /> : !value && <Loading />}
      {value && <About series={value} address={address} />}
      {value && <Course series={value} address={`${address}/points`} />}
    </>
  );
}

function About({ series, address }: { series: Series; address: string }) {
  return (
    <section class="panel" aria-label="About the series">
      <Facts
        pairs={[
          ["Id", <code class="id">{series.series_id}</code>],
          ["Unit", <bdi>{series.unit ?? "none is given"}</bdi>],
          ["Points", count(series.points)],
          ["First point", <Time at={series.first_at} />],
          ["Last point", <Time at={series.last_at} />],
          ["First recorded", <Time at={series.created_at} />],
        ]}
      />
      <p class="links">
        <span>
          Series: <JsonLink to={address} />
        </span>
        <span>
          Points: <JsonLink to={`${address}/points`} />
        </span>
      </p>
    </section>
  );
}

function Course({ series, address }: { series: Series; address: string }) {
  const [from, to] = [params.value.get("from"), params.value.get("to")];
  const pages = usePages<Point>(
    (cursor, asking) => get<Page<Point>>(address, { ...asked(from, to), limit: PAGE, cursor }, asking),
    [address, from, to],
  );
  return (
    <>
      <Period from={from} to={to} />
      {pages.items &&
        (pages.items.length ? (
          <Points points={pages.items} name={series.name} unit={series.unit} hasMore={pages.hasMore} />
        ) : (
          <Empty>{from || to ? "The series has no points in this time." : "The series has no points."}</Empty>
        ))}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      {!pages.problem && <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />}
    </>
  );
}
