// The dataset that the views show: in the address of a view, and remembered for the links to the others.
import { useEffect } from "preact/hooks";
import { get, key } from "../api/client";
import type { Page, Schema } from "../api/types";
import { Select } from "../parts/fields";
import { useLoaded } from "./load";
import { filter, params } from "./router";
import { dataset } from "./session";

/** `isOne`: the view shows one thing, so the choice is for the views after it. */
export function Picker({ isOne }: { isOne: boolean }) {
  const { value } = useLoaded((signal) => get<Page<Schema<"DatasetReply">>>("/v1/datasets", {}, signal), [key.value]);
  const here = params.value.get("dataset") ?? "";
  useEffect(() => {
    if (!isOne) dataset.value = here;
  }, [here, isOne]);
  function pick(name: string): void {
    dataset.value = name;
    if (!isOne) filter({ dataset: name || null });
  }
  const names = (value?.data ?? []).map((each) => [each.name, each.name] as const);
  return (
    <Select
      label="Dataset"
      value={isOne ? dataset.value : here}
      options={[["", "All datasets"], ...names]}
      onChange={pick}
    />
  );
}
