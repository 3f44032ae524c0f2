// What was said of an entity over time: what holds, what was replaced, what contradicts another.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { usePages } from "../../app/pages";
import { filter, params } from "../../app/router";
import { Select } from "../../parts/fields";
import { EntityLink, MemoryLink } from "../../parts/link";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Status } from "../../parts/status";
import { More, Table } from "../../parts/table";
import { Time } from "../../parts/time";

type Statement = Schema<"StatementReply">;
const STATUSES = ["", "current", "superseded", "contradicted", "ended", "future", "retracted"];

export function Statements({ entity, dataset }: { entity: string; dataset: string }) {
  const status = params.value.get("status") ?? "";
  const asked = { dataset, entity, include_superseded: true, limit: 100 };
  const pages = usePages<Statement>(
    (cursor, asking) => get<Page<Statement>>("/v1/statements", { ...asked, cursor }, asking),
    [dataset, entity],
  );
  const shown = (pages.items ?? []).filter((each) => !status || each.status === status);
  return (
    <section class="panel" aria-labelledby="statements">
      <h2 id="statements">Statements</h2>
      <div class="filters">
        <Select label="Status" value={status} options={STATUSES} onChange={(value) => filter({ status: value })} />
      </div>
      {pages.items &&
        (shown.length ? (
          <List of={shown} />
        ) : (
          <Empty>No such statement{pages.hasMore ? " among those loaded" : ""}.</Empty>
        ))}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
    </section>
  );
}

function List({ of }: { of: Statement[] }) {
  const rows = of.map((each) => [
    <Status of={each.status} />,
    <>
      <EntityLink id={each.subject.entity_id} name={each.subject.name} /> {each.predicate.replaceAll("_", " ")}{" "}
      {each.object ? (
        <EntityLink id={each.object.entity_id} name={each.object.name} />
      ) : (
        <bdi class="said">{each.value}</bdi>
      )}
    </>,
    each.validities.map((held, at) => <Held key={at} {...held} />),
    each.confidence.toFixed(2),
    <>
      {each.evidence.slice(0, 2).map((found, at) => (
        <div key={at}>
          <MemoryLink id={found.memory_id} text={found.quote} />
        </div>
      ))}
      {each.evidence_count > 2 && <span class="quiet">and {each.evidence_count - 2} more</span>}
    </>,
  ]);
  return <Table label="Statements" heads={["Status", "Statement", "Holds", "Confidence", "Rests on"]} rows={rows} />;
}

function Held({ valid_from, valid_to, invalidated_at }: Schema<"ValidityReply">) {
  return (
    <div>
      <Time at={valid_from} /> – {valid_to ? <Time at={valid_to} /> : "now"}
      {invalidated_at && (
        <span class="quiet">
          {" "}
          (believed until <Time at={invalidated_at} />)
        </span>
      )}
    </div>
  );
}
