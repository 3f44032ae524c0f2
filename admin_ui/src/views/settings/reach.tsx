// Which datasets a new key may touch: all, or those that are ticked or named.
import type { Dataset } from "../../app/datasets";
import { Field, Select } from "../../parts/fields";

export type Reach = { isAll: boolean; ticked: readonly string[]; named: string };
export const EVERYTHING: Reach = { isAll: true, ticked: [], named: "" };

/** For the server: null is every dataset, those to come too. */
export function datasetsOf({ isAll, ticked, named }: Reach): string[] | null {
  if (isAll) return null;
  return [...new Set([...ticked, ...named.split(/[\s,]+/).filter(Boolean)])];
}

type Given = { datasets: readonly Dataset[]; value: Reach; onChange: (reach: Reach) => void };

export function ReachOf({ datasets, value, onChange }: Given) {
  const tick = (name: string): void =>
    onChange({
      ...value,
      ticked: value.ticked.includes(name) ? value.ticked.filter((each) => each !== name) : [...value.ticked, name],
    });
  return (
    <>
      <Select
        label="Datasets"
        value={value.isAll ? "all" : "some"}
        options={[
          ["all", "all, those to come too"],
          ["some", "only some"],
        ]}
        onChange={(choice) => onChange({ ...value, isAll: choice === "all" })}
      />
      {!value.isAll && (
        <fieldset>
          <legend>Only these datasets</legend>
          <div class="checks">
            {datasets.map(({ name }) => (
              <label key={name} class="check">
                <input type="checkbox" checked={value.ticked.includes(name)} onChange={() => tick(name)} />
                <bdi class="said">{name}</bdi>
              </label>
            ))}
            <Field label="Others, that may not be there yet">
              <input
                type="text"
                autocomplete="off"
                placeholder="support, notes"
                value={value.named}
                onInput={(event) => onChange({ ...value, named: event.currentTarget.value })}
              />
            </Field>
          </div>
        </fieldset>
      )}
    </>
  );
}
