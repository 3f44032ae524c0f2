// The entities that a text names.
import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Schema } from "../../api/types";
import { EntityLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { lit, pointing, sought, useSought } from "./pointing";
import { Note, Rest, Section } from "./section";

type Mention = Schema<"MentionReply">;
const PAGE = 60;

export function Named({ entities }: { entities: readonly Mention[] }) {
  const [shown, show] = useState(PAGE);
  useSought(
    entities.map(({ entity }) => entity.entity_id),
    shown,
    (at) => show(at + PAGE),
  );
  return (
    <Section title="Entities named" size={entities.length}>
      {!entities.length && <Note>It names no entity.</Note>}
      <ul class="named">
        {entities.slice(0, shown).map((each) => (
          <Name key={each.entity.entity_id} mention={each} />
        ))}
      </ul>
      <Rest of="entities" left={entities.length - shown} show={() => show(shown + PAGE * 5)} />
    </Section>
  );
}

function Name({ mention: { entity, kind, spans } }: { mention: Mention }) {
  const { entity_id: id, name } = entity;
  const times = spans.length === 1 ? "once" : `${count(spans.length)} times`;
  const isLit = useComputed(() => lit.value.includes(id));
  return (
    <li id={id} class={isLit.value ? "chip lit" : "chip"} tabIndex={-1} data-row="" {...pointing([id])}>
      <EntityLink id={id} name={name} /> <span class="quiet">{kind}</span>
      {spans.length > 0 && (
        <button
          type="button"
          class="plain"
          aria-label={`${times}: show where the text names ${name}`}
          title="Show in the text"
          onClick={() => (sought.value = { id, where: "text" })}
        >
          {times}
        </button>
      )}
    </li>
  );
}
