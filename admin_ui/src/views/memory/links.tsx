// The links of a memory to others: of what kind, how strong, and what the other one says.
import { useState } from "preact/hooks";
import { get } from "../../api/client";
import { useLoaded } from "../../app/load";
import { filter, params } from "../../app/router";
import { Bar } from "../../parts/bars";
import { type Option, Select } from "../../parts/fields";
import { MemoryLink } from "../../parts/link";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { type Edge, type Memory, MOST, opening } from "./bundle";
import { type Direction, directionOf, kindsOf, otherOf, saying } from "./edges";
import { Note, Rest, Section } from "./section";

const PAGE = 20;
const WORDS = 140; // units of the other text shown
const HEADS = ["Link", "Weight, 0 to 1", "The other memory", "Made by", "When"];

export function Links({ id, edges }: { id: string; edges: readonly Edge[] }) {
  const [shown, show] = useState(PAGE);
  const kinds = kindsOf(edges);
  const kind = params.value.get("link") ?? "";
  const found = edges.filter((each) => !kind || each.kind === kind);
  return (
    <Section title="Links to other memories" size={edges.length}>
      {!edges.length && <Note>Nothing is linked to it.</Note>}
      {(kinds.length > 1 || kind) && (
        <div class="filters">
          <Select label="Kind" value={kind} options={options(kinds)} onChange={(value) => filter({ link: value })} />
        </div>
      )}
      {found.length > 0 && (
        <Table label="Links" heads={HEADS} rows={found.slice(0, shown).map((each) => row(each, id))} />
      )}
      {edges.length > 0 && !found.length && <Note>No link is of this kind.</Note>}
      <Rest of="links" left={found.length - shown} show={() => show(shown + PAGE * 2)} />
      {edges.length >= MOST.edges && (
        <p class="quiet">These are the {MOST.edges} strongest, which the server tells at most.</p>
      )}
    </Section>
  );
}

const options = (kinds: readonly (readonly [string, number])[]): Option[] => [
  ["", "every kind"],
  ...kinds.map(([kind, times]): Option => [kind, `${kind.replaceAll("_", " ")} (${times})`]),
];

function row(edge: Edge, id: string) {
  const direction = directionOf(edge, id);
  const other = otherOf(edge, id);
  return [
    <Way key={other} edge={edge} direction={direction} />,
    <Bar key={other} value={edge.weight} max={1} label={edge.weight.toFixed(2)} />,
    <Other key={other} id={other} />,
    edge.made_by.replaceAll("_", " "),
    <Time key={other} at={edge.created_at} />,
  ];
}

const ARROWS: Record<Direction, string> = { out: "→", in: "←", both: "↔" };

function Way({ edge, direction }: { edge: Edge; direction: Direction }) {
  return (
    <span class="way" title={edge.kind}>
      <span aria-hidden="true">{ARROWS[direction]}</span> {saying(edge.kind, direction)}
    </span>
  );
}

/** Its first words, which are asked for when it is shown. */
function Other({ id }: { id: string }) {
  const { value, problem } = useLoaded((signal) => get<Memory>(`/v1/memories/${id}`, {}, signal), [id]);
  if (problem)
    return (
      <>
        <MemoryLink id={id} /> <span class="quiet">{problem.message}</span>
      </>
    );
  return <MemoryLink id={id} text={value ? opening(value.text, WORDS) || id : undefined} />;
}
