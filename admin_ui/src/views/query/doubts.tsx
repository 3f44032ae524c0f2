// What is to be known beside an answer: notes of the server, citations it took out, places it understood.
import { Tree } from "../../parts/json";
import { Fold } from "../recall/fold";
import type { Result } from "./ask";

export function Doubts({ result }: { result: Result }) {
  const { notes, removed, places } = result;
  return (
    <section class="panel" aria-labelledby="doubts">
      <h2 id="doubts">Notes and checks</h2>
      {notes.length > 0 && (
        <ul aria-label="Notes">
          {notes.map((each) => (
            <li key={each} class="said">
              {each}
            </li>
          ))}
        </ul>
      )}
      {removed.length > 0 && <Removed removed={removed} />}
      {places.length > 0 && <Places places={places} />}
      {!notes.length && !removed.length && !places.length && (
        <p class="quiet">No notes; no citation was taken out; no place was meant.</p>
      )}
      <Fold title="The reply of the API" facts="JSON">
        <Tree value={result} />
      </Fold>
    </section>
  );
}

function Removed({ removed }: { removed: Result["removed"] }) {
  return (
    <>
      <h3>Citations taken out</h3>
      <ul class="removed">
        {removed.map((each, at) => (
          <li key={at}>
            <strong>[{String(each["n"])}]</strong> after <q class="said">{String(each["sentence"])}</q>:{" "}
            <span class="said">{String(each["reason"])}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A place and how far around it was looked. */
function Places({ places }: { places: Result["places"] }) {
  return (
    <>
      <h3>Places the question was understood to mean</h3>
      <ul>
        {places.map((each, at) => (
          <li key={at}>
            <bdi>{String(each["name"])}</bdi>{" "}
            <span class="quiet">
              {degrees(each["lat"])}, {degrees(each["lon"])}, within {degrees(each["km"], 1)} km;{" "}
              <bdi>{String(each["reason"] ?? each["source"] ?? "")}</bdi>
              {each["confident"] === false && " (not sure)"}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const degrees = (value: unknown, digits = 4): string => (typeof value === "number" ? value.toFixed(digits) : "–");
