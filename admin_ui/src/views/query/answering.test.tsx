import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signIn } from "../../api/client";
import { type Answering, type Told, useAnswering } from "./answering";

const RESULT = { answer: "Bonn [1]", answered_by: "llm", citations: [], query_run_id: "qry_1", removed: [] };
const text = (piece: string) => `event: text\ndata: ${JSON.stringify({ text: piece })}\n\n`;
const result = `event: result\ndata: ${JSON.stringify(RESULT)}\n\n`;

type Asked = { body: { question: string }; signal: AbortSignal; say: (piece: string) => void; end: () => void };
let asked: Asked[] = [];
let shown: Answering;

/** A server whose every answer is a stream that the test writes. */
function serve(): void {
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    const signal = init.signal as AbortSignal;
    let out: ReadableStreamDefaultController<Uint8Array>;
    const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (out = controller) });
    signal.addEventListener("abort", () => out.error(signal.reason));
    const say = (piece: string): void => out.enqueue(new TextEncoder().encode(piece));
    asked.push({ body: JSON.parse(init.body as string), signal, say, end: () => out.close() });
    return Promise.resolve(new Response(stream));
  });
}

function One({ of, told }: { of: string; told: Told | null }) {
  shown = useAnswering(of, () => ({ question: of, dataset: "d", stream: true }), told);
  return null;
}

const root = document.createElement("div");
const show = (of: string, told: Told | null = null): Promise<void> =>
  act(() => render(<One of={of} told={told} />, root));
const settle = (work: () => void): Promise<void> =>
  act(async () => {
    work();
    await new Promise((done) => setTimeout(done));
  });
const last = (): Asked => asked.at(-1) as Asked;

describe("a question on its way to its answer", () => {
  beforeEach(() => {
    asked = [];
    serve();
  });

  afterEach(() => {
    render(null, root);
    vi.unstubAllGlobals();
    signIn("");
  });

  it("is not asked by being shown, and once by being told", async () => {
    await show("a");
    expect(asked).toHaveLength(0);
    const told = { of: "a" };
    await show("a", told);
    expect(asked.map((each) => each.body.question)).toEqual(["a"]);
    render(null, root);
    await show("a", told);
    expect(asked).toHaveLength(1);
  });

  it("shows the pieces as they come, however the stream is cut, then the checked whole", async () => {
    await show("b", { of: "b" });
    const whole = text("Bo") + text("nn");
    await settle(() => last().say(whole.slice(0, 20)));
    await settle(() => last().say(whole.slice(20)));
    expect([shown.isAsking, shown.text, shown.answered]).toEqual([true, "Bonn", null]);
    await settle(() => {
      last().say(result);
      last().end();
    });
    expect([shown.isAsking, shown.answered?.result.answer]).toEqual([false, "Bonn [1]"]);
  });

  it("is kept, so that the way back asks nothing, until another key is used", async () => {
    await show("c", { of: "c" });
    await settle(() => {
      last().say(result);
      last().end();
    });
    await show("other");
    expect(shown.answered).toBeNull();
    await show("c");
    expect([shown.answered?.result.query_run_id, asked.length]).toEqual(["qry_1", 1]);
    signIn("another");
    await show("other");
    await show("c");
    expect(shown.answered).toBeNull();
  });

  it("ends when another is shown, and what still comes of it is dropped", async () => {
    await show("d", { of: "d" });
    const first = last();
    await settle(() => first.say(text("old")));
    await show("e", { of: "e" });
    expect(first.signal.aborted).toBe(true);
    await settle(() => last().say(text("new")));
    expect([shown.text, shown.problem]).toEqual(["new", null]);
  });

  it("keeps what was said when it is stopped, without a problem", async () => {
    await show("f", { of: "f" });
    await settle(() => last().say(text("half")));
    await settle(() => shown.stop());
    expect([shown.isAsking, shown.text, shown.problem, last().signal.aborted]).toEqual([false, "half", null, true]);
  });

  it("that breaks off, or fails on the way, says so", async () => {
    await show("g", { of: "g" });
    await settle(() => {
      last().say(text("half"));
      last().end();
    });
    expect(shown.problem?.code).toBe("cut_off");
    const problem = { status: 502, code: "model_failed", detail: "it failed", request_id: "req_1" };
    await settle(() => shown.ask());
    await settle(() => {
      last().say(`event: error\ndata: ${JSON.stringify(problem)}\n\n`);
      last().end();
    });
    expect([shown.problem?.code, shown.problem?.requestId]).toEqual(["model_failed", "req_1"]);
  });
});
