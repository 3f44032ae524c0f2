// Forgetting a document after a question, and undoing it while the page is open.
import { useState } from "preact/hooks";
import { type Problem, problemOf } from "../../api/client";
import { Confirm } from "../../parts/dialog";
import { count } from "../../parts/numbers";
import { Trouble } from "../../parts/states";
import { Time } from "../../parts/time";
import { forget, type Outcome, restore, textsOf } from "./forgetting";

type Given = { address: string; dataset: string; title: string; changed: () => void };

export function Forget({ address, dataset, title, changed }: Given) {
  const [asked, ask] = useState<string[] | null>(null);
  const [forgotten, remember] = useState<Outcome | null>(null);
  const [progress, tell] = useState("");
  const [problem, refuse] = useState<Problem | null>(null);
  const texts = (n: number): string => (n === 1 ? "1 text" : `${count(n)} texts`);

  async function begin(): Promise<void> {
    refuse(null);
    tell("Looking for its texts…");
    try {
      ask(await textsOf(address, dataset));
    } catch (error) {
      refuse(problemOf(error));
    }
    tell("");
  }
  async function work(act: typeof forget, ids: readonly string[], verb: string): Promise<void> {
    ask(null);
    refuse(null);
    const outcome = await act(ids, (done, of) => tell(`${verb} ${count(done)} of ${count(of)}…`));
    tell("");
    refuse(outcome.problem);
    remember(act === forget && outcome.done.length ? outcome : null);
    changed();
  }
  return (
    <>
      <p class="actions">
        <button type="button" class="danger" disabled={progress !== ""} onClick={() => void begin()}>
          Forget
        </button>
        {forgotten && (
          <>
            <span role="status">
              {texts(forgotten.done.length)} forgotten; to be undone until <Time at={forgotten.until} />
            </span>
            <button
              type="button"
              disabled={progress !== ""}
              onClick={() => void work(restore, forgotten.done, "Brought back")}
            >
              Undo
            </button>
          </>
        )}
        {progress && <span role="status">{progress}</span>}
      </p>
      {problem && <Trouble problem={problem} />}
      {asked && (
        <Confirm
          title="Forget this document?"
          action={asked.length ? `Forget ${texts(asked.length)}` : "Close"}
          danger={asked.length > 0}
          onYes={() => (asked.length ? void work(forget, asked, "Forgotten") : ask(null))}
          onNo={() => ask(null)}
        >
          <Consequences title={title} texts={asked.length ? texts(asked.length) : ""} />
        </Confirm>
      )}
    </>
  );
}

function Consequences({ title, texts }: { title: string; texts: string }) {
  if (!texts) return <p>Nothing of it is left to forget.</p>;
  return (
    <>
      <p>
        The <strong>{texts}</strong> that <bdi class="said">{title}</bdi> is kept as are no longer shown or found, at
        once; nor are statements that rest on them alone.
      </p>
      <p>
        <strong>What stays:</strong> its name in this list, its runs without what they say, and statements that other
        memories carry too.
      </p>
      <p>
        This hides the texts and erases nothing. It can be undone for a time, 7 days unless the server is set otherwise.
      </p>
    </>
  );
}
