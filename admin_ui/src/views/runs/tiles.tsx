// How many runs are in each state, all and of each dataset. A tile is a filter.
import { useState } from "preact/hooks";
import { filter } from "../../app/router";
import { Status } from "../../parts/status";
import type { Filters } from "./filters";
import type { Counts } from "./list";

export function Tiles({ filters, counts }: { filters: Filters; counts: Counts | null }) {
  const states = filters.log.states;
  const shown = filters.dataset === null ? counts?.by_state : (counts?.by_dataset[filters.dataset] ?? {});
  return (
    <section aria-label="Runs by state">
      <div class="tiles">
        {states.map((state) => (
          <Tile
            key={state}
            state={state}
            count={shown?.[state] ?? (counts ? 0 : null)}
            isOn={filters.status === state}
          />
        ))}
      </div>
      {counts && Object.keys(counts.by_dataset).length > 1 && <ByDataset filters={filters} counts={counts} />}
    </section>
  );
}

function Tile({ state, count, isOn }: { state: string; count: number | null; isOn: boolean }) {
  return (
    <button type="button" class="tile" aria-pressed={isOn} onClick={() => filter({ status: isOn ? null : state })}>
      <strong class="count">{count === null ? "–" : count.toLocaleString()}</strong>
      <Status of={state} />
    </button>
  );
}

/** Its rows are there only while it is open: the keys go through the rows of the page. */
function ByDataset({ filters, counts }: { filters: Filters; counts: Counts }) {
  const [isOpen, open] = useState(false);
  return (
    <details class="by-dataset" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>By dataset</summary>
      {isOpen && <DatasetTable filters={filters} counts={counts} />}
    </details>
  );
}

function DatasetTable({ filters, counts }: { filters: Filters; counts: Counts }) {
  const states = filters.log.states.filter((state) => counts.by_state[state]);
  return (
    <div class="scroll" role="region" aria-label="Runs by dataset" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Dataset</th>
            {states.map((state) => (
              <th scope="col" class="number" key={state}>
                {state}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(counts.by_dataset).map(([dataset, of]) => (
            <tr key={dataset}>
              <th scope="row" class="said">
                <button
                  type="button"
                  class="plain"
                  aria-pressed={filters.dataset === dataset}
                  onClick={() => filter({ dataset })}
                >
                  <bdi>{dataset}</bdi>
                </button>
              </th>
              {states.map((state) => (
                <td class="number" key={state}>
                  <Cell dataset={dataset} state={state} count={of[state] ?? 0} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ dataset, state, count }: { dataset: string; state: string; count: number }) {
  if (!count) return <>0</>;
  return (
    <button
      type="button"
      class="plain"
      aria-label={`${count} ${state} in ${dataset}`}
      onClick={() => filter({ dataset, status: state })}
    >
      {count.toLocaleString()}
    </button>
  );
}
