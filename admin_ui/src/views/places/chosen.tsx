// The place that was chosen: where it is, what is there, and what is said of it.
import { get, Problem } from "../../api/client";
import type { Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { Facts, Select } from "../../parts/fields";
import { EntityLink, MemoryLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Unsure } from "./list";
import type { Place } from "./spots";

type Memory = Schema<"MemoryReply">;
type Text = { id: string; text: string | null };

const TEXTS = 8; // memories that are read at once
const LONG = 280; // characters of one
const SOURCES: Record<string, string> = {
  text: "coordinates in a text",
  picture: "where a picture was taken",
  gazetteer: "its name, by GeoNames",
};

type Given = {
  place: Place;
  /** Others at the same spot. */
  beside: readonly Place[];
  km: string;
  /** Whether what is around it is asked for already. */
  isNear: boolean;
  choose: (key: string) => void;
  look: (lat: number, lon: number, km: string) => void;
};

export function Chosen({ place, beside, km, isNear, choose, look }: Given) {
  return (
    <section class="panel" aria-labelledby="chosen">
      <div class="head">
        <h2 id="chosen" class="said">
          {place.name}
        </h2>
        {!place.isSure && <Unsure />}
        <button type="button" onClick={() => choose(place.key)}>
          Close
        </button>
      </div>
      <Facts
        pairs={[
          ["Region", place.region || "–"],
          ["Latitude, longitude", `${place.lat.toFixed(4)}°, ${place.lon.toFixed(4)}°`],
          ["Known from", place.sources.map((each) => SOURCES[each] ?? each).join(", ")],
          ["Entities", <Entities of={place} />],
        ]}
      />
      {beside.length > 0 && (
        <p>
          At the same spot:{" "}
          {beside.map((each) => (
            <button key={each.key} type="button" class="plain" onClick={() => choose(each.key)}>
              <bdi>{each.name}</bdi>
            </button>
          ))}
        </p>
      )}
      {!isNear && (
        <div class="actions near-here">
          <Radius km={km} onChange={(next) => look(place.lat, place.lon, next)} />
          <button type="button" onClick={() => look(place.lat, place.lon, km)}>
            Near here
          </button>
        </div>
      )}
      <Memories key={place.key} ids={place.memories} />
    </section>
  );
}

const RADII = ["10", "25", "50", "100", "250", "500", "1000", "2500"];

export function Radius({ km, onChange }: { km: string; onChange: (km: string) => void }) {
  return (
    <Select
      label="Radius"
      value={km}
      options={RADII.map((each) => [each, `${count(Number(each))} km`] as const)}
      onChange={onChange}
    />
  );
}

function Entities({ of }: { of: Place }) {
  if (!of.entities.length) return <>none is known to be here</>;
  return (
    <>
      {of.entities.map(({ entity_id, name }, at) => (
        <span key={entity_id}>
          {at > 0 && ", "}
          <EntityLink id={entity_id} name={name} />
        </span>
      ))}
    </>
  );
}

function Memories({ ids }: { ids: readonly string[] }) {
  const { value, problem, again } = useLoaded((asking) => texts(ids.slice(0, TEXTS), asking), [ids.join(" ")]);
  return (
    <>
      <h3>{ids.length === 1 ? "1 memory" : `${count(ids.length)} memories`}</h3>
      {!ids.length && <Empty>No memory that is still there names it.</Empty>}
      {problem ? <Trouble problem={problem} again={again} /> : !value && <Loading />}
      <ul class="of-place">
        {value?.map(({ id, text }) => (
          <li key={id}>
            {text === null ? (
              <>
                <MemoryLink id={id} /> <span class="quiet">is no longer there</span>
              </>
            ) : (
              <MemoryLink id={id} text={text.length > LONG ? `${text.slice(0, LONG)}…` : text} />
            )}
          </li>
        ))}
        {ids.slice(TEXTS).map((id) => (
          <li key={id}>
            <MemoryLink id={id} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** One that was forgotten meanwhile has no text; the others are read all the same. */
const texts = (ids: readonly string[], asking: AbortSignal): Promise<Text[]> =>
  Promise.all(
    ids.map((id) =>
      get<Memory>(`/v1/memories/${encodeURIComponent(id)}`, {}, asking).then(
        ({ text }) => ({ id, text }),
        (error: unknown) => {
          if (error instanceof Problem && error.status === 404) return { id, text: null };
          throw error;
        },
      ),
    ),
  );
