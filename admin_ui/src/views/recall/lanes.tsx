// What each lane brought up: how much, how fast, and the list; and the candidates of all lanes in one order.
import { useState } from "preact/hooks";
import { filter, params } from "../../app/router";
import { Bar } from "../../parts/bars";
import { EntityLink, MemoryLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";
import { Rest } from "../memory/section";
import { idsIn } from "./asked";
import { Fold } from "./fold";
import { fine } from "./steps";
import { best, figure, type Lane, slotOf, type Trace } from "./trace";
import { MEANS, SCORES } from "./words";

const SHOWN = 20;

/** `places`: of the hits, by what an id keeps. */
type Given = { trace: Trace; places: ReadonlyMap<string, number> };

export function Lanes({ trace, places }: Given) {
  const took = new Map(trace.stages.map((each) => [each.name, each.ms]));
  return (
    <section class="panel" aria-labelledby="lanes">
      <h2 id="lanes">Candidates</h2>
      {Object.entries(trace.lanes).map(([name, lane]) => (
        <Fold key={name} title={name} facts={`${count(lane.candidates.length)} · ${fine(took.get(name) ?? 0)}`}>
          <p class="quiet">
            {MEANS[name] ? `Brings up what ${MEANS[name]}` : "A lane"}. Its score:{" "}
            {SCORES[name] ?? "of the lane's own kind"}.
          </p>
          <Trail lane={lane} />
          <Candidates of={name} rows={lane.candidates} top={best(lane)} places={places} />
        </Fold>
      ))}
      <Fold title="all together" facts={count(trace.fusion.pool)}>
        <p class="quiet">
          With the turns before and after them, ordered by the sum of their measures; the first{" "}
          {trace.fusion.candidates.length} are shown.
        </p>
        <Together trace={trace} places={places} />
      </Fold>
    </section>
  );
}

function Together({ trace, places }: Given) {
  const rows = trace.fusion.candidates.map((each, at) => ({ ...each, rank: at + 1 }));
  return <Candidates of="all lanes" rows={rows} top={rows[0]?.score ?? 0} places={places} />;
}

type Row = { memory_id: string; rank: number; score: number; may_be_hit?: boolean };
type CandidatesGiven = { of: string; rows: readonly Row[]; top: number; places: ReadonlyMap<string, number> };

function Candidates({ of, rows, top, places }: CandidatesGiven) {
  const [shown, show] = useState(SHOWN);
  if (!rows.length) return <Empty>It brought up nothing.</Empty>;
  return (
    <>
      <Table
        label={`Candidates of ${of}`}
        heads={["Rank", "Memory", "Score"]}
        rows={rows.slice(0, shown).map((each) => [
          each.rank,
          <>
            <MemoryLink id={each.memory_id} />
            <Became id={each.memory_id} place={places.get(slotOf(each.memory_id))} mayBe={each.may_be_hit ?? true} />
          </>,
          <Bar value={each.score} max={top} label={figure(each.score)} />,
        ])}
      />
      <Rest of="candidates" left={rows.length - shown} show={() => show(shown + SHOWN * 10)} />
    </>
  );
}

function Became({ id, place, mayBe }: { id: string; place: number | undefined; mayBe: boolean }) {
  if (place) return <small>hit {place}</small>;
  if (!mayBe) return <small class="quiet">filtered out: it only lends its score to the turns beside it</small>;
  return (
    <small>
      <button type="button" class="plain" onClick={() => askWhy(id)}>
        why not a hit?<span class="unseen"> {id}</span>
      </button>
    </small>
  );
}

/** Asks beside those that are asked about already. */
function askWhy(id: string): void {
  const ids = idsIn(params.value.get("explain") ?? "");
  filter({ explain: [...new Set([...ids, id])].join(",") });
}

/** How the graph lane came to its candidates. */
function Trail({ lane: { entities = [], statements = [], superseded = [] } }: { lane: Lane }) {
  return (
    <>
      {entities.length > 0 && (
        <p class="links">
          <span class="quiet">The cue names</span>
          {entities.map((each) => (
            <EntityLink key={each.entity_id} id={each.entity_id} name={each.name} />
          ))}
        </p>
      )}
      {statements.length > 0 && (
        <ul class="trail">
          {statements.map((each) => (
            <li key={each.statement_id}>
              <bdi>{each.text}</bdi>{" "}
              <span class="quiet">
                meets the cue by {figure(each.score)}
                {!each.holds && ", does not hold at that time"}
              </span>
            </li>
          ))}
        </ul>
      )}
      {superseded.map((each) => (
        <p key={`${each.statement_id} ${each.superseded_by}`} class="quiet">
          <code class="id">{each.statement_id}</code> is superseded by <code class="id">{each.superseded_by}</code>:
          memories that say only the former come later.
        </p>
      ))}
    </>
  );
}
