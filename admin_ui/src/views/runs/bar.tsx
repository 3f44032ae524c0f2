// The filters of the list, each in the address as soon as it is given.
import type { ComponentChildren } from "preact";
import { filter } from "../../app/router";
import { Field, Search, Select } from "../../parts/fields";
import { carried, type Filters, instant, isNarrow, local } from "./filters";
import { STAGE_STATUSES, words } from "./operations";

type Option = [value: string, label: string];
const ANY: Option = ["", "any"];
const options = (names: readonly string[]): Option[] => [ANY, ...names.map((name): Option => [name, words(name)])];

type Given = { filters: Filters; stages: readonly string[]; children: ComponentChildren };

export function FilterBar({ filters, stages, children }: Given) {
  const of = (name: string) => (value: string) => filter({ [name]: value || null });
  return (
    <form class="filters" role="search" aria-label="Filter runs" onSubmit={(event) => event.preventDefault()}>
      <Search label="Text" value={filters.text ?? ""} onChange={(text) => filter({ text: text.trim() || null })} />
      <Select
        label="State"
        value={filters.status ?? ""}
        options={options(filters.log.states)}
        onChange={of("status")}
      />
      <Select
        label="Stage"
        value={filters.stage ?? ""}
        options={options(stages)}
        onChange={(stage) => pickStage(stage, filters)}
      />
      <Select
        label="Stage status"
        value={filters.stageStatus ?? ""}
        options={options(STAGE_STATUSES)}
        onChange={of("stage_status")}
      />
      <Moment label="From" name="after" value={filters.after} />
      <Moment label="To" name="before" value={filters.before} />
      {Object.entries(filters.own).map(([name, value]) => (
        <button
          type="button"
          class="chip"
          key={name}
          aria-label={`Without ${words(name)} ${value}`}
          onClick={() => filter({ [name]: null })}
        >
          {words(name)} <code class="id">{value}</code> ×
        </button>
      ))}
      {isNarrow(filters) && (
        <button type="button" onClick={() => clear(filters)}>
          Clear
        </button>
      )}
      {children}
    </form>
  );
}

/** A stage narrows only together with a status of it: failed, if none is chosen yet. */
function pickStage(stage: string, filters: Filters): void {
  filter({ stage: stage || null, stage_status: stage ? (filters.stageStatus ?? "failed") : filters.stageStatus });
}

function clear(filters: Filters): void {
  const names = Object.keys(carried(filters)).filter((name) => name !== "operation" && name !== "dataset");
  filter(Object.fromEntries(names.map((name) => [name, null])));
}

function Moment({ label, name, value }: { label: string; name: string; value: string | null }) {
  return (
    <Field label={label}>
      <input
        type="datetime-local"
        value={local(value)}
        onChange={(event) => filter({ [name]: instant(event.currentTarget.value || null) })}
      />
    </Field>
  );
}
