// Keeping a view of runs as it is now: by the event stream where the log has events, by asking again where not.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Event, listen, type State } from "../../app/events";
import type { Operation } from "./operations";
import { paced } from "./pace";

const EVENTS: Record<Operation, readonly string[]> = {
  encode: ["memory_encoded", "memory_edited", "stage_completed", "run_finished", "run_restarted"],
  remember: ["remember_started", "text_stored", "stage_completed", "run_finished", "run_restarted"],
  query: [], // a question leaves no event
};
const POLL = 5000;
const EVERY = 1000;
const LONG_LIST = 200; // rows from which on it is asked for less often

export type Watched = {
  operation: Operation;
  dataset: string | null;
  /** Whether an event is about what is shown; any if unset. */
  isOurs?: (event: Event) => boolean;
  /** Whether something is under way, so that asking again pays. */
  isAlive: boolean;
  rows: number;
  refresh: () => Promise<void>;
};

export type Live = { state: State | "polling"; isPaused: boolean; toggle: () => void };

/** Calls `refresh` when something happened, at most once a second; not while the reader has paused it. */
export function useLive(watched: Watched): Live {
  const now = useRef(watched);
  now.current = watched;
  const [isPaused, setPaused] = useState(false);
  const [state, setState] = useState<State | "polling">("connecting");
  const { operation, dataset } = watched;
  useEffect(() => {
    if (isPaused) return;
    const pace = paced(
      () => now.current.refresh(),
      () => (now.current.rows > LONG_LIST ? POLL : EVERY),
    );
    const types = EVENTS[operation];
    let isOpen = false;
    const stop = types.length
      ? listen({ dataset, types }, (events) => events.some(now.current.isOurs ?? (() => true)) && pace.ask(), {
          onState: (next) => {
            isOpen = next === "open";
            setState(next === "refused" ? "polling" : next);
          },
          onGap: pace.ask,
        })
      : setState("polling");
    const timer = setInterval(() => {
      const isWorthIt = types.length ? !isOpen && now.current.isAlive : true;
      if (isWorthIt && !document.hidden) pace.ask();
    }, POLL);
    return () => {
      stop?.();
      pace.stop();
      clearInterval(timer);
    };
  }, [operation, dataset, isPaused]);
  return { state: isPaused ? "paused" : state, isPaused, toggle: () => setPaused(!isPaused) };
}
