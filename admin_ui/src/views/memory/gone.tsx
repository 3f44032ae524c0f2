// What is shown in the place of a memory that is not to be read: forgotten, unknown, or refused. It may be brought back.
import { useState } from "preact/hooks";
import { Problem, problemOf, send } from "../../api/client";
import { Facts } from "../../parts/fields";
import { Trouble } from "../../parts/states";
import { Time } from "../../parts/time";
import type { Memory } from "./bundle";
import { drop, receiptOf } from "./receipts";

type Given = { id: string; problem: Problem; again: () => void };

export function Gone({ id, problem, again }: Given) {
  const receipt = receiptOf(id);
  if (problem.status !== 404) return <Trouble problem={problem} again={again} />;
  return (
    <section class="panel" aria-label="Forgotten or unknown">
      {receipt ? (
        <>
          <p>
            <strong>This memory is forgotten.</strong> No view and no answer shows it any more.
          </p>
          <Facts
            pairs={[
              ["Forgotten", <Time at={receipt.forgotten_at} />],
              ["Can be undone until", <Time at={receipt.restorable_until} />],
              ["Receipt", <code class="id">{receipt.receipt_id}</code>],
            ]}
          />
        </>
      ) : (
        <>
          <p>
            <strong>There is no such memory, or it is forgotten.</strong> The server says the same of both.
          </p>
          <p class="quiet">
            If it was forgotten a short time ago (7 days, unless the server is set otherwise), it can be brought back.
          </p>
        </>
      )}
      <Restore id={id} name={receipt ? "Undo the forgetting" : "Try to bring it back"} onDone={again} />
    </section>
  );
}

function Restore({ id, name, onDone }: { id: string; name: string; onDone: () => void }) {
  const [isBusy, work] = useState(false);
  const [problem, tell] = useState<Problem | null>(null);
  async function restore(): Promise<void> {
    tell(null);
    work(true);
    try {
      await send<Memory>("POST", `/v1/memories/${encodeURIComponent(id)}/restore`);
      drop(id);
      onDone();
    } catch (error) {
      tell(said(error));
    }
    work(false);
  }
  return (
    <>
      {problem && <Trouble problem={problem} />}
      <p class="actions">
        <button type="button" class="main" disabled={isBusy} aria-busy={isBusy} onClick={() => void restore()}>
          {name}
        </button>
      </p>
    </>
  );
}

function said(error: unknown): Problem {
  const problem = problemOf(error);
  if (problem.status !== 404) return problem;
  const words = "It is not among the forgotten ones, or the time to undo it is over.";
  return new Problem(404, problem.code, words, problem.requestId);
}
