// The API keys, newest first, those that are in use before those that were taken away.
import { key as own } from "../../api/client";
import { Empty } from "../../parts/states";
import { Status } from "../../parts/status";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import type { Key } from "./keys";
import { inOrder } from "./scopes";

const HEADS = ["Name", "Begins", "Scopes", "Datasets", "Created", "Last used", "State", "Actions"];

/** Whether it is the key of this tab, as far as its first characters tell. */
export const isOwn = (key: Key): boolean => own.value.startsWith(key.prefix);

export function KeyList({ keys, revoke }: { keys: Key[]; revoke: (key: Key) => void }) {
  if (!keys.length) return <Empty>There is no key: only this machine is answered.</Empty>;
  const sorted = [...keys.filter((each) => !each.revoked_at), ...keys.filter((each) => each.revoked_at)];
  const rows = sorted.map((each) => [
    <>
      <bdi class="said">{each.name}</bdi> {isOwn(each) && <span class="chip">this tab's</span>}
    </>,
    <code class="id">{each.prefix}…</code>,
    inOrder(each.scopes).join(", "),
    each.datasets ? <bdi class="said">{each.datasets.join(", ") || "none"}</bdi> : "all",
    <Time at={each.created_at} />,
    each.last_used_at ? <Time at={each.last_used_at} /> : "never",
    <State of={each} />,
    !each.revoked_at && (
      <button type="button" class="danger" aria-label={`Revoke ${each.name}`} onClick={() => revoke(each)}>
        Revoke
      </button>
    ),
  ]);
  return (
    <div class="settings-table">
      <Table label="API keys" heads={HEADS} rows={rows} />
    </div>
  );
}

function State({ of }: { of: Key }) {
  if (!of.revoked_at) return <Status of="active" />;
  return (
    <>
      <Status of="revoked" /> <Time at={of.revoked_at} />
    </>
  );
}
