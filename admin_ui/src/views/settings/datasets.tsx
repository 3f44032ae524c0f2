// The datasets with their zones and how much is in them; a new one, another zone.
import { useState } from "preact/hooks";
import { get, Problem, send } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { Field } from "../../parts/fields";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";

type Dataset = Schema<"DatasetReply">;
type Counts = Schema<"RunCountsReply">;

const OPERATIONS = ["encode", "remember", "query"] as const;

export function Datasets() {
  const { value, problem, again } = useLoaded((signal) => get<Page<Dataset>>("/v1/datasets", {}, signal), []);
  return (
    <section class="panel" aria-labelledby="datasets">
      <h2 id="datasets">Datasets</h2>
      {problem ? <Trouble problem={problem} again={again} /> : value ? <List datasets={value.data} /> : <Loading />}
      <Making saved={again} />
    </section>
  );
}

/** Counts need the right to see runs; without them the names are still there. */
function List({ datasets }: { datasets: Dataset[] }) {
  const counts = useLoaded(countsOf, [datasets]);
  if (!datasets.length) return <Empty>There is no dataset yet; the first write makes one.</Empty>;
  const rows = datasets.map((each) => [
    <bdi>{each.name}</bdi>,
    each.timezone ?? "–",
    ...OPERATIONS.map((operation, at) => {
      const of = counts.value?.[at]?.by_dataset[each.name];
      const n = Object.values(of ?? {}).reduce((sum, each) => sum + each, 0);
      return counts.value ? (
        <a
          href={href("/runs", { operation, dataset: each.name })}
          aria-label={`${n} ${operation} runs of ${each.name}`}
        >
          {n.toLocaleString()}
        </a>
      ) : (
        "–"
      );
    }),
    <Time at={each.created_at} />,
  ]);
  return (
    <Table
      label="Datasets"
      heads={["Name", "Time zone", "Encode runs", "Remember runs", "Query runs", "Created"]}
      rows={rows}
    />
  );
}

const countsOf = (signal: AbortSignal): Promise<Counts[]> =>
  Promise.all(OPERATIONS.map((operation) => get<Counts>(`/v1/admin/api/${operation}-runs/counts`, {}, signal)));

/** The same call makes a dataset and sets the zone of one that is there. */
function Making({ saved }: { saved: () => void }) {
  const [name, setName] = useState("");
  const [zone, setZone] = useState("");
  const [problem, tell] = useState<Problem | null>(null);
  async function save(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await send("POST", "/v1/datasets", { name, timezone: zone || null });
      tell(null);
      setName("");
      setZone("");
      saved();
    } catch (error) {
      if (error instanceof Problem) tell(error);
    }
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <div class="making">
        <Field label="Dataset, new or not">
          <input
            type="text"
            required
            maxLength={128}
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field label="Time zone">
          <input
            type="text"
            list="zones"
            placeholder="Europe/Lisbon"
            autocomplete="off"
            value={zone}
            onInput={(event) => setZone(event.currentTarget.value)}
          />
        </Field>
        <datalist id="zones">
          {Intl.supportedValuesOf("timeZone").map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <button type="submit">Save the dataset</button>
      </div>
      {problem && <Trouble problem={problem} />}
    </form>
  );
}
