// One text of a document: what it says, where it stands, how far it is read, and why it could not be.
import { useState } from "preact/hooks";
import type { Schema } from "../../api/types";
import { href } from "../../app/router";
import { MemoryLink } from "../../parts/link";
import { count } from "../../parts/numbers";

export type DocumentText = Schema<"DocumentTextReply">;

const STATES: Record<string, [string, string]> = {
  kept: ["○", "its words are there, what they say is not read yet"],
  read: ["◐", "what it says is read and not yet in the graph"],
  stored: ["●", "what it says is in the graph"],
};
const LONG = 1200;

/** What the signs mean. */
export function TextStates() {
  return (
    <ul class="legend">
      {Object.entries(STATES).map(([state, [sign, means]]) => (
        <li key={state}>
          <span aria-hidden="true">{sign}</span> {state}: {means}
        </li>
      ))}
    </ul>
  );
}

export function TextCard({ text }: { text: DocumentText }) {
  const [sign, means] = STATES[text.state] ?? ["?", ""];
  return (
    <li class="card">
      <p class="head">
        <strong>
          {text.origin} {text.position + 1}
        </strong>
        <span class={`text-state ${text.state}`} title={means}>
          <span aria-hidden="true">{sign}</span> {text.state}
        </span>
        {text.start !== null && text.end !== null && (
          <span class="quiet">
            characters {count(text.start)}–{count(text.end)}
          </span>
        )}
        <MemoryLink id={text.memory_id} />
      </p>
      {text.headings.length > 0 && <p class="said quiet">{text.headings.join(" › ")}</p>}
      {text.source && <Source of={text} source={text.source} />}
      <Said text={text.text} />
      {text.summary && (
        <p class="said summary">
          <strong>Summary</strong> {text.summary}
        </p>
      )}
      {text.error && (
        <p class="said warning">
          <strong>Not wholly read</strong> {text.error}
        </p>
      )}
    </li>
  );
}

// Only a series is in here; an address on the web is shown and not linked, since nothing outside is opened from here.
function Source({ of, source }: { of: DocumentText; source: string }) {
  if (of.origin === "series") {
    return (
      <p>
        <a href={href(`/series/${encodeURIComponent(source)}`)}>the series it is made of</a>
      </p>
    );
  }
  return <p class="said quiet">from {source}</p>;
}

function Said({ text }: { text: string }) {
  const [isOpen, open] = useState(text.length <= LONG);
  return (
    <>
      <p class="said pre">{isOpen ? text : `${text.slice(0, LONG)}…`}</p>
      {!isOpen && (
        <button type="button" onClick={() => open(true)}>
          Show all {count(text.length)} characters
        </button>
      )}
    </>
  );
}
