// The datasets, each with how much was written, remembered and asked in it, and the way to its runs and documents.

import { type Dataset, sizedDatasets } from "../../app/datasets";
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { Bar } from "../../parts/bars";
import { count, countIfKnown } from "../../parts/numbers";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { allOf, type CountsOf, OPERATIONS, type Operation } from "./loads";

export function Datasets({ tick, counts }: { tick: number; counts: CountsOf | null }) {
  const { value, problem, again } = useLoaded(sizedDatasets, [tick]);
  return (
    <section class="panel" aria-labelledby="datasets">
      <h2 id="datasets">Datasets</h2>
      {problem ? (
        <Trouble problem={problem} again={again} />
      ) : value ? (
        <Sizes datasets={value} counts={counts} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

function Sizes({ datasets, counts }: { datasets: Dataset[]; counts: CountsOf | null }) {
  if (!datasets.length) return <Empty>There is no dataset yet; the first write makes one.</Empty>;
  const of = (operation: Operation, dataset: Dataset): number =>
    allOf(counts?.[operation].by_dataset[dataset.name] ?? {});
  const most = Math.max(1, ...datasets.map((each) => each.size?.memories ?? 0));
  const rows = datasets.map((each) => [
    <bdi>{each.name}</bdi>,
    <Bar value={each.size?.memories ?? 0} max={most} label={countIfKnown(each.size?.memories)} />,
    <a
      href={href("/documents", { dataset: each.name })}
      aria-label={`${each.size?.documents} documents in ${each.name}`}
    >
      {countIfKnown(each.size?.documents)}
    </a>,
    <a href={href("/graph", { dataset: each.name })} aria-label={`${each.size?.entities} entities in ${each.name}`}>
      {countIfKnown(each.size?.entities)}
    </a>,
    countIfKnown(each.size?.statements),
    ...OPERATIONS.map((operation) => (
      <RunsOf operation={operation} dataset={each.name} n={counts ? of(operation, each) : null} />
    )),
    each.timezone ?? "–",
    <Time at={each.created_at} />,
  ]);
  return <Table label="Datasets" heads={HEADS} rows={rows} />;
}

const HEADS = [
  "Name",
  "Memories",
  "Documents",
  "Entities",
  "Statements ever made",
  "Derive runs",
  "Remember runs",
  "Query runs",
  "Zone",
  "Created",
];

function RunsOf({ operation, dataset, n }: { operation: Operation; dataset: string; n: number | null }) {
  if (n === null) return <>–</>;
  return (
    <a href={href("/runs", { operation, dataset })} aria-label={`${n} ${operation} runs in ${dataset}`}>
      {count(n)}
    </a>
  );
}
