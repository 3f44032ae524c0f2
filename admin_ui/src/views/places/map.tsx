// The map: land, and a dot for each place. It stands in degrees; moving it moves the window on them.
import { useMemo, useState } from "preact/hooks";
import { landPath } from "./land";
import { CELLS_PER_DEGREE } from "./world";

export type Spot = { key: string; name: string; lat: number; lon: number };
type Box = { x: number; y: number; width: number };

const HEIGHT = 0.45; // of the width
const WORLD: Box = { x: -180, y: -84, width: 360 };
const CLOSEST = 4;

function around(spots: readonly Spot[]): Box {
  if (!spots.length) return WORLD;
  const [lons, lats] = [spots.map((each) => each.lon), spots.map((each) => -each.lat)];
  const [left, top] = [Math.min(...lons), Math.min(...lats)];
  const [across, down] = [Math.max(...lons) - left, Math.max(...lats) - top];
  const width = Math.min(360, Math.max(70, across * 1.3, (down * 1.3) / HEIGHT));
  return { x: left + across / 2 - width / 2, y: top + down / 2 - (width * HEIGHT) / 2, width };
}

export default function WorldMap({
  spots,
  chosen,
  choose,
}: {
  spots: readonly Spot[];
  chosen: string;
  choose: (key: string) => void;
}) {
  const land = useMemo(landPath, []);
  const [box, look] = useState(() => around(spots));
  const [grip, hold] = useState<{ x: number; y: number; box: Box } | null>(null);
  function zoom(by: number): void {
    const width = Math.min(360, Math.max(CLOSEST, box.width * by));
    const lost = box.width - width;
    look({ x: box.x + lost / 2, y: box.y + (lost * HEIGHT) / 2, width });
  }
  function drag(event: PointerEvent): void {
    if (!grip) return;
    const scale = grip.box.width / ((event.currentTarget as Element).clientWidth || 1);
    look({
      ...grip.box,
      x: grip.box.x - (event.clientX - grip.x) * scale,
      y: grip.box.y - (event.clientY - grip.y) * scale,
    });
  }
  const dot = box.width / 130;
  return (
    <figure class="map">
      <svg
        viewBox={`${box.x} ${box.y} ${box.width} ${box.width * HEIGHT}`}
        role="img"
        aria-label={`Map with ${spots.length} places; the list beside it has the same`}
        onPointerDown={(event) => hold({ x: event.clientX, y: event.clientY, box })}
        onPointerMove={drag}
        onPointerUp={() => hold(null)}
        onPointerLeave={() => hold(null)}
      >
        <path class="land" d={land} stroke-width={1.04 / CELLS_PER_DEGREE} />
        {spots.map((each) => (
          <circle
            key={each.key}
            class={each.key === chosen ? "spot chosen" : "spot"}
            cx={each.lon}
            cy={-each.lat}
            r={each.key === chosen ? dot * 1.5 : dot}
            stroke-width={dot / 3}
            onClick={() => choose(each.key)}
          >
            <title>{each.name}</title>
          </circle>
        ))}
      </svg>
      <p class="actions">
        <button type="button" aria-label="Closer" onClick={() => zoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="Farther" onClick={() => zoom(2)}>
          −
        </button>
        <button type="button" onClick={() => look(around(spots))}>
          All places
        </button>
        <button type="button" onClick={() => look(WORLD)}>
          World
        </button>
      </p>
    </figure>
  );
}
