// Pairs of entities that may be one, each with what is known of both, to accept, refuse, or take back.
import { useState } from "preact/hooks";
import { get, query } from "../api/client";
import type { Page } from "../api/types";
import { usePages } from "../app/pages";
import { filter, params } from "../app/router";
import { Select } from "../parts/fields";
import { EntityLink, JsonLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { More } from "../parts/table";
import { useAct } from "./entity/act";
import { Card } from "./proposals/card";
import { type Decision, decide, type Proposal, STATUSES } from "./proposals/decisions";
import { Question } from "./proposals/question";

const PAGE = 10; // each is read with both of its sides
const SAYINGS: Readonly<Record<Decision, string>> = {
  accepted: "are one now",
  refused: "stay two",
  undone: "are two again",
};

type Asked = { of: Proposal; decision: Decision };

export default function Proposals() {
  const dataset = params.value.get("dataset") ?? "default";
  const status = params.value.get("status") ?? "open";
  const [round, next] = useState(0);
  const [asked, ask] = useState<Asked | null>(null);
  const [done, tell] = useState<Asked | null>(null);
  const { isBusy, problem, act } = useAct();
  const pages = usePages<Proposal>(
    (cursor, asking) => get<Page<Proposal>>("/v1/proposals", { dataset, status, cursor, limit: PAGE }, asking),
    [dataset, status, round],
  );
  function doIt(what: Asked): void {
    ask(null);
    tell(null);
    act(async () => {
      await decide(what.of, what.decision);
      tell(what); // by the names before: two that are one have the same
      next((before) => before + 1);
    });
  }
  return (
    <>
      <Head dataset={dataset} status={status} />
      <p role="status">{done?.of.dataset === dataset && <Done {...done} />}</p>
      {problem && <Trouble problem={problem} />}
      {pages.items?.length === 0 && <Nothing status={status} />}
      <ul class="proposals">
        {pages.items?.map((each) => (
          <Card
            key={`${each.proposal_id} ${each.status}`}
            of={each}
            isBusy={isBusy}
            ask={(decision) => ask({ of: each, decision })}
          />
        ))}
      </ul>
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
      {asked && <Question {...asked} onYes={() => doIt(asked)} onNo={() => ask(null)} />}
    </>
  );
}

function Head({ dataset, status }: { dataset: string; status: string }) {
  return (
    <>
      <div class="head">
        <h1>Merge proposals</h1>
        <span class="quiet">
          of the dataset <bdi>{dataset}</bdi>
        </span>
        <JsonLink to={`/v1/proposals${query({ dataset, status })}`} />
      </div>
      <p class="quiet">
        Two entities whose names are alike may be one. The two of a proposal stay apart until it is accepted.
      </p>
      <div class="filters">
        <Select label="Status" value={status} options={STATUSES} onChange={(value) => filter({ status: value })} />
      </div>
    </>
  );
}

function Done({ of: { entity, other }, decision }: Asked) {
  return (
    <>
      ✓ <EntityLink id={other.entity_id} name={other.name} /> and{" "}
      <EntityLink id={entity.entity_id} name={entity.name} /> {SAYINGS[decision]}.
    </>
  );
}

function Nothing({ status }: { status: string }) {
  return (
    <Empty>
      {status === "open"
        ? "Nothing to decide: no two names of this dataset are alike enough."
        : `No proposal of this dataset${status === "all" ? "" : ` is ${status}`}.`}
    </Empty>
  );
}
