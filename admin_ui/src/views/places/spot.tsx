// A spot on the map: one place, or the number of those that lie too close together to be told apart.
import type { Cluster } from "./spots";

const [SINGLE, CLUSTER] = [7, 11]; // pixels
const TARGET = 13; // of a finger
const NAMED = 5; // in the name of a cluster

export function Spot({ of, chosen, open }: { of: Cluster; chosen: string; open: () => void }) {
  const [x, y] = of.at;
  const isChosen = of.places.some((each) => each.key === chosen);
  const isMany = of.places.length > 1;
  const name = nameOf(of);
  function key(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    open();
  }
  return (
    <g
      class={isChosen ? "spot chosen" : "spot"}
      role="button"
      tabindex={0}
      aria-label={name}
      aria-pressed={isChosen}
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      onClick={open}
      onKeyDown={key}
    >
      <title>{name}</title>
      <circle class="touch" r={TARGET} />
      {isChosen && <circle class="halo" r={(isMany ? CLUSTER : SINGLE) + 4} />}
      <circle class="dot" r={isMany ? CLUSTER : SINGLE} />
      {isMany && (
        <text text-anchor="middle" dy="4">
          {of.places.length > 99 ? "99+" : of.places.length}
        </text>
      )}
    </g>
  );
}

function nameOf({ places }: Cluster): string {
  const names = places.slice(0, NAMED).map((each) => each.name);
  const rest = places.length - names.length;
  const listed = `${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return places.length > 1 ? `${places.length} places: ${listed}` : listed;
}
