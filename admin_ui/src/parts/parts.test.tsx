import { type ComponentChild, render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Problem } from "../api/client";
import { LineChart } from "./chart";
import { Search } from "./fields";
import { Tree } from "./json";
import { Trouble } from "./states";
import { Strip } from "./status";

let root: HTMLElement;
const show = (what: ComponentChild): Promise<void> => act(() => render(what, root));
const click = (of: Element | null | undefined): Promise<void> =>
  act(() => void of?.dispatchEvent(new MouseEvent("click", { bubbles: true })));

beforeEach(() => {
  root = document.createElement("div");
  document.body.append(root);
});
afterEach(() => {
  render(null, root);
  root.remove();
});

describe("a tree", () => {
  it("has on the page only what is open", async () => {
    await show(<Tree value={{ outer: { inner: "deep" } }} />);
    expect(root.textContent).toContain("outer");
    expect(root.textContent).not.toContain("deep");
    await click(root.querySelectorAll("button")[1]);
    expect(root.textContent).toContain("deep");
  });

  it("shows a megabyte in few elements, and all of a long text when asked", async () => {
    await show(<Tree value={{ long: "x".repeat(1_000_000), list: Array.from({ length: 50_000 }, (_, at) => at) }} />);
    expect(root.textContent?.length).toBeLessThan(1000);
    await click([...root.querySelectorAll("button")].find((each) => each.textContent?.startsWith("show all")));
    expect(root.textContent?.length).toBeGreaterThan(1_000_000);
    await click([...root.querySelectorAll("button")].at(-1));
    expect(root.querySelectorAll("*").length).toBeLessThan(1000);
  });

  it("takes markup for text", async () => {
    await show(<Tree value={{ "<img src=x>": "<script>alert(1)</script>" }} />);
    expect(root.querySelector("img, script")).toBeNull();
    expect(root.textContent).toContain("<script>alert(1)</script>");
  });
});

describe("trouble", () => {
  it("offers to sign in where a key is what is missing, and not elsewhere", async () => {
    const offers = async (status: number): Promise<boolean> => {
      await show(<Trouble problem={new Problem(status, "x", "said so", "req_1")} again={() => {}} />);
      expect(root.textContent).toContain("said so");
      return (root.textContent ?? "").includes("Sign in");
    };
    expect([await offers(0), await offers(401), await offers(404)]).toEqual([false, true, false]);
  });
});

describe("a strip", () => {
  it("says in words what its cells show, and tells an advisory failure from another", async () => {
    await show(
      <Strip
        stages={[
          { name: "embed", status: "succeeded" },
          { name: "terms", status: "failed", advisory: true },
        ]}
      />,
    );
    expect(root.querySelector("[role=img]")?.getAttribute("aria-label")).toBe("embed succeeded, terms failed");
    expect(root.querySelector(".cell.warn")?.getAttribute("title")).toBe("terms: failed");
  });
});

describe("a chart", () => {
  it("stays in its box whatever the values are", async () => {
    for (const values of [[5], [3, 3, 3], [-1, 0, 1e12], [1, Number.NaN, 2]]) {
      await show(<LineChart label="x" points={values.map((value, at) => ({ at, value }))} />);
      expect(root.querySelector(".line")?.getAttribute("d")).toMatch(/^M[\d. L]+$/);
    }
    await show(<LineChart label="x" points={[]} />);
    expect(root.textContent).toBe("No values yet.");
  });
});

describe("a search", () => {
  afterEach(() => void vi.useRealTimers());
  it("asks once the typing rests", async () => {
    vi.useFakeTimers();
    const asked = vi.fn();
    await show(<Search label="Text" value="" onChange={asked} />);
    const field = root.querySelector("input") as HTMLInputElement;
    for (const text of ["h", "ha", "har"]) {
      field.value = text;
      await act(() => void field.dispatchEvent(new InputEvent("input", { bubbles: true })));
    }
    expect(asked).not.toHaveBeenCalled();
    vi.runAllTimers();
    expect(asked.mock.calls).toEqual([["har"]]);
  });
});
