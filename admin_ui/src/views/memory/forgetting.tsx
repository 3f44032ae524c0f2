// Forgets a memory after asking, with what is lost by it and what stays.
import { useState } from "preact/hooks";
import { type Problem, problemOf, send } from "../../api/client";
import type { Schema } from "../../api/types";
import { Confirm } from "../../parts/dialog";
import { count } from "../../parts/numbers";
import { Trouble } from "../../parts/states";
import { alone, type Bundle } from "./bundle";
import { keep } from "./receipts";

type Given = { bundle: Bundle; onDone: () => void };

export function Forget({ bundle, onDone }: Given) {
  const [isAsking, ask] = useState(false);
  const [isBusy, work] = useState(false);
  const [problem, tell] = useState<Problem | null>(null);
  async function forget(): Promise<void> {
    ask(false);
    tell(null);
    work(true);
    try {
      const path = `/v1/memories/${bundle.memory.memory_id}?mode=soft`;
      keep((await send<Schema<"ForgetReply">>("DELETE", path)).receipt);
      onDone();
    } catch (error) {
      tell(problemOf(error));
    }
    work(false);
  }
  return (
    <>
      <button type="button" class="danger" disabled={isBusy} aria-busy={isBusy} onClick={() => ask(true)}>
        Forget
      </button>
      {problem && <Trouble problem={problem} />}
      {isAsking && (
        <Confirm title="Forget this memory?" action="Forget" danger onYes={() => void forget()} onNo={() => ask(false)}>
          <Consequences of={bundle} />
        </Confirm>
      )}
    </>
  );
}

export function Consequences({ of }: { of: Bundle }) {
  const own = alone(of).length;
  const shared = of.statements.length - own;
  return (
    <>
      <p>
        <strong>No longer shown or found, at once:</strong>
      </p>
      <ul>
        <li>{many(of.versions.length, "its text", "its text in all {n} revisions")}</li>
        {own > 0 && <li>{many(own, "1 statement that rests on it alone", "{n} statements that rest on it alone")}</li>}
        {of.edges.length > 0 && <li>{many(of.edges.length, "its link", "its {n} links")} to other memories</li>}
        {of.questions.length > 0 && (
          <li>{many(of.questions.length, "the question it answers", "the {n} questions it answers")}</li>
        )}
        <li>what its runs produced, and answers of the query log that cite it</li>
      </ul>
      <p>
        <strong>What stays:</strong>
      </p>
      <ul>
        {shared > 0 && <li>{many(shared, "1 statement", "{n} statements")} that other memories carry too</li>}
        {of.memory.document_id && <li>the rest of the document that it is a text of</li>}
        <li>that it was there: its id, its times and its runs, without what they say</li>
        <li>
          the text in the server's files: this hides it and erases nothing. It can be undone for a time, 7 days unless
          the server is set otherwise; the receipt says until when.
        </li>
      </ul>
    </>
  );
}

const many = (n: number, one: string, more: string): string => (n === 1 ? one : more.replace("{n}", count(n)));
