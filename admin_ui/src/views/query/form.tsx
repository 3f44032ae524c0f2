// The form of a question. What is typed is a draft until it is asked; then it is the address.
import { useEffect, useState } from "preact/hooks";
import type { Fault } from "../recall/faults";
import { TextAsking, TimeAsking } from "../recall/field";
import { Dataset, Long } from "../recall/form";
import type { Asked, Name } from "./asked";

type Given = { asked: Asked; fault: Fault | null; onAsk: (asked: Asked) => void };

export function Form({ asked, fault, onAsk }: Given) {
  const [draft, write] = useState(asked);
  useEffect(() => write(asked), [JSON.stringify(asked)]);
  const set = (name: Name) => (value: string) => write((before) => ({ ...before, [name]: value }));
  const of = (name: Name) => ({ name, fault, value: draft[name], onInput: set(name) });
  const submit = (event: Event): void => {
    event.preventDefault();
    onAsk(draft);
  };
  return (
    <form class="panel ask-form" role="search" aria-label="Ask a question" noValidate onSubmit={submit}>
      <Long {...of("question")} label="Question" hint="Enter asks, Shift+Enter begins a new line." />
      <div class="row">
        <Dataset {...of("dataset")} />
        <TextAsking {...of("session")} label="Session" hint="Its earlier questions are known." />
        <TimeAsking {...of("as_of")} label="As of (your time)" />
        <TextAsking
          {...of("limit")}
          label="Most memories"
          kind="number"
          placeholder="12"
          hint="To answer from, up to 100."
        />
        <label class="check">
          <input
            type="checkbox"
            checked={draft.stream !== "0"}
            onChange={(event) => set("stream")(event.currentTarget.checked ? "1" : "0")}
          />
          Show it as it is written
        </label>
        <button type="submit" class="main">
          Ask
        </button>
      </div>
    </form>
  );
}
