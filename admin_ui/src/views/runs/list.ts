// The runs that are listed: the first page, more of them, and the same again when something happened.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, type Problem, problemOf } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { asked, type Filters, named } from "./filters";
import type { Run } from "./operations";

export type Counts = Schema<"RunCountsReply">;

type State = {
  rows: Run[];
  counts: Counts | null;
  cursor: string | null;
  problem: Problem | null;
  isLoading: boolean;
  isMore: boolean;
  /** Runs that have come since and are not shown: a long list stays as it is. */
  newer: number;
};

export type RunList = State & {
  more: () => void;
  again: () => void;
  refresh: () => Promise<void>;
  /** Shows the newest runs, and no more of them than at first. */
  newest: () => void;
};

export const PAGE = 50;
const LONGEST_LIVE = 100; // rows: drawing more of them anew each second would hold the page up
const STEP = 25; // rows drawn in one go, so that a long list that is all new does not hold the page up
const NOTHING: State = {
  rows: [],
  counts: null,
  cursor: null,
  problem: null,
  isLoading: true,
  isMore: false,
  newer: 0,
};

/** The run ids last listed and for which filters: what the page of a run calls next and previous. */
export const listed: { name: string; ids: string[] } = { name: "", ids: [] };

export function useRunList(filters: Filters): RunList {
  const [state, set] = useState<State>(NOTHING);
  const wanted = useRef(PAGE); // rows asked for by the reader
  const asking = useRef<AbortController | null>(null);
  const isTaking = useRef(false); // the next page, which a refresh must not cut off
  const name = named(filters);
  const shown = useRef<readonly Run[]>([]);
  shown.current = state.rows;

  const load = useCallback(async (): Promise<void> => {
    asking.current?.abort();
    const mine = (asking.current = new AbortController());
    try {
      const [page, counts] = await Promise.all([
        read(filters, wanted.current, null, mine.signal),
        count(filters, mine.signal),
      ]);
      if (mine.signal.aborted) return;
      const rows = kept(shown.current, page.data);
      for (const part of steps(shown.current, rows)) {
        set((before) => ({ ...before, rows: part, counts }));
        await new Promise((done) => setTimeout(done));
        if (mine.signal.aborted) return;
      }
      set({ ...NOTHING, rows, counts, cursor: page.next_cursor, isLoading: false });
    } catch (error) {
      if (!mine.signal.aborted) set((before) => ({ ...before, problem: problemOf(error), isLoading: false }));
    }
  }, [name]);

  const more = useCallback((): void => {
    asking.current?.abort(); // what a refresh would bring is shorter than the list will be
    const mine = (asking.current = new AbortController());
    isTaking.current = true;
    set((before) => ({ ...before, isMore: true }));
    read(filters, PAGE, state.cursor, mine.signal)
      .then((page) => {
        if (mine.signal.aborted) return;
        wanted.current = state.rows.length + page.data.length;
        set((before) => ({ ...before, rows: [...before.rows, ...page.data], cursor: page.next_cursor, isMore: false }));
      })
      .catch(
        (error: unknown) =>
          mine.signal.aborted || set((before) => ({ ...before, problem: problemOf(error), isMore: false })),
      )
      .finally(() => (isTaking.current = false));
  }, [name, state.cursor, state.rows.length]);

  /** A list that the reader has made long is read, not watched: it says what has come and moves nothing. */
  const look = useCallback(async (): Promise<void> => {
    const mine = (asking.current = new AbortController());
    try {
      const [page, counts] = await Promise.all([read(filters, PAGE, null, mine.signal), count(filters, mine.signal)]);
      if (mine.signal.aborted) return;
      set((before) => ({ ...before, counts, ...seen(before.rows, page.data) }));
    } catch (error) {
      if (!mine.signal.aborted) set((before) => ({ ...before, problem: problemOf(error) }));
    }
  }, [name]);

  const refresh = useCallback((): Promise<void> => {
    if (isTaking.current) return Promise.resolve();
    return wanted.current > LONGEST_LIVE ? look() : load();
  }, [load, look]);

  const newest = useCallback((): void => {
    wanted.current = PAGE;
    void load();
  }, [load]);

  const again = useCallback((): void => {
    set((before) => ({ ...before, problem: null, isLoading: true }));
    void load();
  }, [load]);

  useEffect(() => {
    wanted.current = PAGE;
    set((before) => ({ ...NOTHING, counts: before.counts }));
    void load();
    return () => asking.current?.abort();
  }, [load]);
  useEffect(() => void Object.assign(listed, { name, ids: state.rows.map((run) => run.run_id) }), [state.rows]);
  return { ...state, more, again, refresh, newest };
}

const read = (filters: Filters, limit: number, cursor: string | null, signal: AbortSignal): Promise<Page<Run>> =>
  get<Page<Run>>(filters.log.path, { ...asked(filters), limit, cursor }, signal);

const count = (filters: Filters, signal: AbortSignal): Promise<Counts> =>
  get<Counts>(`${filters.log.path}/counts`, {}, signal);

/** The new rows, the old one where nothing of it changed: a row that is the same is not drawn again. */
export function kept(before: readonly Run[], now: readonly Run[]): Run[] {
  const old = new Map(before.map((run) => [run.run_id, run]));
  return now.map((run) => {
    const same = old.get(run.run_id);
    return same && JSON.stringify(same) === JSON.stringify(run) ? same : run;
  });
}

/** The rows with what has become of them, and how many of the newest runs are not among them. */
export function seen(rows: readonly Run[], newest: readonly Run[]): { rows: Run[]; newer: number } {
  const now = new Map(kept(rows, newest).map((run) => [run.run_id, run]));
  const shown = rows.map((run) => now.get(run.run_id) ?? run);
  const ids = new Set(rows.map((run) => run.run_id));
  return { rows: shown, newer: newest.filter((run) => !ids.has(run.run_id)).length };
}

/** The lists between the old and the new one, each with some more of the new rows; none where little is new. */
export function* steps(before: readonly Run[], now: readonly Run[]): Generator<Run[]> {
  const old = new Set(before);
  if (!before.length || now.filter((run) => !old.has(run)).length <= STEP) return;
  for (let upTo = STEP; upTo < now.length; upTo += STEP) {
    const head = now.slice(0, upTo);
    const ids = new Set(head.map((run) => run.run_id));
    yield [...head, ...before.filter((run) => !ids.has(run.run_id))].slice(0, Math.max(before.length, now.length));
  }
}
