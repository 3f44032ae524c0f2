import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signIn } from "../api/client";
import { type Event, listen, type State } from "./events";
import { Frames } from "./sse";

const encoded = (lsn: number): string =>
  `id: ${lsn}\nevent: memory_encoded\ndata: ${JSON.stringify({ lsn, type: "memory_encoded", data: {} })}\n\n`;

describe("frames", () => {
  it("are whole however the stream is cut, and a heartbeat moves the position", () => {
    const text = `id: 4\nretry: 20\n: connected\n\n${encoded(5)}${encoded(6)}id: 9\n: heartbeat\n\n`;
    for (let at = 0; at <= text.length; at++) {
      const frames = new Frames();
      const heard = [...frames.take(text.slice(0, at)), ...frames.take(text.slice(at))];
      expect(heard.map((each) => (JSON.parse(each.data) as Event).lsn)).toEqual([5, 6]);
      expect([frames.id, frames.retry]).toEqual(["9", 20]);
    }
  });

  it("do not move the position by an event that was cut off", () => {
    const frames = new Frames();
    frames.take(`${encoded(5)}id: 6\nevent: memory_encoded\nda`);
    frames.cut();
    expect(frames.id).toBe("5");
    expect(frames.take(encoded(6))).toHaveLength(1);
  });
});

type Asked = { address: string; headers: Record<string, string>; signal: AbortSignal };

/** A server that answers every connection with the next of the given. */
function serve(...answers: (Response | Error)[]): Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal("fetch", (address: string, init: RequestInit) => {
    asked.push({ address, headers: init.headers as Record<string, string>, signal: init.signal as AbortSignal });
    const answer = answers.shift() ?? silent(init.signal as AbortSignal);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  return asked;
}

const told = (text: string): Response => new Response(`retry: 1\n\n${text}`);

function silent(signal: AbortSignal): Response {
  return new Response(
    new ReadableStream({ start: (stream) => signal.addEventListener("abort", () => stream.error(signal.reason)) }),
  );
}

const refused = (status: number): Response =>
  new Response(JSON.stringify({ code: "no", detail: "said so" }), { status });

describe("listen", () => {
  let heard: Event[][] = [];
  const states: [State, string | null][] = [];
  const hearing = {
    onState: (state: State, problem: { message: string } | null) => states.push([state, problem?.message ?? null]),
  };
  const lsns = (): number[] => heard.flat().map((each) => each.lsn);
  beforeEach(() => {
    heard = [];
    states.length = 0;
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    signIn("");
  });

  it("sends the key and asks for the dataset and types", async () => {
    signIn("secret");
    const asked = serve(told(encoded(1)));
    const stop = listen({ dataset: "a b", types: ["run_finished", "memory_encoded"] }, (each) => heard.push(each));
    await vi.waitFor(() => expect(lsns()).toEqual([1]));
    stop();
    expect(asked[0]?.address).toBe("/v1/subscribe?dataset=a+b&types=run_finished%2Cmemory_encoded");
    expect(asked[0]?.headers["authorization"]).toBe("Bearer secret");
  });

  it("hears what one connection brings in few batches", async () => {
    serve(told(Array.from({ length: 2500 }, (_, at) => encoded(at + 1)).join("")));
    const stop = listen({}, (each) => heard.push(each));
    await vi.waitFor(() => expect(lsns()).toHaveLength(2500));
    stop();
    expect(lsns()).toEqual(Array.from({ length: 2500 }, (_, at) => at + 1));
    expect(heard.length).toBeLessThan(10);
    expect(Math.max(...heard.map((each) => each.length))).toBeLessThanOrEqual(1000);
  });

  it("goes on after the last whole event when the connection is lost", async () => {
    const asked = serve(told(`${encoded(1)}id: 2\nevent: mem`), new TypeError("cut"), told(encoded(2)));
    const stop = listen({}, (each) => heard.push(each), hearing);
    await vi.waitFor(() => expect(lsns()).toEqual([1, 2]));
    stop();
    expect(asked.slice(0, 3).map((each) => each.headers["last-event-id"])).toEqual([undefined, "1", "1"]);
    expect(states.map(([state]) => state)).toContain("lost");
  });

  it("stops at a refusal and says why", async () => {
    const asked = serve(refused(401));
    const stop = listen({}, (each) => heard.push(each), hearing);
    await vi.waitFor(() => expect(states.at(-1)).toEqual(["refused", "said so"]));
    stop();
    expect(asked).toHaveLength(1);
  });

  it("tells of a gap when the log no longer has what comes next, and goes on from now", async () => {
    const onGap = vi.fn();
    const asked = serve(told(encoded(1)), refused(410), told(encoded(90)));
    const stop = listen({}, (each) => heard.push(each), { onGap });
    await vi.waitFor(() => expect(lsns()).toEqual([1, 90]));
    stop();
    expect(onGap).toHaveBeenCalledOnce();
    expect(asked[2]?.headers["last-event-id"]).toBeUndefined();
  });

  it("holds no connection while paused and then hears what it missed", async () => {
    const asked = serve(told("id: 7\n\n"));
    const stop = listen({}, (each) => heard.push(each), hearing);
    await vi.waitFor(() => expect(asked).toHaveLength(2)); // the second stays open
    stop.pause();
    expect(asked[1]?.signal.aborted).toBe(true);
    expect(states.at(-1)).toEqual(["paused", null]);
    const again = serve(told(encoded(8)));
    stop.resume();
    await vi.waitFor(() => expect(lsns()).toEqual([8]));
    stop();
    expect(again[0]?.headers["last-event-id"]).toBe("7");
  });

  it("hands nothing over after it was stopped", async () => {
    serve(told(Array.from({ length: 2500 }, (_, at) => encoded(at + 1)).join("")));
    const stop = listen({}, (each) => {
      heard.push(each);
      stop();
    });
    await vi.waitFor(() => expect(lsns()).not.toEqual([]));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    expect(heard).toHaveLength(1);
  });
});
