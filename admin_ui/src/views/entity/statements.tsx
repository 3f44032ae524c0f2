// What was said of an entity: drawn over time and as a table, all of it or what stands in one way.
import { useMemo } from "preact/hooks";
import type { Pages } from "../../app/pages";
import { filter, params } from "../../app/router";
import { Select } from "../../parts/fields";
import { MemoryLink } from "../../parts/link";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Status } from "../../parts/status";
import { More, Table } from "../../parts/table";
import { Holds, Said } from "./said";
import { Timeline } from "./timeline";
import type { Statement } from "./timelines";

const STATUSES = ["", "current", "contradicted", "superseded", "ended", "future", "retracted"];
const HEADS = ["Status", "Statement", "Holds", "Confidence, 0 to 1", "Rests on"];
const QUOTES = 2; // pieces of evidence shown of each

export function Statements({ pages }: { pages: Pages<Statement> }) {
  const status = params.value.get("status") ?? "";
  const shown = useMemo(
    () => (pages.items ?? []).filter((each) => !status || each.status === status),
    [pages.items, status],
  );
  return (
    <section class="panel wide" aria-labelledby="statements">
      <h2 id="statements">Statements over time</h2>
      <div class="filters">
        <Select label="Status" value={status} options={STATUSES} onChange={(value) => filter({ status: value })} />
      </div>
      {pages.items && shown.length > 0 && (
        <>
          <Timeline of={shown} />
          <Table label="Statements" heads={HEADS} rows={shown.map(row)} />
        </>
      )}
      {pages.items && !shown.length && (
        <Empty>
          {status ? `Nothing ${status} is said of it` : "Nothing is said of it"}
          {pages.hasMore ? " among what is loaded." : "."}
        </Empty>
      )}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
    </section>
  );
}

const row = (each: Statement) => [
  <Status of={each.status} />,
  <Said of={each} />,
  <Holds of={each} />,
  <span class="number">{each.confidence.toFixed(2)}</span>,
  <Evidence of={each} />,
];

function Evidence({ of }: { of: Statement }) {
  return (
    <>
      {of.evidence.slice(0, QUOTES).map((found, at) => (
        <div key={at}>
          <MemoryLink id={found.memory_id} text={found.quote} /> <span class="quiet">by {found.tier}</span>
        </div>
      ))}
      {of.evidence_count > QUOTES && <span class="quiet">and {of.evidence_count - QUOTES} more</span>}
      {of.evidence_count === 0 && <span class="quiet">nothing any more</span>}
    </>
  );
}
