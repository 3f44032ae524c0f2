// The question before a key is taken away.
import { Confirm } from "../../parts/dialog";
import { isOwn } from "./keylist";
import type { Key } from "./keys";

export function Revoking({ of, onYes, onNo }: { of: Key; onYes: () => void; onNo: () => void }) {
  return (
    <Confirm title="Revoke this key?" action="Revoke" danger onYes={onYes} onNo={onNo}>
      <p>
        <bdi class="said">{of.name}</bdi> (<code class="id">{of.prefix}…</code>) is refused from now on, whoever uses
        it. This cannot be undone; what was written with it stays.
      </p>
      {isOwn(of) && (
        <p class="warn">
          <strong>It is the key of this tab:</strong> you will have to sign in with another one.
        </p>
      )}
    </Confirm>
  );
}
