// What an entity is called, and the memories that call it so.
import type { Loaded } from "../../app/load";
import { MemoryLink } from "../../parts/link";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { type Entity, type EntityDetail, type Mention, sources } from "./mentions";
import { cut, Name } from "./name";

const TEXT = 200; // characters of a memory
const CHIP = 40; // characters of a name beside others
const SHOWN = 3; // memories of a name

type Props = { entity: Entity; mentions: Loaded<Mention[]> };
type NamesProps = { entity: EntityDetail; mentions: Loaded<Mention[]> };

export function Names({ entity, mentions }: NamesProps) {
  const rows = entity.names.map(({ name: alias, uses }) => [
    <Name of={alias} />,
    alias === entity.name ? "the name that is shown" : "another name",
    uses.toLocaleString(),
    <From mentions={mentions} alias={alias} isSpeaker={entity.is_speaker && alias === entity.name} />,
  ]);
  return (
    <section class="panel wide" aria-labelledby="names">
      <h2 id="names">Names</h2>
      {rows.length ? (
        <Table label="Names" heads={["Name", "Use", "Memories", "The newest that call it so"]} rows={rows} />
      ) : (
        <Empty>No memory calls it anything.</Empty>
      )}
    </section>
  );
}

type FromProps = { mentions: Loaded<Mention[]>; alias: string; isSpeaker: boolean };

function From({ mentions, alias, isSpeaker }: FromProps) {
  if (!mentions.value) return <span class="quiet">{mentions.problem ? "not known" : "…"}</span>;
  const found = sources(alias, mentions.value);
  if (!found.length)
    return <span class="quiet">{isSpeaker ? "it is the agent that wrote them" : "none of those below"}</span>;
  return (
    <>
      {found.slice(0, SHOWN).map(({ memory }) => (
        <div key={memory.memory_id}>
          <MemoryLink id={memory.memory_id} text={cut(memory.text, TEXT)} />
        </div>
      ))}
      {found.length > SHOWN && <span class="quiet">and {found.length - SHOWN} more of those below</span>}
    </>
  );
}

export function Mentions({ entity, mentions }: Props) {
  const rows = mentions.value?.map(({ memory, names }) => [
    <Time at={memory.occurred_at} />,
    <MemoryLink id={memory.memory_id} text={cut(memory.text, TEXT)} />,
    names.map((each) => (
      <span key={each} class="chip">
        <Name of={each} most={CHIP} />
      </span>
    )),
  ]);
  return (
    <section class="panel wide" aria-labelledby="mentions">
      <h2 id="mentions">
        Memories that mention it{" "}
        {rows && (
          <span class="quiet">
            {rows.length < entity.memories ? `the newest ${rows.length} of ` : ""}
            {entity.memories.toLocaleString()}
          </span>
        )}
      </h2>
      {rows?.length ? <Table label="Memories" heads={["Happened", "Memory", "Called"]} rows={rows} /> : null}
      {rows?.length === 0 && <Empty>No memory names it in its text.</Empty>}
      {mentions.problem ? (
        <Trouble problem={mentions.problem} again={mentions.again} />
      ) : (
        !mentions.value && <Loading />
      )}
    </section>
  );
}
