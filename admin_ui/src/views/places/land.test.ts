import { describe, expect, it } from "vitest";
import { eachRun, landPath } from "./land";
import { CELLS_PER_DEGREE, COLUMNS, NORTH, RUNS } from "./world";

describe("land", () => {
  it("is read from runs, those longer than a digit too", () => {
    const found: number[][] = [];
    eachRun("2z1z0", (start, length) => found.push([start, length]));
    eachRun("23z41", (start, length) => found.push([start, length]));
    expect(found).toEqual([
      [2, 62],
      [2, 3],
      [70, 1],
    ]);
  });

  it("is where people live and not in the middle of an ocean", () => {
    const cells = new Set<number>();
    eachRun(RUNS, (start, length) => Array.from({ length }, (_, at) => cells.add(start + at)));
    const at = (lat: number, lon: number): boolean =>
      cells.has(Math.floor((NORTH - lat) * CELLS_PER_DEGREE) * COLUMNS + Math.floor((lon + 180) * CELLS_PER_DEGREE));
    expect([at(51, 13.6), at(35.7, 139.5), at(-23.5, -46.6)]).toEqual([true, true, true]);
    expect([at(30, -45), at(-30, 90), at(10, -150)]).toEqual([false, false, false]);
    expect(landPath()).toMatch(/^M-?[\d.]+ /);
  });
});
