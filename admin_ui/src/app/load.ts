// What a view is waiting for: loading, there, or a problem; asked again when what it depends on changes.
import { useEffect, useState } from "preact/hooks";
import { type Problem, problemOf } from "../api/client";

export type Loaded<T> = { value: T | null; problem: Problem | null; isLoading: boolean; again: () => void };

/** Loads when `on` changes; an answer that comes after the next question is dropped. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [state, set] = useState<{ value: T | null; problem: Problem | null; isLoading: boolean }>({
    value: null,
    problem: null,
    isLoading: true,
  });
  const [round, next] = useState(0);
  useEffect(() => {
    const asking = new AbortController();
    set((before) => ({ ...before, isLoading: true }));
    load(asking.signal)
      .then((value) => set({ value, problem: null, isLoading: false }))
      .catch((error: unknown) => {
        if (asking.signal.aborted) return;
        const problem = problemOf(error);
        set({ value: null, problem, isLoading: false });
      });
    return () => asking.abort();
  }, [...on, round]);
  return { ...state, again: () => next((before) => before + 1) };
}
