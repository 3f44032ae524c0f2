// API keys: those there are, a new one whose secret is shown once, and taking one away.
import { useState } from "preact/hooks";
import { get, Problem, send } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { Confirm } from "../../parts/dialog";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Status } from "../../parts/status";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { NewKey } from "./newkey";

type Key = Schema<"KeyReply">;

export function Keys() {
  const { value, problem, again } = useLoaded((signal) => get<Page<Key>>("/v1/keys", {}, signal), []);
  const [revoking, revoke] = useState<Key | null>(null);
  const [refused, tell] = useState<Problem | null>(null);
  async function takeAway(key: Key): Promise<void> {
    revoke(null);
    try {
      await send("DELETE", `/v1/keys/${encodeURIComponent(key.key_id)}`);
      tell(null);
      again();
    } catch (error) {
      if (error instanceof Problem) tell(error);
    }
  }
  return (
    <section class="panel" aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      {refused && <Trouble problem={refused} />}
      {problem ? (
        <Trouble problem={problem} again={again} />
      ) : value ? (
        <List keys={value.data} revoke={revoke} />
      ) : (
        <Loading />
      )}
      {value && <NewKey made={again} isFirst={!value.data.length} />}
      {revoking && (
        <Confirm
          title="Revoke this key?"
          action="Revoke"
          danger
          onYes={() => void takeAway(revoking)}
          onNo={() => revoke(null)}
        >
          <p>
            <bdi>{revoking.name}</bdi> (<code class="id">{revoking.prefix}…</code>) is refused from now on. This cannot
            be undone.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function List({ keys, revoke }: { keys: Key[]; revoke: (key: Key) => void }) {
  if (!keys.length) return <Empty>There is no key: only this machine is answered.</Empty>;
  const rows = keys.map((each) => [
    <span class="said">{each.name}</span>,
    <code class="id">{each.prefix}…</code>,
    each.scopes.join(", "),
    each.datasets ? <span class="said">{each.datasets.join(", ")}</span> : "all",
    <Time at={each.created_at} />,
    each.last_used_at ? <Time at={each.last_used_at} /> : "never",
    each.revoked_at ? <Status of="revoked" /> : <Status of="active" />,
    !each.revoked_at && (
      <button type="button" class="danger" aria-label={`Revoke ${each.name}`} onClick={() => revoke(each)}>
        Revoke
      </button>
    ),
  ]);
  return (
    <Table
      label="API keys"
      heads={["Name", "Begins", "Scopes", "Datasets", "Created", "Last used", "State", "Actions"]}
      rows={rows}
    />
  );
}
