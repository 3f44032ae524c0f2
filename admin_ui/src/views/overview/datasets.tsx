// The datasets, each with how much was written, remembered and asked in it, and the way to its runs and documents.
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { Bar } from "../../parts/bars";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { allOf, type CountsOf, type Dataset, datasets, OPERATIONS, type Operation } from "./loads";
import { count } from "./numbers";

export function Datasets({ tick, counts }: { tick: number; counts: CountsOf | null }) {
  const { value, problem, again } = useLoaded(datasets, [tick]);
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
  const sum = (dataset: Dataset): number => OPERATIONS.reduce((total, each) => total + of(each, dataset), 0);
  const most = Math.max(1, ...datasets.map(sum));
  const rows = datasets.map((each) => [
    <bdi>{each.name}</bdi>,
    counts ? <Bar value={sum(each)} max={most} label={count(sum(each))} /> : "–",
    ...OPERATIONS.map((operation) => (
      <RunsOf operation={operation} dataset={each.name} n={counts ? of(operation, each) : null} />
    )),
    <a href={href("/documents", { dataset: each.name })}>documents</a>,
    each.timezone ?? "–",
    <Time at={each.created_at} />,
  ]);
  return (
    <Table
      label="Datasets"
      heads={["Name", "Runs on record", "Encode", "Remember", "Query", "Documents", "Zone", "Created"]}
      rows={rows}
    />
  );
}

function RunsOf({ operation, dataset, n }: { operation: Operation; dataset: string; n: number | null }) {
  if (n === null) return <>–</>;
  return (
    <a href={href("/runs", { operation, dataset })} aria-label={`${n} ${operation} runs in ${dataset}`}>
      {count(n)}
    </a>
  );
}
