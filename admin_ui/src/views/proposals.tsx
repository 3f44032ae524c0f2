// Pairs of entities that may be one, to accept or refuse; what was accepted can be undone.
import { useState } from "preact/hooks";
import { get, Problem, send } from "../api/client";
import type { Page, Schema } from "../api/types";
import { usePages } from "../app/pages";
import { filter, params } from "../app/router";
import { Bar } from "../parts/bars";
import { Select } from "../parts/fields";
import { EntityLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { Status } from "../parts/status";
import { More, Table } from "../parts/table";
import { Time } from "../parts/time";

type Proposal = Schema<"ProposalReply">;

/** Takes the merge of a proposal back: of its two entities, the one that the other's answer stands for. */
async function undo({ entity, other }: Proposal): Promise<void> {
  const kept = await get<Schema<"EntityReply">>(`/v1/entities/${entity.entity_id}`);
  const gone = [entity, other].find((each) => kept.merged.includes(each.entity_id));
  if (!gone) throw new Problem(409, "not_merged", "The two are not one any more.");
  await send("POST", `/v1/entities/${gone.entity_id}/unmerge`);
}

const decide = (proposal: Proposal, decision: string): Promise<unknown> =>
  send("POST", `/v1/proposals/${proposal.proposal_id}`, { decision });

export default function Proposals() {
  const dataset = params.value.get("dataset") ?? "default";
  const status = params.value.get("status") ?? "open";
  const [round, next] = useState(0);
  const [refused, tell] = useState<Problem | null>(null);
  const [isBusy, wait] = useState(false);
  const pages = usePages<Proposal>(
    (cursor, asking) => get<Page<Proposal>>("/v1/proposals", { dataset, status, cursor }, asking),
    [dataset, status, round],
  );
  function act(doing: () => Promise<unknown>): void {
    wait(true);
    tell(null);
    doing()
      .then(
        () => next((before) => before + 1),
        (error: unknown) => tell(error instanceof Problem ? error : new Problem(0, "failed", String(error))),
      )
      .finally(() => wait(false));
  }
  return (
    <>
      <div class="head">
        <h1>Merge proposals</h1>
        <span class="quiet">
          in <bdi>{dataset}</bdi>
        </span>
      </div>
      <div class="filters">
        <Select
          label="Status"
          value={status}
          options={["open", "accepted", "refused", "all"]}
          onChange={(value) => filter({ status: value })}
        />
      </div>
      {refused && <Trouble problem={refused} />}
      {pages.items &&
        (pages.items.length ? (
          <List of={pages.items} isBusy={isBusy} act={act} />
        ) : (
          <Empty>There is no such proposal.</Empty>
        ))}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
    </>
  );
}

type Act = (doing: () => Promise<unknown>) => void;

function List({ of, isBusy, act }: { of: Proposal[]; isBusy: boolean; act: Act }) {
  const rows = of.map((each) => [
    <EntityLink id={each.entity.entity_id} name={each.entity.name} />,
    <EntityLink id={each.other.entity_id} name={each.other.name} />,
    <Bar value={each.score} max={1} label={each.score.toFixed(2)} />,
    <bdi class="said">{each.reason}</bdi>,
    <Status of={each.status} />,
    <Time at={each.decided_at ?? each.created_at} />,
    <Actions of={each} isBusy={isBusy} act={act} />,
  ]);
  return (
    <Table
      label="Merge proposals"
      heads={["Entity", "Other", "Score", "Why", "Status", "Since", "Decide"]}
      rows={rows}
    />
  );
}

function Actions({ of, isBusy, act }: { of: Proposal; isBusy: boolean; act: Act }) {
  const pair = `${of.entity.name} and ${of.other.name}`;
  if (of.status === "accepted")
    return (
      <button type="button" disabled={isBusy} aria-label={`Undo: ${pair}`} onClick={() => act(() => undo(of))}>
        Undo
      </button>
    );
  if (of.status !== "open") return <>–</>;
  return (
    <>
      <button
        type="button"
        disabled={isBusy}
        aria-label={`Accept: ${pair}`}
        onClick={() => act(() => decide(of, "accepted"))}
      >
        Accept
      </button>{" "}
      <button
        type="button"
        disabled={isBusy}
        aria-label={`Refuse: ${pair}`}
        onClick={() => act(() => decide(of, "refused"))}
      >
        Refuse
      </button>
    </>
  );
}
