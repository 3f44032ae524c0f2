// The datasets with their zones and how much is in them; a new one, another zone.
import { useState } from "preact/hooks";
import { type Dataset, sizedDatasets } from "../../app/datasets";
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { countIfKnown } from "../../parts/numbers";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { Making } from "./making";

const HEADS = ["Name", "Time zone", "Memories", "Documents", "Entities", "Statements", "Created", "Actions"];

export function Datasets() {
  const { value, problem, again } = useLoaded(sizedDatasets, []);
  const [edited, edit] = useState<Dataset | null>(null);
  return (
    <section class="panel" aria-labelledby="datasets">
      <h2 id="datasets">Datasets</h2>
      {problem ? (
        <Trouble problem={problem} again={again} />
      ) : value ? (
        <List datasets={value} edit={edit} />
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
    countIfKnown(each.size?.memories),
    <a
      href={href("/documents", { dataset: each.name })}
      aria-label={`${countIfKnown(each.size?.documents)} documents in ${each.name}`}
    >
      {countIfKnown(each.size?.documents)}
    </a>,
    <a
      href={href("/graph", { dataset: each.name })}
      aria-label={`${countIfKnown(each.size?.entities)} entities in ${each.name}`}
    >
      {countIfKnown(each.size?.entities)}
    </a>,
    countIfKnown(each.size?.statements),
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
