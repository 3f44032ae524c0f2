// The runs of the three logs: how many are in which state, and the list, kept as it is now. The filters are the address.

import { get, query } from "../api/client";
import type { Schema } from "../api/types";
import { useLoaded } from "../app/load";
import { filter, params } from "../app/router";
import { JsonLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { More } from "../parts/table";
import { FilterBar } from "./runs/bar";
import { asked, type Filters, isNarrow, parse } from "./runs/filters";
import { PAGE, type RunList, useRunList } from "./runs/list";
import { type Live, useLive } from "./runs/live";
import { isAlive, LOGS } from "./runs/operations";
import { Rows } from "./runs/rows";
import { Tiles } from "./runs/tiles";

export type Stages = Schema<"StagesReply">;

export default function Runs() {
  const filters = parse(params.value);
  return (
    <>
      <header class="head">
        <h1>Runs</h1>
        <nav class="tabs" aria-label="Logs">
          {Object.values(LOGS).map((log) => (
            <button
              type="button"
              key={log.operation}
              aria-pressed={log === filters.log}
              onClick={() => turnTo(log.operation)}
            >
              {log.name}
            </button>
          ))}
        </nav>
        <JsonLink to={filters.log.path + query(asked(filters))} />
      </header>
      <Log key={filters.log.operation} filters={filters} />
    </>
  );
}

/** Opens another log; the filters that every log has stay. */
function turnTo(operation: string): void {
  filter({ operation, status: null, stage: null, memory_id: null, document_id: null, session: null });
}

function Log({ filters }: { filters: Filters }) {
  const list = useRunList(filters);
  const stages = useLoaded((signal) => get<Stages>("/v1/admin/api/stages", {}, signal), []);
  const live = useLive({
    operation: filters.log.operation,
    dataset: filters.dataset,
    isAlive: list.rows.some(isAlive),
    refresh: list.refresh,
  });
  const { operation } = filters.log;
  const known = stages.value?.[operation === "encode" ? "derive" : operation] ?? [];
  return (
    <>
      <Tiles filters={filters} counts={list.counts} />
      <FilterBar filters={filters} stages={known.map((stage) => stage.name)}>
        <LiveSwitch live={live} />
      </FilterBar>
      {list.problem && <Trouble problem={list.problem} again={list.again} />}
      {list.isLoading ? (
        <Loading />
      ) : list.rows.length ? (
        <>
          {list.newer > 0 && <Newer of={list} />}
          <Rows filters={filters} runs={list.rows} />
          <More has={list.cursor !== null} busy={list.isMore} load={list.more} />
        </>
      ) : (
        !list.problem && <Empty>{isNarrow(filters) ? "No run is like that." : "Nothing was run here yet."}</Empty>
      )}
    </>
  );
}

function Newer({ of }: { of: RunList }) {
  return (
    <p class="more" role="status">
      <button type="button" onClick={of.newest}>
        Show {of.newer < PAGE ? of.newer : `${PAGE} or more`} newer runs
      </button>
    </p>
  );
}

const SAID: Record<Live["state"], string> = {
  connecting: "connecting",
  open: "live",
  polling: "every 5 s",
  lost: "connection lost",
  refused: "no events",
  paused: "paused",
};

function LiveSwitch({ live }: { live: Live }) {
  return (
    <span class="live" data-state={live.state}>
      <span role="status">{SAID[live.state]}</span>
      <button type="button" onClick={live.toggle}>
        {live.isPaused ? "Go on" : "Pause"}
      </button>
    </span>
  );
}
