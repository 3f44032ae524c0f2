// A question on its way to its answer. Asking costs and is on record, so it is done when it is told to, never by an
// address alone; what was answered is kept for this tab, so that the way back to it asks nothing.
import { useEffect, useRef, useState } from "preact/hooks";
import { key as apiKey, type Problem, problemOf } from "../../api/client";
import { askQuestion, type Result } from "./ask";
import type { Body } from "./asked";

const KEPT = 20; // answers

/** In milliseconds since it was asked. `first`: until the first piece of a streamed answer. */
export type Times = { first: number | null; whole: number };
export type Answered = { result: Result; times: Times };
type State = { isAsking: boolean; text: string; answered: Answered | null; problem: Problem | null };
export type Answering = State & { ask: () => void; stop: () => void };
/** That somebody has told to ask, once. */
export type Told = { of: string };

const kept = new Map<string, Answered>();
const obeyed = new WeakSet<Told>();
const QUIET = { isAsking: false, text: "", problem: null };
apiKey.subscribe(() => kept.clear());

/**
 * For the question that is named by `of`; another ends the one that is being asked, and so does leaving.
 * `body` may throw what is wrong with it.
 */
export function useAnswering(of: string, body: () => Body, told: Told | null): Answering {
  const [held, set] = useState<State & { of: string }>(() => fresh(of));
  const asking = useRef<AbortController | null>(null);
  useEffect(() => {
    set(fresh(of));
    if (told?.of === of && !obeyed.has(told)) {
      obeyed.add(told);
      void ask();
    }
    return () => asking.current?.abort();
  }, [of, told]);

  async function ask(): Promise<void> {
    asking.current?.abort();
    const mine = (asking.current = new AbortController());
    const tell = (next: (before: State) => State): void =>
      void (asking.current === mine && set((before) => ({ ...next(before), of })));
    tell(() => ({ ...QUIET, isAsking: true, answered: null }));
    try {
      const piece = (more: string): void => tell((before) => ({ ...before, text: before.text + more }));
      const answered = await timed(body(), piece, mine.signal);
      keep(of, answered);
      tell(() => ({ ...QUIET, answered }));
    } catch (error) {
      const problem = problemOf(error);
      tell((before) => ({ ...before, isAsking: false, problem: mine.signal.aborted ? null : problem }));
    }
  }
  const state = held.of === of ? held : fresh(of);
  return { ...state, ask: () => void ask(), stop: () => asking.current?.abort() };
}

const fresh = (of: string): State & { of: string } => ({ ...QUIET, answered: kept.get(of) ?? null, of });

async function timed(body: Body, onText: (piece: string) => void, signal: AbortSignal): Promise<Answered> {
  const start = performance.now();
  let first: number | null = null;
  const piece = (text: string): void => {
    first ??= performance.now() - start;
    onText(text);
  };
  const result = await askQuestion(body, piece, signal);
  return { result, times: { first, whole: performance.now() - start } };
}

function keep(of: string, answered: Answered): void {
  kept.delete(of);
  kept.set(of, answered);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) return;
    kept.delete(oldest);
  }
}
