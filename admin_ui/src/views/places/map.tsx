// The map: land, borders, a spot for each place, and the circle that was asked for. Moved by hand, buttons or keys.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useWidth } from "../../parts/width";
import { Buttons, keyed } from "./buttons";
import { around, centred, close, type Frame, type Size, seen } from "./frame";
import { useHand } from "./hand";
import { borderPath, landPath } from "./land";
import { circle, hasPole, type Point, project, unproject } from "./projection";
import { Scale } from "./scale";
import { Spot } from "./spot";
import { type Cluster, clusters, type Place } from "./spots";

export type Circle = { lat: number; lon: number; km: number };
type Given = {
  places: readonly Place[];
  chosen: string;
  near: Circle | null;
  choose: (key: string) => void;
  /** Asks for what is around the middle of what is seen. */
  look: (lat: number, lon: number) => void;
};

const SHAPE = 0.62; // height of the map by its width
const [LEAST, MOST] = [240, 560]; // pixels
const APART = 22; // pixels between the middles of two spots

export function WorldMap({ places, chosen, near, choose, look }: Given) {
  const [box, width] = useWidth<HTMLDivElement>(600);
  const size = { width, height: Math.round(Math.min(MOST, Math.max(LEAST, width * SHAPE))) };
  const [frame, set] = useFrame(places, chosen, near, size);
  const hand = useHand(frame, size, set);
  const all = (): Frame => around(places.map(spotOf), size);
  function key(event: KeyboardEvent): void {
    const next = keyed(event.key, frame, size, all);
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    set(next);
  }
  /** Into a cluster, until it is one spot. */
  function open({ places: here }: Cluster): void {
    const closer = close(here.map(spotOf), size);
    if (here.length > 1 && closer.unit < frame.unit * 0.9 && !isOneSpot(here)) set(closer);
    else choose(here[0]?.key ?? "");
  }
  return (
    <figure class="map" aria-label="Map of the places" onKeyDown={key}>
      <div ref={box} class="sea" tabIndex={0} role="group" aria-label={`Map, ${count(places.length)}. ${KEYS}`}>
        <svg role="group" aria-label="Places on the map" width={size.width} height={size.height} {...hand}>
          <Ground frame={frame} size={size} near={near} />
          {clusters(places, frame, size, APART).map((each) => (
            <Spot key={each.places[0]?.key} of={each} chosen={chosen} open={() => open(each)} />
          ))}
        </svg>
      </div>
      <Scale frame={frame} size={size} />
      <Buttons
        frame={frame}
        size={size}
        set={set}
        all={places.length ? all : null}
        look={() => {
          const [lon, lat] = unproject([frame.x, frame.y]);
          look(lat, lon);
        }}
      />
    </figure>
  );
}

const KEYS = "Arrow keys move it, plus and minus zoom, 0 shows all places.";

const spotOf = ({ lon, lat }: Place): Point => project([lon, lat]);
const count = (n: number): string => (n === 1 ? "1 place" : `${n} places`);
const isOneSpot = (places: readonly Place[]): boolean =>
  places.every((each) => each.lat === places[0]?.lat && each.lon === places[0]?.lon);

/** All places first. Then it stays where the reader has put it, unless what is chosen or asked for is out of sight. */
function useFrame(
  places: readonly Place[],
  chosen: string,
  near: Circle | null,
  size: Size,
): [Frame, (frame: Frame) => void] {
  const [kept, set] = useState<Frame | null>(null);
  const frame = kept ?? around(places.map(spotOf), size);
  const place = places.find((each) => each.key === chosen);
  useEffect(() => {
    if (!place) return;
    const [x, y] = seen(frame, size, spotOf(place));
    if (x < 0 || y < 0 || x > size.width || y > size.height) set(centred(frame, size, spotOf(place)));
  }, [chosen]);
  const asked = near ? `${near.lat} ${near.lon} ${near.km}` : "";
  useEffect(() => {
    if (near) set(close(ringOf(near).map(project), size));
  }, [asked, size.width]);
  return [frame, set];
}

const ringOf = ({ lat, lon, km }: Circle): Point[] => circle([lon, lat], km);

function Ground({ frame, size, near }: { frame: Frame; size: Size; near: Circle | null }) {
  const [land, borders] = useMemo(() => [landPath(), borderPath()], []);
  const ring = near && !hasPole(near.lat, near.km) ? ringOf(near).map(project) : null;
  const [x, y] = seen(frame, size, [0, 0]);
  return (
    <g transform={`translate(${x} ${y}) scale(${1 / frame.unit})`}>
      <path class="land" d={land} />
      <path class="borders" d={borders} />
      {ring && <path class="ring" d={`M${ring.map((each) => each.join(" ")).join("L")}Z`} />}
    </g>
  );
}
