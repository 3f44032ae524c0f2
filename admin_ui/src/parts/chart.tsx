// Lines over time. The drawing is stretched to its box; words and numbers stand beside it, so that they stay readable.
import { useState } from "preact/hooks";
import { short } from "./time";

const WIDTH = 600;
const HEIGHT = 120;
const MOST = 2000; // points drawn; more would fall on the same pixels

export type Point = { at: string | number | Date; value: number };
type Place = { x: number; y: number; point: Point };

type Props = { points: readonly Point[]; label: string; unit?: string | null | undefined };

/** Points in the order of their times. */
export function LineChart({ points, label, unit }: Props) {
  const [near, point] = useState<Place | null>(null);
  const drawn = thinned(points.filter((each) => Number.isFinite(each.value)));
  const [low, high] = range(drawn);
  const places = placed(drawn, low, high);
  const [first, last] = [drawn[0], drawn.at(-1)];
  if (!first || !last) return <p class="state">No values yet.</p>;
  const said = (value: number): string => `${amount(value)}${unit ? ` ${unit}` : ""}`;
  const summary = `${label}: ${points.length} values from ${said(Math.min(...drawn.map((each) => each.value)))} to ${said(high)}, last ${said(last.value)}`;
  return (
    <figure class="chart">
      <p class="ends">
        <span>{said(high)}</span>
        <span class="reading">{near ? `${when(near.point)}: ${said(near.point.value)}` : said(last.value)}</span>
      </p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
        onPointerMove={(event) => point(nearest(places, event))}
        onPointerLeave={() => point(null)}
      >
        <path class="area" d={`${line(places)} L${WIDTH} ${HEIGHT} L${places[0]?.x ?? 0} ${HEIGHT} Z`} />
        <path class="line" d={line(places)} />
        {places.length <= 60 && <path class="dots" d={dots(places)} />}
        {near && <path class="dots near" d={dots([near])} />}
      </svg>
      <p class="ends">
        <span>{when(first)}</span>
        <span>{low !== 0 && `from ${said(low)}`}</span>
        <span>{when(last)}</span>
      </p>
    </figure>
  );
}

/** A line of values at equal distances, as high as the text beside it. */
export function Spark({ values }: { values: readonly number[] }) {
  const points = values.map((value, at) => ({ at, value }));
  const [low, high] = range(points);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="line" d={line(placed(points, low, high))} />
    </svg>
  );
}

/** From zero where the values are not far from it: half-empty axes make small changes look large. */
function range(points: readonly Point[]): [number, number] {
  const values = points.map((each) => each.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low >= 0 && low <= high / 2) return [0, high || 1];
  return low === high ? [low - 1, high + 1] : [low, high];
}

function placed(points: readonly Point[], low: number, high: number): Place[] {
  const times = points.map((each) => new Date(each.at).getTime());
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
  return points.map((point, at) => ({
    x: to > from ? (((times[at] ?? from) - from) / (to - from)) * WIDTH : WIDTH / 2,
    y: HEIGHT - ((point.value - low) / (high - low || 1)) * (HEIGHT - 8) - 4,
    point,
  }));
}

const spot = ({ x, y }: Place): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
const line = (places: readonly Place[]): string => (places.length ? `M${places.map(spot).join(" L")}` : "");
/** Lines of no length: their round caps are dots that the stretching does not bend. */
const dots = (places: readonly Place[]): string => places.map((each) => `M${spot(each)} l0.01 0`).join("");

function nearest(places: readonly Place[], event: PointerEvent): Place | null {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  const x = ((event.clientX - box.left) / (box.width || 1)) * WIDTH;
  return places.reduce<Place | null>(
    (best, each) => (best && Math.abs(best.x - x) <= Math.abs(each.x - x) ? best : each),
    null,
  );
}

function thinned(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST);
  return step <= 1 ? points : points.filter((_, at) => at % step === 0 || at === points.length - 1);
}

function when(point: Point): string {
  const at = new Date(point.at);
  return Number.isNaN(at.getTime()) ? String(point.at) : short(at.toISOString());
}

function amount(value: number): string {
  return value.toLocaleString(undefined, { maximumSignificantDigits: 4 });
}
