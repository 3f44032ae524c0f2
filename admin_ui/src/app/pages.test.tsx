import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it } from "vitest";
import { Problem } from "../api/client";
import type { Page } from "../api/types";
import { type Pages, usePages } from "./pages";

type Asked = {
  on: string;
  cursor: string | null;
  signal: AbortSignal;
  answer: (page: Page<string>) => void;
  refuse: (error: Problem) => void;
};

let asked: Asked[] = [];
let shown: Pages<string>;

function List({ on }: { on: string }) {
  shown = usePages<string>(
    (cursor, signal) => new Promise((answer, refuse) => asked.push({ on, cursor, signal, answer, refuse })),
    [on],
  );
  return null;
}

const root = document.createElement("div");
const show = (on: string): Promise<void> => act(() => render(<List on={on} />, root));
/** Does it and lets every promise that is due run. */
const settle = (work: () => void): Promise<void> =>
  act(async () => {
    work();
    await new Promise((done) => setTimeout(done));
  });
const last = (): Asked => asked.at(-1) as Asked;
const page = (data: string[], next: string | null = null): Page<string> => ({
  data,
  has_more: next !== null,
  next_cursor: next,
});

describe("a list by pages", () => {
  beforeEach(() => {
    render(null, root);
    asked = [];
  });

  it("asks for the next page with its cursor, until there is no more", async () => {
    await show("a");
    await settle(() => last().answer(page(["1", "2"], "next")));
    expect([shown.items, shown.hasMore]).toEqual([["1", "2"], true]);
    await settle(() => shown.more());
    expect(last().cursor).toBe("next");
    await settle(() => last().answer(page(["3"])));
    expect([shown.items, shown.hasMore]).toEqual([["1", "2", "3"], false]);
  });

  it("drops a page that comes after the filter changed", async () => {
    await show("a");
    const late = last();
    await show("b");
    expect(late.signal.aborted).toBe(true);
    await settle(() => last().answer(page(["b1"])));
    await settle(() => late.answer(page(["a1"])));
    expect(shown.items).toEqual(["b1"]);
  });

  it("keeps what is there when a later page fails, and asks for that one again", async () => {
    await show("a");
    await settle(() => last().answer(page(["1"], "next")));
    await settle(() => shown.more());
    await settle(() => last().refuse(new Problem(0, "unreachable", "gone")));
    expect([shown.items, shown.problem?.message]).toEqual([["1"], "gone"]);
    await settle(() => shown.again());
    expect(last().cursor).toBe("next");
    await settle(() => last().answer(page(["2"])));
    expect([shown.items, shown.problem]).toEqual([["1", "2"], null]);
  });

  it("asks for one page at a time", async () => {
    await show("a");
    await settle(() => last().answer(page(["1"], "next")));
    await settle(() => shown.more());
    await settle(() => shown.more());
    expect(asked).toHaveLength(2);
  });
});
