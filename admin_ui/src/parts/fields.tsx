// Controls with their names, and facts in pairs.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const TYPING = 250; // milliseconds without a key before a search is asked

export function Field({ label, children }: { label: ComponentChildren; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}

export type Option = string | readonly [value: string, label: string];
type SelectProps = { label: string; value: string; options: readonly Option[]; onChange: (value: string) => void };

/** An option is its value, or its value and its words. A value that is not among them is shown as it is. */
export function Select({ label, value, options, onChange }: SelectProps) {
  const pairs = options.map((each) => (typeof each === "string" ? ([each, each || "any"] as const) : each));
  const known = pairs.some(([given]) => given === value) ? pairs : [[value, value || "any"] as const, ...pairs];
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {known.map(([given, words]) => (
          <option key={given} value={given} selected={given === value}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

type SearchProps = { label: string; value: string; onChange: (value: string) => void };

/** Calls back when the typing rests, or at once on Enter. */
export function Search({ label, value, onChange }: SearchProps) {
  const [typed, type] = useState(value);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => type(value), [value]);
  useEffect(() => () => clearTimeout(waiting.current), []);
  function later(text: string): void {
    type(text);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => onChange(text), TYPING);
  }
  function now(event: KeyboardEvent): void {
    if (event.key !== "Enter") return;
    clearTimeout(waiting.current);
    onChange(typed);
  }
  return (
    <Field label={label}>
      <input
        type="search"
        value={typed}
        dir="auto"
        onInput={(event) => later(event.currentTarget.value)}
        onKeyDown={now}
      />
    </Field>
  );
}

export function Facts({ pairs }: { pairs: readonly (readonly [label: string, node: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {pairs.map(([label, node]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{node}</dd>
        </div>
      ))}
    </dl>
  );
}
