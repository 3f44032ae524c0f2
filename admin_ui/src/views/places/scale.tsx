// How far a length on the map is, in the middle of what is seen.
import type { Frame, Size } from "./frame";
import { KM_PER_DEGREE, unproject } from "./projection";

const SHARE = 0.2; // of the width, at most

export function Scale({ frame, size }: { frame: Frame; size: Size }) {
  const [, lat] = unproject([frame.x, frame.y]);
  const perPixel = frame.unit * KM_PER_DEGREE * Math.cos((lat * Math.PI) / 180);
  const km = round(perPixel * size.width * SHARE);
  return (
    <p class="scale quiet">
      <span class="rod" style={{ width: `${km / perPixel}px` }} aria-hidden="true" /> {distance(km)}
    </p>
  );
}

/** The largest of 1, 2, 5, 10, 20 … that is not more. */
export function round(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1) * power;
}

export function distance(km: number): string {
  if (km < 1) return `${Math.round(km * 1000)} m`;
  return `${km.toLocaleString("en", { maximumFractionDigits: km < 10 ? 1 : 0 })} km`;
}
