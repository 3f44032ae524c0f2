// What is known of one side of a proposal: enough to tell whether it is the other.
import { get } from "../../api/client";
import type { Page } from "../../api/types";
import { useLoaded } from "../../app/load";
import { EntityLink, MemoryLink } from "../../parts/link";
import { Loading, Trouble } from "../../parts/states";
import { type Entity, type Mention, mentionsOf } from "../entity/mentions";
import { cut, Name } from "../entity/name";
import { Said } from "../entity/said";
import type { Statement } from "../entity/timelines";
import { counted } from "../graph/best";
import { Kind } from "../graph/mark";

const EXAMPLES = 3; // statements
const TEXT = 200; // characters of a memory
const CHIP = 40; // characters of a name beside others
const MEMORIES = 4; // looked into where nothing is said

export type Known = {
  entity: Entity;
  examples: readonly Statement[];
  hasMore: boolean;
  /** Where it is named, if nothing is said of it. */
  mentions: readonly Mention[];
};

export async function knownOf(id: string, dataset: string, signal: AbortSignal): Promise<Known> {
  const [entity, { data, has_more: hasMore }] = await Promise.all([
    get<Entity>(`/v1/entities/${encodeURIComponent(id)}`, {}, signal),
    get<Page<Statement>>("/v1/statements", { entity: id, dataset, limit: EXAMPLES }, signal),
  ]);
  const mentions = data.length ? [] : await mentionsOf(entity, signal, MEMORIES);
  return { entity, examples: data, hasMore, mentions };
}

/** `isRoot`: called as what it has become, which may go by another name than its own. */
type Props = { id: string; name: string; dataset: string; title: string; isRoot?: boolean };

export function Side({ id, name, dataset, title, isRoot }: Props) {
  const { value, problem, again } = useLoaded((asking) => knownOf(id, dataset, asking), [id, dataset]);
  return (
    <section class="card side" aria-label={`${title}: ${name}`}>
      <h3>
        <span class="quiet">{title}</span> <EntityLink id={id} name={isRoot && value ? value.entity.name : name} />
      </h3>
      {problem ? <Trouble problem={problem} again={again} /> : value ? <Facts known={value} id={id} /> : <Loading />}
    </section>
  );
}

function Facts({ known: { entity, examples, hasMore, mentions }, id }: { known: Known; id: string }) {
  return (
    <>
      <p class="links quiet">
        <Kind of={entity.kind} />
        <span>{counted(entity.statements, "statement")}</span>
        <span>named in {counted(entity.memories, "memory", "memories")}</span>
        <code class="id">{id}</code>
      </p>
      <p>
        {entity.aliases.map((each) => (
          <span key={each} class="chip">
            <Name of={each} most={CHIP} />
          </span>
        ))}
      </p>
      {examples.length ? <Examples of={examples} /> : <Named in={mentions} />}
      {hasMore && <p class="quiet">The newest {EXAMPLES}; its page has the others.</p>}
    </>
  );
}

function Examples({ of }: { of: readonly Statement[] }) {
  return (
    <ul class="relations">
      {of.map((each) => (
        <li key={each.statement_id}>
          <Said of={each} />
          {each.evidence.slice(0, 1).map((found) => (
            <div key={found.memory_id} class="quiet">
              from <MemoryLink id={found.memory_id} text={found.quote} />
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Named({ in: mentions }: { in: readonly Mention[] }) {
  return (
    <>
      <p class="quiet">Nothing is said of it; it is only named{mentions.length ? ":" : "."}</p>
      <ul class="relations">
        {mentions.slice(0, EXAMPLES).map(({ memory }) => (
          <li key={memory.memory_id}>
            <MemoryLink id={memory.memory_id} text={cut(memory.text, TEXT)} />
          </li>
        ))}
      </ul>
    </>
  );
}
