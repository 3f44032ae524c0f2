// The points of a series as a line and as a table, with where each comes from and the values it had before.
import type { Schema } from "../../api/types";
import { LineChart } from "../../parts/chart";
import { MemoryLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { amount } from "./numbers";

export type Point = Schema<"PointReply">;
const HIGH = 280; // pixels

/** `hasMore`: there are later points than these. */
export function Points({ points, name, unit, hasMore }: Given) {
  const revised = points.filter((each) => each.was.length).length;
  return (
    <>
      <section class="panel" aria-label="Chart">
        <LineChart points={points} label={name} unit={unit} height={HIGH} />
        <Legend points={points} revised={revised} />
        {hasMore && <p class="quiet">Only the first {count(points.length)} points are drawn; load more below.</p>}
      </section>
      <section class="panel" aria-labelledby="points">
        <h2 id="points">Points</h2>
        <Rows points={points} unit={unit} />
      </section>
    </>
  );
}

type Given = { points: Point[]; name: string; unit: string | null; hasMore: boolean };

function Legend({ points, revised }: { points: Point[]; revised: number }) {
  const isHeld = points.some((each) => each.until);
  return (
    <ul class="legend">
      {isHeld && <li>level: the value holds for that time</li>}
      {points.length > 3 && <li>dashed: no values are known between</li>}
      {revised > 0 && <li>○ what was recorded for that time before ({count(revised)} revised)</li>}
      <li>read a point with the pointer, or with ← and → in the chart</li>
    </ul>
  );
}

function Rows({ points, unit }: { points: Point[]; unit: string | null }) {
  const rows = points.map((each) => [
    <>
      <Time at={each.at} />
      {each.until && (
        <>
          {" – "}
          <Time at={each.until} />
        </>
      )}
    </>,
    <>
      <span class="number">{amount(each.value, unit)}</span> {each.was.length > 0 && <span class="warn">revised</span>}
    </>,
    each.was.length ? each.was.map((value) => amount(value, unit)).join(", before ") : "–",
    <bdi class="said">{each.written ?? "–"}</bdi>,
    <Origin of={each} />,
    <Time at={each.recorded_at} />,
  ]);
  return <Table label="Points" heads={["Time", "Value", "Was", "As written", "From", "Recorded"]} rows={rows} />;
}

/** An address on the web is shown and not linked, since nothing outside is opened from here. */
function Origin({ of }: { of: Point }) {
  const outside = of.source_url ?? of.source;
  if (!of.memory_id) return <bdi class="said">{outside ?? "–"}</bdi>;
  return (
    <>
      <MemoryLink id={of.memory_id} />
      {outside && <bdi class="said quiet">{outside}</bdi>}
    </>
  );
}
