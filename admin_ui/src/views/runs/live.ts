// Keeping a view of runs as it is now: by the event stream, and by asking again where something may go on unheard.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Event, listen, type State } from "../../app/events";
import type { Operation } from "./operations";
import { paced } from "./pace";

const EVENTS: Record<Operation, readonly string[]> = {
  encode: ["memory_encoded", "memory_edited", "stage_completed", "run_finished", "run_restarted"],
  remember: ["remember_started", "text_stored", "stage_completed", "run_finished", "run_restarted"],
  query: ["run_finished"],
};
const POLL = 5000;
const EVERY = 1000;

export type Watched = {
  operation: Operation;
  dataset: string | null;
  /** Whether an event is about what is shown; any if unset. */
  isOurs?: (event: Event) => boolean;
  /** Whether something is under way, so that asking again pays. */
  isAlive: boolean;
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
  const wasPaused = useRef(false);
  useEffect(() => {
    if (isPaused) return;
    const pace = paced(
      () => now.current.refresh(),
      () => EVERY,
    );
    let isOpen = false;
    const isOurs = (event: Event): boolean =>
      isOf(event, operation) && (now.current.isOurs === undefined || now.current.isOurs(event));
    const stop = listen({ dataset, types: EVENTS[operation] }, (events) => events.some(isOurs) && pace.ask(), {
      onState: (next) => {
        isOpen = next === "open";
        setState(next === "refused" ? "polling" : next);
      },
      onGap: pace.ask,
    });
    if (wasPaused.current) pace.ask(); // nothing was heard meanwhile
    wasPaused.current = false;
    // Not all that becomes of a run is an event: it may vanish, and a question's beginning is none.
    const timer = setInterval(() => {
      if ((now.current.isAlive || !isOpen) && !document.hidden) pace.ask();
    }, POLL);
    return () => {
      stop();
      pace.stop();
      clearInterval(timer);
    };
  }, [operation, dataset, isPaused]);
  function toggle(): void {
    wasPaused.current = isPaused;
    setPaused(!isPaused);
  }
  return { state: isPaused ? "paused" : state, isPaused, toggle };
}

/** An event of a run tells of which log it is. */
const isOf = (event: Event, operation: Operation): boolean =>
  event.data["operation"] === undefined || event.data["operation"] === operation;
