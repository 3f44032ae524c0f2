import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { receiptOf } from "../memory/receipts";
import { forget, restore, textsOf } from "./forgetting";

let asked: string[] = [];
let answer: (path: string, method: string) => Response;
const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });
const receipt = (id: string) => ({ receipt: { memory_ids: [id], restorable_until: "2026-01-08T00:00:00Z" } });

beforeEach(() => {
  asked = [];
  sessionStorage.clear();
  vi.stubGlobal("fetch", (path: string, init: RequestInit = {}) => {
    asked.push(`${init.method ?? "GET"} ${path}`);
    return Promise.resolve(answer(path, init.method ?? "GET"));
  });
});
afterEach(() => vi.unstubAllGlobals());

describe("forgetting a document", () => {
  it("finds its texts on every page", async () => {
    answer = (path) =>
      json(
        path.includes("cursor=c2")
          ? { data: [{ memory_id: "b" }], has_more: false, next_cursor: null }
          : { data: [{ memory_id: "a" }], has_more: true, next_cursor: "c2" },
      );
    expect(await textsOf("/v1/documents/x", "notes")).toEqual(["a", "b"]);
    expect(asked[0]).toContain("dataset=notes");
  });

  it("forgets each, keeps the receipts, and counts one that is gone already", async () => {
    answer = (path) => (path.includes("gone") ? json({ detail: "no such memory" }, 404) : json(receipt("a")));
    const told = vi.fn();
    expect(await forget(["a", "gone"], told)).toEqual({
      done: ["a", "gone"],
      until: "2026-01-08T00:00:00Z",
      problem: null,
    });
    expect(told).toHaveBeenLastCalledWith(2, 2);
    expect(receiptOf("a")).not.toBeNull();
    answer = () => json({});
    expect((await restore(["a"], told)).done).toEqual(["a"]);
    expect(receiptOf("a")).toBeNull();
  });

  it("stops where the server refuses, and says what was done until then", async () => {
    answer = (path) => (path.includes("b?") ? json({ detail: "write is needed" }, 403) : json(receipt("a")));
    const { done, problem } = await forget(["a", "b", "c"], () => {});
    expect([done, problem?.status, asked.length]).toEqual([["a"], 403, 2]);
  });
});
