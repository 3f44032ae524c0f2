// Places as the map and the list show them: mentions of one place together, and spots that would overlap as one.
import type { Schema } from "../../api/types";
import { type Frame, type Size, seen } from "./frame";
import { type Point, project } from "./projection";

export type Mention = Schema<"PlaceReply"> & { km?: number };
type Entity = Schema<"EntityRefReply">;

export type Place = {
  /** What the address of the page calls it. */
  key: string;
  name: string;
  region: string;
  lat: number;
  lon: number;
  /** How far from the middle of the circle that was asked for. */
  km: number | null;
  isSure: boolean;
  /** How the server came to know it: `text`, `exif` and so on. */
  sources: string[];
  entities: Entity[];
  memories: string[];
};

/** One for each name at a point; the server has one for each entity and memory. */
export function together(mentions: readonly Mention[]): Place[] {
  const found = new Map<string, Place>();
  for (const mention of mentions) {
    const key = `${mention.lat},${mention.lon},${mention.name}`;
    const place = found.get(key) ?? begun(key, mention);
    found.set(key, place);
    add(place, mention);
  }
  return [...found.values()];
}

function begun(key: string, { name, region, country, lat, lon, km }: Mention): Place {
  const where = [region, country].filter(Boolean).join(", ");
  return { key, name, region: where, lat, lon, km: km ?? null, isSure: true, sources: [], entities: [], memories: [] };
}

function add(place: Place, { source, confident, entity, memory_ids }: Mention): void {
  place.isSure &&= confident;
  if (!place.sources.includes(source)) place.sources.push(source);
  if (entity && !place.entities.some((each) => each.entity_id === entity.entity_id)) place.entities.push(entity);
  place.memories = [...new Set([...place.memories, ...memory_ids])];
}

export function named(places: readonly Place[], text: string): Place[] {
  const wanted = text.trim().toLowerCase();
  return places.filter((each) => `${each.name} ${each.region}`.toLowerCase().includes(wanted));
}

/** Places that are seen at one spot, and where that is in pixels. */
export type Cluster = { at: Point; places: Place[] };

/** Spots nearer to each other than `apart` pixels are one, at the first of them. What is out of sight is left out. */
export function clusters(places: readonly Place[], frame: Frame, size: Size, apart: number): Cluster[] {
  const found: Cluster[] = [];
  for (const place of places) {
    const at = seen(frame, size, project([place.lon, place.lat]));
    if (at[0] < 0 || at[1] < 0 || at[0] > size.width || at[1] > size.height) continue;
    const near = found.find((each) => Math.hypot(each.at[0] - at[0], each.at[1] - at[1]) < apart);
    if (near) near.places.push(place);
    else found.push({ at, places: [place] });
  }
  return found;
}
