// One hit: the memory, which lanes found it at which rank, and what its score is made of.
import { useState } from "preact/hooks";
import { filter } from "../../app/router";
import { Bar } from "../../parts/bars";
import { MemoryLink } from "../../parts/link";
import { Status } from "../../parts/status";
import { Time } from "../../parts/time";
import { best, figure, type Hit, type Lane, type Measured, type Part, partsOf } from "./trace";
import { MEANS, NAMES, SCORES } from "./words";

const CUT = 360; // characters of a text shown at first

export type How = { lanes: Record<string, Lane>; weights: Record<string, number>; top: number };
type Given = { hit: Hit; at: number; how: How; measured: Measured | null; citedAs: readonly number[] };

/** `at`: its place, from 1. `measured`: null of hits beyond those that the trace shows. */
export function OneHit({ hit, at, how, measured, citedAs }: Given) {
  return (
    <li class={citedAs.length ? "panel hit cited" : "panel hit"} data-row>
      <header class="head">
        <h3>{at}</h3>
        <MemoryLink id={hit.memory_id} />
        {!hit.is_current && <Status of="superseded" />}
        {citedAs.length > 0 && <span class="chip">✓ cited as {citedAs.map((n) => `[${n}]`).join(" ")}</span>}
        <span class="score" title="The score: the sum that hits are ordered by">
          <Bar value={hit.score} max={how.top} label={figure(hit.score)} />
        </span>
      </header>
      <Said text={hit.text} />
      <Whence hit={hit} />
      <Found hit={hit} at={at} how={how} parts={measured ? partsOf(measured, how.weights) : []} />
    </li>
  );
}

function Said({ text }: { text: string }) {
  const [isWhole, whole] = useState(text.length <= CUT);
  return (
    <p class="said pre">
      {isWhole ? text : `${text.slice(0, CUT)}…`}{" "}
      {!isWhole && (
        <button type="button" class="plain" onClick={() => whole(true)}>
          show all {text.length} characters
        </button>
      )}
    </p>
  );
}

function Whence({ hit }: { hit: Hit }) {
  return (
    <p class="whence quiet">
      {hit.agent && <Narrow name="agent" value={hit.agent} />}
      {hit.session && <Narrow name="session" value={hit.session} />}
      {hit.document_id && <Narrow name="document_id" label="document" value={hit.document_id} />}
      <span>kind {hit.kind}</span>
      <span>
        happened <Time at={hit.occurred_at} />
      </span>
    </p>
  );
}

/** What the hit is of, as the way to ask only among the like. */
function Narrow({ name, label = name, value }: { name: string; label?: string; value: string }) {
  return (
    <span>
      {label}{" "}
      <button type="button" class="plain" title={`Only of this ${label}`} onClick={() => filter({ [name]: value })}>
        <bdi>{value}</bdi>
      </button>
    </span>
  );
}

type FoundGiven = { hit: Hit; at: number; how: How; parts: readonly Part[] };

/** A row for each lane and for each measure that moved the score. */
function Found({ hit, at, how, parts }: FoundGiven) {
  const most = Math.max(...parts.map((each) => Math.abs(each.adds)), 0);
  const lanes = Object.keys(how.lanes).filter((name) => hit.lanes[name]);
  const others = parts.filter((each) => !lanes.includes(each.name)).map((each) => each.name);
  return (
    <table class="found" aria-label={`How hit ${at} was found`}>
      <thead>
        <tr>
          <th scope="col">Lane or measure</th>
          <th scope="col">Rank</th>
          <th scope="col" title="The lane's own score; the bar is its share of the lane's best">
            Score in the lane
          </th>
          <th scope="col" title="What it adds to the score of the hit, and its share of it">
            Adds
          </th>
        </tr>
      </thead>
      <tbody>
        {[...lanes, ...others].map((name) => (
          <tr key={name}>
            <th scope="row" title={MEANS[name]}>
              {NAMES[name] ?? name}
            </th>
            <LaneCells name={name} hit={hit} lane={how.lanes[name]} />
            <td>
              <Adds part={parts.find((each) => each.name === name)} most={most} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LaneCells({ name, hit, lane }: { name: string; hit: Hit; lane: Lane | undefined }) {
  const found = hit.lanes[name];
  if (!found) return <td colSpan={2} />;
  return (
    <>
      <td class="rank">{found.rank}</td>
      <td title={SCORES[name]}>
        <Bar value={found.score} max={best(lane)} label={figure(found.score)} />
      </td>
    </>
  );
}

function Adds({ part, most }: { part: Part | undefined; most: number }) {
  if (!part) return <span class="quiet">nothing</span>;
  const share = part.share === null ? "" : ` · ${Math.round(part.share * 100)} %`.replace("-", "−");
  return (
    <Bar value={Math.abs(part.adds)} max={most} label={`${part.adds < 0 ? "" : "+"}${figure(part.adds)}${share}`} />
  );
}
