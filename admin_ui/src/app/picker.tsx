// The dataset that the views show: in the address of a view, and remembered for the links to the others.
import { useEffect } from "preact/hooks";
import { key } from "../api/client";
import { Select } from "../parts/fields";
import { datasets } from "./datasets";
import { useLoaded } from "./load";
import { filter, params } from "./router";
import type { Reach } from "./routes";
import { dataset } from "./session";

/** What it is called, and what it means that none is picked. */
const WORDS: Record<Reach, readonly [label: string, none: string]> = {
  all: ["Dataset", "All datasets"],
  one: ["Dataset", "none: default"],
  none: ["Dataset elsewhere", "All datasets"],
};

/** Where the view shows no dataset of its own, the choice is for the views after it. */
export function Picker({ reach }: { reach: Reach }) {
  const { value } = useLoaded(datasets, [key.value]);
  const here = params.value.get("dataset") ?? "";
  const isHere = reach !== "none";
  useEffect(() => {
    if (isHere) dataset.value = here;
  }, [here, isHere]);
  function pick(name: string): void {
    dataset.value = name;
    if (isHere) filter({ dataset: name || null });
  }
  const [label, none] = WORDS[reach];
  const names = (value ?? []).map((each) => [each.name, each.name] as const);
  return (
    <Select label={label} value={isHere ? here : dataset.value} options={[["", none], ...names]} onChange={pick} />
  );
}
