// The form of a recall. What is typed is a draft until it is asked; then it is the address.
import { useEffect, useState } from "preact/hooks";
import { datasets } from "../../app/datasets";
import { useLoaded } from "../../app/load";
import { type Asked, isNarrow, type Name } from "./asked";
import type { Fault } from "./faults";
import { Asking, TextAsking, TimeAsking } from "./field";

const KINDS = ["episodic", "semantic", "consolidated"];

type Given = { asked: Asked; fault: Fault | null; isBusy: boolean; onAsk: (asked: Asked) => void };

export function Form({ asked, fault, isBusy, onAsk }: Given) {
  const [draft, write] = useState(asked);
  useEffect(() => write(asked), [JSON.stringify(asked)]);
  const set = (name: Name) => (value: string) => write((before) => ({ ...before, [name]: value }));
  const submit = (event: Event): void => {
    event.preventDefault();
    onAsk(draft);
  };
  const of = (name: Name) => ({ name, fault, value: draft[name], onInput: set(name) });
  return (
    <form class="panel ask-form" role="search" aria-label="Recall" noValidate onSubmit={submit}>
      <Long {...of("cue")} label="Cue" hint="Any words. Enter asks, Shift+Enter begins a new line." />
      <div class="row">
        <Dataset {...of("dataset")} />
        <TextAsking {...of("limit")} label="Most hits" kind="number" />
        <TimeAsking {...of("as_of")} label="As of (your time)" />
        <button type="submit" class="main" aria-busy={isBusy}>
          Recall
        </button>
      </div>
      <Filters of={of} isOpen={isNarrow(asked)} />
    </form>
  );
}

type Of = (name: Name) => { name: string; fault: Fault | null; value: string; onInput: (value: string) => void };

function Filters({ of, isOpen }: { of: Of; isOpen: boolean }) {
  return (
    <details class="fold" open={isOpen}>
      <summary>Filters</summary>
      <div class="row">
        <TextAsking {...of("session")} label="Session" />
        <TextAsking {...of("agent")} label="Agent" />
        <Choice {...of("kind")} label="Kind" options={["", ...KINDS]} />
        <TextAsking {...of("document_id")} label="Document id" />
        <TimeAsking {...of("after")} label="Happened from (your time)" />
        <TimeAsking {...of("before")} label="Happened before (your time)" />
        <Long
          {...of("metadata")}
          label="Metadata"
          placeholder="topic=health"
          hint='key=value, one a line. A value may be JSON: priority={"$gte": 2}'
        />
      </div>
    </details>
  );
}

type FieldGiven = ReturnType<Of> & { label: string };

/** A text of several lines. Enter sends the form, as in a field of one line. */
export function Long({
  label,
  value,
  onInput,
  placeholder,
  ...rest
}: FieldGiven & { hint?: string; placeholder?: string }) {
  function key(event: KeyboardEvent): void {
    const isPlain = !event.shiftKey && !event.isComposing;
    if (event.key !== "Enter" || !isPlain) return;
    event.preventDefault();
    (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
  }
  return (
    <Asking {...rest} label={label} isWide>
      <textarea
        rows={2}
        dir="auto"
        value={value}
        placeholder={placeholder}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={key}
      />
    </Asking>
  );
}

/** Only one dataset is searched at a time. */
export function Dataset(given: Omit<FieldGiven, "label">) {
  const { value } = useLoaded(datasets, []);
  return <Choice {...given} label="Dataset" options={(value ?? []).map((each) => each.name)} />;
}

/** A value that is not among the options is shown as it is. */
function Choice({ value, onInput, options, ...rest }: FieldGiven & { options: readonly string[] }) {
  const known = options.includes(value) ? options : [value, ...options];
  return (
    <Asking {...rest}>
      <select value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        {known.map((each) => (
          <option key={each} value={each} selected={each === value}>
            {each || "any"}
          </option>
        ))}
      </select>
    </Asking>
  );
}
