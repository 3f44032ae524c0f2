import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import MemoryView from "../memory";
import { bundle, edge, ID, memory, revision, statement } from "./made";

type Answer = { status: number; body: unknown };
let root: HTMLElement;
let answers: Record<string, Answer>;
let asked: string[];

const settle = (): Promise<void> => act(() => new Promise((done) => setTimeout(done, 0)));
async function show(): Promise<void> {
  await act(() => render(<MemoryView id={ID} />, root));
  await settle();
}
async function click(name: string, within: ParentNode = root): Promise<void> {
  const found = [...within.querySelectorAll<HTMLElement>("button, a")].find((each) => each.textContent?.includes(name));
  if (!found) throw new Error(`there is no ${name}`);
  await act(() => found.click());
  await settle();
}
/** Waits, with a bound, until the page says it. */
const said = (words: string): Promise<void> =>
  vi.waitFor(async () => {
    await settle();
    expect(root.textContent).toContain(words);
  });
const lit = (): (string | null)[] => [...root.querySelectorAll(".lit")].map((each) => each.id || each.textContent);
const hover = (of: Element | null, kind: "mouseenter" | "mouseleave"): Promise<void> =>
  act(() => void of?.dispatchEvent(new MouseEvent(kind)));
const inspected = (more: Parameters<typeof bundle>[0] = {}): void => {
  answers[`GET /v1/memories/${ID}/inspect`] = { status: 200, body: bundle(more) };
};

beforeEach(() => {
  root = document.createElement("div");
  document.body.append(root);
  sessionStorage.clear();
  [answers, asked] = [{}, []];
  HTMLElement.prototype.scrollIntoView = vi.fn();
  HTMLDialogElement.prototype.showModal = vi.fn();
  HTMLDialogElement.prototype.close = vi.fn();
  vi.stubGlobal("CSS", { escape: (text: string) => text });
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    const question = `${init.method ?? "GET"} ${path}`;
    asked.push(question);
    const { status, body } = answers[question] ?? { status: 404, body: { code: "not_found", detail: "nothing here" } };
    return new Response(JSON.stringify(body), { status });
  });
});
afterEach(() => {
  render(null, root);
  root.remove();
  vi.unstubAllGlobals();
});

describe("the text of a memory", () => {
  it("lights up with the statement that it carries, and the other way", async () => {
    inspected();
    await show();
    const [lives, works] = [root.querySelector("#stm_lives"), root.querySelector("#stm_works")];
    await hover(lives, "mouseenter");
    expect(lit()).toEqual(["I live in ", "Bonn", "stm_lives"]);
    await hover(lives, "mouseleave");
    expect(lit()).toEqual([]);
    await hover(works, "mouseenter");
    expect(lit()).toEqual(["I live in ", "Bonn", " and work at Acme", "stm_works"]);
    await hover(works, "mouseleave");
    await hover([...root.querySelectorAll(".reading a")][1] ?? null, "mouseenter");
    expect(lit().filter((each) => each?.match(/_/))).toEqual(["stm_lives", "stm_works", "ent_2"]);
  });

  it("leads to the statement and back by click, with the focus", async () => {
    inspected();
    await show();
    await click("and work at Acme", root.querySelector(".reading")!);
    expect(document.activeElement?.id).toBe("stm_works");
    await click("I live in Bonn", root.querySelector("#stm_lives")!);
    expect(document.activeElement?.textContent).toBe("I live in ");
  });

  it("leads to a statement that was not shown yet", async () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      statement(`stm_${at}`, at === 299 ? [{ start: 2, end: 16, quote: "I live in Bonn" }] : []),
    );
    inspected({ statements: many, entities: [] });
    await show();
    expect(root.querySelectorAll(".claim").length).toBeLessThan(50);
    await click("I live in Bonn", root.querySelector(".reading")!);
    expect(document.activeElement?.id).toBe("stm_299");
  });

  it("of a megabyte is cut, shown whole when asked, and led into where a statement rests on its end", async () => {
    const text = `${"word ".repeat(200_000)}I live in Bonn`;
    inspected({
      memory: memory({ text }),
      entities: [],
      statements: [statement("stm_lives", [{ start: 1_000_000, end: 1_000_014, quote: "I live in Bonn" }])],
    });
    await show();
    expect(root.querySelector(".reading")!.textContent!.length).toBeLessThan(7000);
    await click("I live in Bonn", root.querySelector("#stm_lives")!);
    await settle();
    expect(document.activeElement?.textContent).toBe("I live in Bonn");
    expect(root.querySelector(".reading")!.textContent).toContain(text);
  });

  it("says of words that no longer fit that they do not, and marks nothing", async () => {
    inspected({
      entities: [],
      statements: [statement("stm_lives", [{ start: 2, end: 16, quote: "I live in Rome" }])],
    });
    await show();
    expect(root.querySelector(".reading a")).toBeNull();
    expect(root.querySelector("#stm_lives")!.textContent).toContain("not at this place of the text any more");
  });

  it("takes markup for text", async () => {
    inspected({ memory: memory({ text: "<img src=x onerror=alert(1)>" }), entities: [], statements: [] });
    await show();
    expect(root.querySelector("img")).toBeNull();
    expect(root.querySelector(".reading")!.textContent).toBe("<img src=x onerror=alert(1)>");
  });
});

describe("the links of a memory", () => {
  it("are shown a page at a time, each with the words of the other, which are asked for only then", async () => {
    const edges = Array.from({ length: 500 }, (_, at) => edge({ target: `mem_${at}` }));
    for (const { target } of edges)
      answers[`GET /v1/memories/${target}`] = { status: 200, body: memory({ text: `Words of ${target}` }) };
    delete answers["GET /v1/memories/mem_3"];
    inspected({ edges });
    await show();
    expect(root.querySelectorAll(".way")).toHaveLength(20);
    expect(asked.filter((each) => /mem_\d+$/.test(each))).toHaveLength(20);
    await said("Words of mem_0");
    await said("nothing here");
    await click("Show more links");
    expect(root.querySelectorAll(".way")).toHaveLength(60);
  });
});

describe("forgetting", () => {
  const receipt = {
    receipt_id: "fgt_1",
    mode: "soft",
    memory_ids: [ID],
    forgotten_at: "2026-12-01T03:00:00Z",
    restorable_until: "2026-12-08T03:00:00Z",
  };
  const gone = (): void => void delete answers[`GET /v1/memories/${ID}/inspect`];

  it("asks first, says what is lost and what stays, and does nothing when it is refused there", async () => {
    inspected({ edges: [edge()] });
    await show();
    await click("Forget");
    const dialog = root.querySelector("dialog")!;
    expect(dialog.textContent).toContain("2 statements that rest on it alone");
    expect(dialog.textContent).toContain("its link to other memories");
    await click("Cancel", dialog);
    expect(asked.some((each) => each.startsWith("DELETE"))).toBe(false);
    expect(root.querySelector("dialog")).toBeNull();
  });

  it("shows the receipt in the place of the memory, also when the page is opened again, and is undone from there", async () => {
    inspected();
    answers[`DELETE /v1/memories/${ID}?mode=soft`] = { status: 200, body: { receipt } };
    answers[`POST /v1/memories/${ID}/restore`] = { status: 200, body: memory() };
    await show();
    await click("Forget");
    gone();
    await click("Forget", root.querySelector("dialog")!);
    await said("This memory is forgotten");
    expect(root.textContent).not.toContain("I live in");
    render(null, root);
    await show();
    await said("fgt_1");
    inspected();
    await click("Undo");
    await said("I live in");
    expect(root.querySelector(".reading")!.textContent).toContain("I live in");
    expect(sessionStorage.getItem("mindlog.forgotten")).toBe("[]");
  });

  it("is refused to a key that may not write, in words, and the memory stays on the page", async () => {
    inspected();
    answers[`DELETE /v1/memories/${ID}?mode=soft`] = {
      status: 403,
      body: { code: "forbidden", detail: "this needs the scope write" },
    };
    await show();
    await click("Forget");
    await click("Forget", root.querySelector("dialog")!);
    await said("this needs the scope write");
    expect(root.querySelector(".reading")).not.toBeNull();
  });

  it("of another tab is not told apart from a memory that never was, and may be tried to undo", async () => {
    gone();
    await show();
    await said("There is no such memory, or it is forgotten");
    await click("Try to bring it back");
    await said("not among the forgotten ones");
  });
});

describe("an earlier revision", () => {
  it("leads to the current one, and to what each edit changed", async () => {
    const now = revision({ memory_id: "mem_now", text: "I live in Rome." });
    const before = revision({ is_current: false });
    inspected({ memory: before, versions: [now, before], statements: [], entities: [], terms: [], questions: [] });
    await show();
    expect(root.textContent).toContain("This is an earlier revision");
    expect(root.querySelector(".notice a")?.getAttribute("href")).toBe("/admin/memories/mem_now");
    expect(root.textContent).toContain("first written");
    expect(root.textContent).not.toContain("No statement rests on it");
  });
});
