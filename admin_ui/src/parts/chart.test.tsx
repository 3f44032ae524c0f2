import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Box, type Point, scales, timeTicks, timeWord, valueTicks } from "./axis";
import { LineChart } from "./chart";
import { nearest, placed, runs, thinned } from "./lines";

const BOX: Box = { width: 600, height: 240, left: 40, bottom: 20 };
const day = (n: number): string => new Date(2024, 0, 1 + n).toISOString();
const daily = (values: number[]): Point[] => values.map((value, at) => ({ at: day(at), value }));
const words = (points: Point[]): string[] => valueTicks(scales(points, BOX).y).map((each) => each.word);

describe("the axes", () => {
  it("have round ticks around all values, negative ones too", () => {
    expect(words(daily([-3.7, 0, 8.2]))).toEqual(["-4", "-2", "0", "2", "4", "6", "8", "10"]);
    expect(words(daily([3_100_000, 4_600_000]))).toEqual(["3M", "3.5M", "4M", "4.5M", "5M"]);
    expect(words(daily([0.013, 0.021]))).toEqual(["0.012", "0.014", "0.016", "0.018", "0.02", "0.022"]);
  });

  it("begin at zero unless the values are far from it, and hold what was recorded before", () => {
    expect(words(daily([4, 10]))[0]).toBe("0");
    expect(words(daily([980, 1000]))[0]).toBe("980");
    expect(words([{ at: day(0), value: 4, was: [19] }]).at(-1)).toBe("20");
  });

  it("tell of time by the largest unit that a tick begins", () => {
    const words = timeTicks(scales(daily(Array(800).fill(1)), BOX).x, 560).map((each) => each.word);
    expect(words).toEqual(expect.arrayContaining(["2024", "2025", "Jul"]));
    expect(timeWord(new Date(2024, 4, 3, 14, 30), 30 * 60_000)).toBe("14:30");
    expect(timeWord(new Date(2024, 4, 3), 6 * 3_600_000)).toBe("May 3");
  });

  it("put a single instant into the middle", () => {
    const [place] = placed([{ at: day(0), value: 5 }], scales([{ at: day(0), value: 5 }], BOX));
    expect(place?.x).toBeGreaterThan(200);
    expect(place?.x).toBeLessThan(400);
  });
});

describe("the lines", () => {
  it("are broken where points are missing, and not where a value holds on", () => {
    const missing = [0, 1, 2, 30, 31].map((at) => ({ at: day(at), value: at }));
    expect(runs(placed(missing, scales(missing, BOX))).lines.map((each) => each.length)).toEqual([3, 2]);
    const held = missing.map((each, at) => (at === 2 ? { ...each, until: day(30) } : each));
    expect(runs(placed(held, scales(held, BOX))).gaps).toEqual([]);
  });

  it("keep every peak of more points than there are pixels", () => {
    const many = daily(
      Array.from({ length: 20_000 }, (_, at) => (at === 7777 ? 1000 : at === 12_345 ? -1000 : at % 7)),
    );
    const kept = thinned(many, 600);
    expect(kept.length).toBeLessThanOrEqual(1300);
    expect(kept.filter((each) => Math.abs(each.value) === 1000)).toHaveLength(2);
    expect([kept[0], kept.at(-1)]).toEqual([many[0], many.at(-1)]);
  });

  it("find the point that holds at a pixel", () => {
    const points = [
      { at: day(0), value: 1, until: day(10) },
      { at: day(20), value: 2 },
    ];
    const places = placed(points, scales(points, BOX));
    expect([nearest(places, places[0]?.end ?? 0), nearest(places, 590), nearest(places, 0)]).toEqual([0, 1, 0]);
  });
});

describe("a chart", () => {
  const root = document.createElement("div");
  beforeEach(() => document.body.append(root));
  afterEach(() => {
    render(null, root);
    root.remove();
  });
  const press = (key: string): Promise<void> =>
    act(() => void root.querySelector(".reader")?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })));

  it("of a single instant has that instant as its only tick of time", async () => {
    await act(() => render(<LineChart points={[{ at: new Date(2023, 4, 3, 12), value: 5 }]} label="Boxes" />, root));
    const words = [...root.querySelectorAll(".ticks:last-of-type text")].map((each) => each.textContent);
    expect(words).toEqual(["May 3, 2023"]);
  });

  it("is read with the keys, and says what is read", async () => {
    await act(() => render(<LineChart points={daily([1, 2, 3])} label="Boxes" unit="boxes" />, root));
    const reader = root.querySelector(".reader");
    expect(reader?.getAttribute("aria-valuetext")).toContain("3 boxes");
    await press("Home");
    expect(reader?.getAttribute("aria-valuetext")).toContain("1 boxes");
    await press("ArrowRight");
    expect(root.querySelector(".read")?.textContent).toContain("2 boxes");
    await press("End");
    await press("ArrowRight");
    expect(reader?.getAttribute("aria-valuenow")).toBe("3");
  });
});
