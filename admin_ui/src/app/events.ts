// The event stream, heard over fetch since EventSource cannot send a key. Goes on after a lost connection where it was,
// without a gap or a double, and hands events over once a frame, so that a busy server does not freeze the page.
import { headers, Problem, query, refusal } from "../api/client";
import { Frames } from "./sse";

export type Event = {
  lsn: number;
  at: string;
  type: string;
  dataset: string | null;
  memory_id: string | null;
  session: string | null;
  kind: string | null;
  data: Record<string, unknown>;
};

export type Wanted = { dataset?: string | null | undefined; types?: readonly string[] | undefined };

/** `lost`: tried again by itself; `refused`: not tried again, the problem says why. */
export type State = "connecting" | "open" | "lost" | "paused" | "refused";

export type Hearing = {
  onState?: (state: State, problem: Problem | null) => void;
  /** Events were missed that the server has no longer: what is shown is to be loaded anew. */
  onGap?: () => void;
};

/** Ends the hearing. A paused one holds no connection; resumed, it first hears what it missed. */
export type Stop = (() => void) & { pause: () => void; resume: () => void };

const SILENCE = 45_000; // three heartbeats
const LONGEST_WAIT = 10_000;
const MOST = 1000; // events handed over at a time
const TRY_AGAIN = new Set([0, 429, 502, 503, 504]);
const GONE = 410;

/** Calls back with the events of a dataset (all, if none) and of the types (all, if none), from now on. */
export function listen(wanted: Wanted, onEvents: (events: Event[]) => void, hearing: Hearing = {}): Stop {
  const frames = new Frames();
  const batches = batched(onEvents);
  let open: AbortController | null = null;

  function start(): void {
    if (open) return;
    open = new AbortController();
    void follow(wanted, frames, batches.add, open.signal, hearing);
  }
  function end(): void {
    open?.abort();
    open = null;
  }
  start();
  const pause = (): void => {
    end();
    batches.flush();
    hearing.onState?.("paused", null);
  };
  const stop = (): void => {
    end();
    batches.close();
  };
  return Object.assign(stop, { pause, resume: start });
}

/** Connects again and again until the signal or a refusal ends it. */
async function follow(
  wanted: Wanted,
  frames: Frames,
  add: (event: Event) => void,
  signal: AbortSignal,
  hearing: Hearing,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    frames.cut();
    hearing.onState?.(failures ? "lost" : "connecting", null);
    try {
      await once(wanted, frames, add, signal, () => {
        failures = 0;
        hearing.onState?.("open", null);
      });
      if (!signal.aborted) await pauseFor(frames.retry, signal);
    } catch (error) {
      if (signal.aborted) return;
      const problem = error instanceof Problem ? error : new Problem(0, "unreachable", "The event stream broke off.");
      if (problem.status === GONE) {
        frames.id = null;
        hearing.onGap?.();
      } else if (!TRY_AGAIN.has(problem.status)) {
        hearing.onState?.("refused", problem);
        return;
      } else hearing.onState?.("lost", problem);
      await pauseFor(Math.min(frames.retry * 2 ** failures++, LONGEST_WAIT) * (0.5 + Math.random() / 2), signal);
    }
  }
}

/** Reads one connection to its end. */
async function once(
  wanted: Wanted,
  frames: Frames,
  add: (event: Event) => void,
  outer: AbortSignal,
  onOpen: () => void,
): Promise<void> {
  const silence = new AbortController();
  const signal = AbortSignal.any([outer, silence.signal]);
  let timer = setTimeout(() => silence.abort(), SILENCE);
  try {
    const address = `/v1/subscribe${query({ dataset: wanted.dataset, types: wanted.types?.join(",") })}`;
    const from: Record<string, string> = frames.id === null ? {} : { "last-event-id": frames.id };
    const response = await fetch(address, {
      headers: { accept: "text/event-stream", ...headers(), ...from },
      signal,
      cache: "no-store",
    });
    if (!response.ok || !response.body) throw await refusal(response);
    onOpen();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE);
      if (outer.aborted) return; // what is not taken in is heard again
      for (const frame of frames.take(decoder.decode(part.value, { stream: true }))) {
        // `lagged` says only where to go on, and its id says that as well.
        if (frame.type !== "lagged") add(JSON.parse(frame.data) as Event);
      }
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

type Batches = { add: (event: Event) => void; flush: () => void; close: () => void };

/** Keeps events until the next frame of the page. A hidden page has no frames: there a full batch is handed over at once. */
function batched(onEvents: (events: Event[]) => void): Batches {
  let waiting: Event[] = [];
  let frame = 0;
  let isClosed = false;
  function flush(): void {
    const events = waiting;
    cancelAnimationFrame(frame);
    frame = 0;
    waiting = [];
    if (events.length && !isClosed) onEvents(events);
  }
  function add(event: Event): void {
    waiting.push(event);
    if (waiting.length >= MOST) flush();
    else frame ||= requestAnimationFrame(flush);
  }
  return { add, flush, close: () => void (isClosed = true) };
}

function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}
