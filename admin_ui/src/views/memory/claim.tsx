// One statement: how it stands, when it holds, how sure it is, and the words it rests on.
import { useComputed } from "@preact/signals";
import { get } from "../../api/client";
import { useLoaded } from "../../app/load";
import { Bar } from "../../parts/bars";
import { MemoryLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { Status } from "../../parts/status";
import { Holds, Said } from "../entity/said";
import { type Bundle, type Evidence, opening, type Statement, standing } from "./bundle";
import { lit, pointing, sought } from "./pointing";

const QUOTE = 200; // units of a quote shown
const EVIDENCE = 5; // pieces of evidence shown of each
const OTHERS = 3; // other statements named of each

/** `here` is the evidence whose words are in the text that is shown. */
export type Shared = { bundle: Bundle; numbers: Map<string, number>; here: ReadonlySet<Evidence> };

export function Claim({ statement, shared }: { statement: Statement; shared: Shared }) {
  const { bundle, numbers, here } = shared;
  const { statement_id: id } = statement;
  const evidence = [...statement.evidence].sort((a, b) => Number(here.has(b)) - Number(here.has(a)));
  const isLit = useComputed(() => lit.value.includes(id));
  return (
    <li
      id={id}
      class={isLit.value ? "claim lit" : "claim"}
      value={numbers.get(id)}
      tabIndex={-1}
      data-row=""
      {...pointing([id])}
    >
      <div class="head">
        <Said of={statement} />
        <Status of={statement.status} />
      </div>
      <dl class="facts">
        <div>
          <dt>Holds</dt>
          <dd>
            <Holds of={statement} />
          </dd>
        </div>
        <div>
          <dt>Confidence</dt>
          <dd>
            <Bar value={statement.confidence} max={1} label={`${statement.confidence.toFixed(2)} of 1`} />
          </dd>
        </div>
        <div>
          <dt>Rests on</dt>
          <dd>
            {evidence.slice(0, EVIDENCE).map((each, at) => (
              <Words key={at} evidence={each} shared={shared} of={id} />
            ))}
            {statement.evidence_count > EVIDENCE && (
              <div class="quiet">and {count(statement.evidence_count - EVIDENCE)} more</div>
            )}
            {isOwnUntold(bundle, statement) && (
              <div class="quiet">
                The words of this memory are not among the {evidence.length} newest, which the server tells at most.
              </div>
            )}
          </dd>
        </div>
        <Others title="Ended by" ids={endedBy(statement)} bundle={bundle} />
        <Others title="Against" ids={statement.contradicts} bundle={bundle} />
      </dl>
    </li>
  );
}

const isOwnUntold = ({ memory }: Bundle, { evidence, evidence_count: all }: Statement): boolean =>
  evidence.length < all && evidence.every((each) => each.memory_id !== memory.memory_id);

const endedBy = (of: Statement): string[] => [...new Set(of.validities.flatMap((each) => each.superseded_by ?? []))];

function Words({ evidence, shared, of }: { evidence: Evidence; shared: Shared; of: string }) {
  const { bundle, here } = shared;
  const quote = opening(evidence.quote, QUOTE);
  const where = standing(bundle.memory, evidence, here);
  return (
    <div>
      {where === "here" ? (
        <button type="button" class="plain" onClick={() => (sought.value = { id: of, where: "text" })}>
          <q class="said">{quote}</q>
        </button>
      ) : (
        <MemoryLink id={evidence.memory_id} text={quote || undefined} />
      )}{" "}
      <span class="quiet">
        {where === "lost" && "not at this place of the text any more; "}
        {where === "elsewhere" && `${elsewhere(bundle, evidence)}; `}
        read by {evidence.tier}, {evidence.confidence.toFixed(2)} sure
        {evidence.time_phrase && (
          <>
            , time from <q class="said">{evidence.time_phrase}</q>
          </>
        )}
      </span>
    </div>
  );
}

const elsewhere = ({ versions }: Bundle, { memory_id: id }: Evidence): string =>
  versions.some((each) => each.memory_id === id) ? "in another revision of it" : "in another memory";

function Others({ title, ids, bundle }: { title: string; ids: readonly string[]; bundle: Bundle }) {
  if (!ids.length) return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {ids.slice(0, OTHERS).map((id) => (
          <Other key={id} id={id} known={bundle.statements.find((each) => each.statement_id === id)} />
        ))}
        {ids.length > OTHERS && <span class="quiet">and {ids.length - OTHERS} more</span>}
      </dd>
    </div>
  );
}

/** Another statement in its words, and the memory that says it. */
function Other({ id, known }: { id: string; known: Statement | undefined }) {
  const { value, problem } = useLoaded(
    async (signal) => known ?? (await get<Statement>(`/v1/statements/${id}`, {}, signal)),
    [id, known],
  );
  const source = value?.evidence[0]?.memory_id;
  return (
    <div>
      {value ? <Said of={value} /> : <code class="id">{id}</code>}{" "}
      <span class="quiet">
        {problem && "which cannot be read any more"}
        {known && "on this page"}
      </span>
      {!known && source && (
        <>
          {" "}
          <MemoryLink id={source} text="said here" />
        </>
      )}
    </div>
  );
}
