import { describe, expect, it } from "vitest";
import { LONGEST_GAP, merged, micros, pieces, place } from "./scale";

describe("the scale of a run", () => {
  it("reads times to the microsecond", () => {
    expect(micros("2026-01-02T03:04:05.000007Z") - micros("2026-01-02T03:04:05Z")).toBe(7);
    expect(micros("2026-01-02T03:04:05.5Z") - micros("2026-01-02T03:04:05Z")).toBe(500_000);
    expect(micros("2026-01-02T04:04:05.25+01:00") - micros("2026-01-02T03:04:05Z")).toBe(250_000);
  });

  it("joins stages that run at the same time", () => {
    expect(
      merged([
        { from: 5, to: 9 },
        { from: 0, to: 6 },
        { from: 1, to: 2 },
        { from: 12, to: 13 },
      ]),
    ).toEqual([
      { from: 0, to: 9 },
      { from: 12, to: 13 },
    ]);
  });

  it("draws busy time to scale", () => {
    const laid = pieces({ from: 0, to: 100 }, [
      { from: 0, to: 25 },
      { from: 25, to: 100 },
    ]);
    expect(place(25, laid)).toBeCloseTo(0.25);
    expect(place(50, laid)).toBeCloseTo(0.5);
    expect([place(0, laid), place(100, laid)]).toEqual([0, 1]);
  });

  it("cuts a long idle time short and leaves a short one to scale", () => {
    const spans = [
      { from: 0, to: 100 },
      { from: 102, to: 200 },
      { from: 1_000_200, to: 1_000_402 },
    ];
    const laid = pieces({ from: 0, to: 1_000_402 }, spans);
    expect(laid.map((piece) => piece.isCut)).toEqual([false, false, false, true, false]);
    expect(laid.reduce((sum, piece) => sum + piece.width, 0)).toBeCloseTo(1);
    const [first, short, , cut, last] = laid;
    expect(short!.width / first!.width).toBeCloseTo(0.02);
    expect(cut!.width / first!.width).toBeCloseTo((LONGEST_GAP * 400) / 100);
    expect(last!.width / first!.width).toBeCloseTo(2.02);
    expect(place(1_000_200, laid)).toBeCloseTo(last!.left);
  });

  it("keeps order: a later instant is never drawn before an earlier one", () => {
    const laid = pieces({ from: 0, to: 5000 }, [
      { from: 10, to: 20 },
      { from: 900, to: 950 },
      { from: 940, to: 1000 },
    ]);
    const drawn = Array.from({ length: 501 }, (_, at) => place(at * 10, laid));
    expect(drawn.every((each, at) => at === 0 || each >= drawn[at - 1]!)).toBe(true);
    expect([drawn[0], drawn.at(-1)!.toFixed(6)]).toEqual([0, "1.000000"]);
  });

  it("is empty for a run in which no time passed, and whole for one that only waited", () => {
    expect(pieces({ from: 5, to: 5 }, [{ from: 5, to: 5 }])).toEqual([]);
    expect(place(5, [])).toBe(0);
    expect(pieces({ from: 0, to: 9 }, [])).toEqual([{ from: 0, to: 9, left: 0, width: 1, isCut: false }]);
  });

  it("keeps a stage that a clock put outside of the run inside", () => {
    const laid = pieces({ from: 10, to: 20 }, [
      { from: 5, to: 15 },
      { from: 19, to: 40 },
    ]);
    expect(place(5, laid)).toBe(0);
    expect(place(40, laid)).toBeCloseTo(1);
  });
});
