// How a series went, in its row of the list: a small line and its latest value.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { Spark } from "../../parts/spark";
import type { Series } from "../series";
import { amount } from "./numbers";

type Points = Page<Schema<"PointReply">>;
const MOST = 500; // points of a line this small

/** The line has no more than the first points, so a longer series shows only where it stands. */
export function Course({ of }: { of: Series }) {
  const isLong = of.points > MOST;
  const address = `/v1/series/${encodeURIComponent(of.series_id)}/points`;
  const asked = { limit: MOST, ...(isLong ? { start: of.last_at } : {}) };
  const { value, problem } = useLoaded((asking) => get<Points>(address, asked, asking), [of.series_id]);
  if (problem) return <span class="bad">not loaded</span>;
  if (!value) return <>…</>;
  const values = value.data.map((each) => each.value);
  return (
    <span class="course">
      {isLong ? <span class="spark-room quiet">too long</span> : <Spark values={values} />}
      <span class="number">{amount(values.at(-1) ?? Number.NaN, of.unit)}</span>
    </span>
  );
}
