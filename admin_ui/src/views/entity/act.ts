// Something that is done to the server once: busy while it is, and its problem if it was refused.
import { useState } from "preact/hooks";
import { type Problem, problemOf } from "../../api/client";

export type Doing = { isBusy: boolean; problem: Problem | null; act: (what: () => Promise<void>) => void };

export function useAct(): Doing {
  const [isBusy, wait] = useState(false);
  const [problem, tell] = useState<Problem | null>(null);
  function act(what: () => Promise<void>): void {
    wait(true);
    tell(null);
    what()
      .catch((error: unknown) => tell(problemOf(error)))
      .finally(() => wait(false));
  }
  return { isBusy, problem, act };
}
