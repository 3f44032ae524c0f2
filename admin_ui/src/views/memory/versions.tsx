// The revisions of a memory, newest first, and what each edit changed.
import { useState } from "preact/hooks";
import { MemoryLink } from "../../parts/link";
import { Status } from "../../parts/status";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { type Memory, MOST, opening, type Revision } from "./bundle";
import { changes } from "./revisions";
import { Rest, Section } from "./section";

const PAGE = 10;
const WORDS = 100; // units of each text shown
const HEADS = ["Revision", "State", "Recorded", "Changed", "Its words"];

export function Versions({ memory, versions }: { memory: Memory; versions: readonly Revision[] }) {
  const [shown, show] = useState(PAGE);
  const rows = versions.slice(0, shown).map((each, at) => [
    each.memory_id === memory.memory_id ? (
      <>
        <code class="id">{each.memory_id}</code> <span class="quiet">shown here</span>
      </>
    ) : (
      <MemoryLink id={each.memory_id} />
    ),
    <Status key="state" of={each.is_current ? "current" : "superseded"} />,
    <Time key="at" at={each.recorded_at} />,
    changed(each, versions[at + 1], versions.length),
    <span key="words" class="said">
      {opening(each.text, WORDS)}
    </span>,
  ]);
  return (
    <Section title="Revisions" size={versions.length}>
      <Table label="Revisions" heads={HEADS} rows={rows} />
      <Rest of="revisions" left={versions.length - shown} show={() => show(shown + PAGE * 4)} />
      {versions.length >= MOST.versions && (
        <p class="quiet">These are the {MOST.versions} newest, which the server tells at most.</p>
      )}
    </Section>
  );
}

function changed(memory: Revision, before: Revision | undefined, known: number): string {
  if (!before) return known >= MOST.versions ? "–" : "first written";
  return changes(memory, before).join(", ") || "nothing";
}
