// The datasets with their zones and how much is in them; a new one, another zone.
import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { count } from "../overview/numbers";
import { Making } from "./making";

type Dataset = Schema<"DatasetReply">;

const HEADS = ["Name", "Time zone", "Memories", "Documents", "Entities", "Statements", "Created", "Actions"];

export function Datasets() {
  const { value, problem, again } = useLoaded(
    (asking) => get<Page<Dataset>>("/v1/datasets", { sizes: true }, asking),
    [],
  );
  const [edited, edit] = useState<Dataset | null>(null);
  return (
    <section class="panel" aria-labelledby="datasets">
      <h2 id="datasets">Datasets</h2>
      {problem ? (
        <Trouble problem={problem} again={again} />
      ) : value ? (
        <List datasets={value.data} edit={edit} />
      ) : (
        <Loading />
      )}
      <Making key={edited?.name ?? ""} of={edited} saved={again} />
    </section>
  );
}

function List({ datasets, edit }: { datasets: Dataset[]; edit: (dataset: Dataset) => void }) {
  if (!datasets.length) return <Empty>There is no dataset yet; the first write makes one.</Empty>;
  const rows = datasets.map((each) => [
    <bdi class="said">{each.name}</bdi>,
    each.timezone ?? <span class="quiet">none: UTC</span>,
    sized(each.size?.memories),
    <a
      href={href("/documents", { dataset: each.name })}
      aria-label={`${sized(each.size?.documents)} documents in ${each.name}`}
    >
      {sized(each.size?.documents)}
    </a>,
    <a
      href={href("/graph", { dataset: each.name })}
      aria-label={`${sized(each.size?.entities)} entities in ${each.name}`}
    >
      {sized(each.size?.entities)}
    </a>,
    sized(each.size?.statements),
    <Time at={each.created_at} />,
    <button type="button" aria-label={`Change the zone of ${each.name}`} onClick={() => edit(each)}>
      Change the zone
    </button>,
  ]);
  return (
    <div class="settings-table">
      <Table label="Datasets" heads={HEADS} rows={rows} />
    </div>
  );
}

const sized = (n: number | undefined): string => (n === undefined ? "–" : count(n));
