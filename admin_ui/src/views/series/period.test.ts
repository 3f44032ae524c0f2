import { describe, expect, it } from "vitest";
import { amount } from "./numbers";
import { asked } from "./period";

describe("the time of a series", () => {
  it("is asked for with all of the last day", () => {
    const { start, end } = asked("2024-03-01", "2024-03-01");
    expect(Date.parse(String(end)) - Date.parse(String(start))).toBe(24 * 3_600_000);
    expect(new Date(String(start)).getHours()).toBe(0);
  });

  it("is all of it where the address has no day", () => {
    expect([asked(null, ""), asked("2024-13-45", "soon")]).toEqual([{}, {}]);
  });
});

describe("a value", () => {
  it("is as exact as it was recorded", () => {
    expect([amount(3_100_000, null), amount(0.0012345678, "kWh"), amount(-2, "°C")]).toEqual([
      "3,100,000",
      "0.0012345678 kWh",
      "-2 °C",
    ]);
  });
});
