// A list that is loaded a page at a time: the first when what it depends on changes, the next when it is asked for.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Problem, problemOf } from "../api/client";
import type { Page } from "../api/types";

type State<T> = { items: T[] | null; cursor: string | null; problem: Problem | null; isLoading: boolean };
export type Pages<T> = {
  /** What is loaded so far; null before the first page is there. */
  items: T[] | null;
  problem: Problem | null;
  isLoading: boolean;
  hasMore: boolean;
  more: () => void;
  again: () => void;
};

/** `load` is given the cursor of a page, null for the first. A page that comes after the list changed is dropped. */
export function usePages<T>(
  load: (cursor: string | null, signal: AbortSignal) => Promise<Page<T>>,
  on: readonly unknown[],
): Pages<T> {
  const [state, set] = useState<State<T>>({ items: null, cursor: null, problem: null, isLoading: true });
  const [round, next] = useState(0);
  const asking = useRef<AbortController | null>(null);

  function ask(cursor: string | null): void {
    const mine = (asking.current = new AbortController());
    set((before) => ({ ...before, problem: null, isLoading: true }));
    load(cursor, mine.signal)
      .then((page) => {
        if (mine.signal.aborted) return;
        set((before) => ({
          items: [...(cursor ? (before.items ?? []) : []), ...page.data],
          cursor: page.has_more ? page.next_cursor : null,
          problem: null,
          isLoading: false,
        }));
      })
      .catch((error: unknown) => {
        if (mine.signal.aborted) return;
        const problem = problemOf(error);
        set((before) => ({ ...before, problem, isLoading: false }));
      });
  }
  useEffect(() => {
    set({ items: null, cursor: null, problem: null, isLoading: true });
    ask(null);
    return () => asking.current?.abort();
  }, [...on, round]);

  return {
    items: state.items,
    problem: state.problem,
    isLoading: state.isLoading,
    hasMore: state.cursor !== null,
    more: () => {
      if (!state.isLoading && state.cursor) ask(state.cursor);
    },
    again: () => (state.items && state.cursor ? ask(state.cursor) : next((before) => before + 1)),
  };
}
