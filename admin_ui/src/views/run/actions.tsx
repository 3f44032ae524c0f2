// What can be done about a run: start it again, or cancel it. Each asks first.
import { useState } from "preact/hooks";
import { type Problem, problemOf, send } from "../../api/client";
import { Confirm } from "../../parts/dialog";
import { Trouble } from "../../parts/states";
import { isAlive, type Log, type Run } from "../runs/operations";

type Action = "retry" | "cancel";
type Words = { button: string; title: string; action: string; text: string };

const WORDS: Record<Action, Words> = {
  retry: {
    button: "Retry",
    title: "Start this run again?",
    action: "Retry",
    text: "What did not succeed is done again. What succeeded stays as it is.",
  },
  cancel: {
    button: "Cancel run",
    title: "Cancel this run?",
    action: "Cancel the run",
    text: "Stages that have not begun are not run. What the run has kept stays. It can be started again.",
  },
};

/** What the API allows for a run as it is. */
export function allowed(run: Run, log: Log): Action | null {
  if (!log.isDurable || run.state === "superseded") return null;
  if (isAlive(run)) return "cancel";
  return run.state === "succeeded" && !run.has_failed_stage ? null : "retry";
}

export function Actions({ run, log, onDone }: { run: Run; log: Log; onDone: () => void }) {
  const [asked, ask] = useState<Action | null>(null);
  const [problem, tell] = useState<Problem | null>(null);
  const [isBusy, busy] = useState(false);
  const action = allowed(run, log);

  async function act(chosen: Action): Promise<void> {
    ask(null);
    tell(null);
    busy(true);
    try {
      await send<Run>("POST", `${log.path}/${run.run_id}/${chosen}`);
    } catch (error) {
      tell(problemOf(error));
    } finally {
      busy(false);
      onDone();
    }
  }
  return (
    <>
      {action && (
        <button
          type="button"
          class={action === "cancel" ? "danger" : "main"}
          disabled={isBusy}
          aria-busy={isBusy}
          onClick={() => ask(action)}
        >
          {WORDS[action].button}
        </button>
      )}
      {problem && <Trouble problem={problem} />}
      {asked && (
        <Confirm
          title={WORDS[asked].title}
          action={WORDS[asked].action}
          danger={asked === "cancel"}
          onYes={() => void act(asked)}
          onNo={() => ask(null)}
        >
          <p>{WORDS[asked].text}</p>
        </Confirm>
      )}
    </>
  );
}
