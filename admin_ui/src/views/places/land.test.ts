import { describe, expect, it } from "vitest";
import { lines, numbers } from "./land";
import type { Point } from "./projection";
import { BORDERS, LAND, STEPS_PER_DEGREE } from "./world";

/** By how many lines one has to go to come out: uneven inside (the rule that the path is filled by). */
function isLand(lat: number, lon: number): boolean {
  let crossed = 0;
  for (const line of lines(LAND)) {
    line.forEach(([x, y], at) => {
      const [toX, toY] = line[(at + 1) % line.length] as Point;
      if (y > lat !== toY > lat && lon < x + ((lat - y) / (toY - y)) * (toX - x)) crossed++;
    });
  }
  return crossed % 2 === 1;
}

describe("the packed lines", () => {
  it("are numbers of any size and sign", () => {
    expect(numbers("ACDgBhCmD")).toEqual([0, 1, -1, 16, -32, 51]);
  });

  it("are points that add up", () => {
    expect(lines("EECCC")).toEqual([
      [
        [2 / STEPS_PER_DEGREE, 1 / STEPS_PER_DEGREE],
        [3 / STEPS_PER_DEGREE, 2 / STEPS_PER_DEGREE],
      ],
    ]);
  });

  it("are land where there is land", () => {
    const land = [
      [51, 13.6],
      [35.7, 139],
      [-23.5, -46.9],
      [-25, 135],
      [64.5, -19],
      [0.5, 25],
    ];
    const sea = [
      [30, -45],
      [-30, 90],
      [10, -150],
      [42, 51],
      [35, 18],
      [58, -86],
    ];
    expect(land.map(([lat, lon]) => isLand(lat as number, lon as number))).toEqual(land.map(() => true));
    expect(sea.map(([lat, lon]) => isLand(lat as number, lon as number))).toEqual(sea.map(() => false));
  });

  it("never jump from one edge of the map to the other", () => {
    const all = [...lines(LAND), ...lines(BORDERS)];
    const steps = all.flatMap((line) => line.map(([x], at) => Math.abs(x - (line[at - 1]?.[0] ?? x))));
    expect(Math.max(...steps)).toBeLessThan(90);
    expect(Math.max(...all.flat().map(([, y]) => Math.abs(y)))).toBeLessThanOrEqual(90);
  });
});
