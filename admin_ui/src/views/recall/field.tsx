// A control under its name, with what is wrong with its value beside it.
import { type ComponentChildren, cloneElement, type VNode } from "preact";
import { useId } from "preact/hooks";
import type { Fault } from "./faults";

type Given = {
  label: string;
  name: string;
  fault: Fault | null;
  hint?: ComponentChildren;
  isWide?: boolean;
  children: VNode;
};

/** `hint`: what the field takes, where its name does not say it. */
export function Asking({ label, name, fault, hint, isWide, children }: Given) {
  const id = useId();
  const isFaulty = fault?.name === name;
  const about = [hint && `${id}-hint`, isFaulty && `${id}-fault`].filter(Boolean).join(" ");
  const told = { id, name, "aria-invalid": isFaulty, "aria-describedby": about || undefined };
  return (
    <div class={isWide ? "asking broad" : "asking"}>
      <label for={id}>{label}</label>
      {cloneElement(children, told)}
      {isFaulty && (
        <p id={`${id}-fault`} class="fault said" role="alert">
          {fault.words}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

type TextGiven = Omit<Given, "children"> & {
  value: string;
  onInput: (value: string) => void;
  kind?: "text" | "number";
  placeholder?: string;
};

export function TextAsking({ value, onInput, kind = "text", placeholder, ...rest }: TextGiven) {
  return (
    <Asking {...rest}>
      <input
        type="text"
        inputMode={kind === "number" ? "numeric" : "text"}
        dir="auto"
        autocomplete="off"
        value={value}
        placeholder={placeholder}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Asking>
  );
}

/** A time. What the address holds stays exact to the microsecond until another is chosen. */
export function TimeAsking({ value, onInput, ...rest }: TextGiven) {
  return (
    <Asking {...rest}>
      <input
        type="datetime-local"
        step="1"
        value={local(value)}
        onChange={(event) => onInput(utc(event.currentTarget.value))}
      />
    </Asking>
  );
}

/** The reader's own clock, as `<input type="datetime-local">` has it; empty for what is no time. */
export function local(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export function utc(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
