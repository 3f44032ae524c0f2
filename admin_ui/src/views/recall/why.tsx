// Why a memory that was expected is not among the hits: asked by its id, answered in words.
import { useEffect, useState } from "preact/hooks";
import { filter } from "../../app/router";
import type { Asked } from "./asked";
import { idsIn } from "./asked";
import type { Fault } from "./faults";
import { TextAsking } from "./field";
import type { Trace } from "./trace";
import { Verdict } from "./verdict";

const ID = /^mem_[0-9A-Za-z]{26}$/;

type Given = { asked: Asked; fault: Fault | null; trace: Trace | null; hits: number };

export function Why({ asked, fault, trace, hits }: Given) {
  const [draft, write] = useState(asked.explain);
  const [wrong, tell] = useState<Fault | null>(null);
  useEffect(() => write(asked.explain), [asked.explain]);
  function submit(event: Event): void {
    event.preventDefault();
    const ids = idsIn(draft);
    const odd = ids.find((each) => !ID.test(each));
    tell(odd ? { name: "explain", words: `‘${odd}’ is not a memory id` } : null);
    if (!odd) filter({ explain: ids.join(",") || null });
  }
  return (
    <section class="panel" aria-labelledby="why">
      <h2 id="why">Why not this memory?</h2>
      <form class="row" onSubmit={submit} noValidate>
        <TextAsking
          label="Memory ids"
          name="explain"
          fault={wrong ?? fault}
          value={draft}
          onInput={write}
          placeholder="mem_…"
          hint="One or more. The cue and filters above are asked."
        />
        <button type="submit">Explain</button>
      </form>
      {trace && trace.explained.length > 0 && (
        <ul class="verdicts">
          {trace.explained.map((each) => (
            <Verdict key={each.memory_id} of={each} trace={trace} hits={hits} asked={asked} />
          ))}
        </ul>
      )}
    </section>
  );
}
