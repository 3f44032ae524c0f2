// API keys: those there are, what each may do, a new one, and taking one away.
import { useState } from "preact/hooks";
import { get, Problem, send } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { Facts } from "../../parts/fields";
import { Loading, Trouble } from "../../parts/states";
import { KeyList } from "./keylist";
import { NewKey } from "./newkey";
import { Revoking } from "./revoking";
import { SCOPES } from "./scopes";

export type Key = Schema<"KeyReply">;

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
        <KeyList keys={value.data} revoke={revoke} />
      ) : (
        <Loading />
      )}
      {value && <NewKey made={again} isFirst={!value.data.length} />}
      <details>
        <summary>What each scope may do</summary>
        <Facts pairs={SCOPES} />
      </details>
      {revoking && <Revoking of={revoking} onYes={() => void takeAway(revoking)} onNo={() => revoke(null)} />}
    </section>
  );
}
