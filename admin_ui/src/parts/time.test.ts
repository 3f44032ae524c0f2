import { describe, expect, it } from "vitest";
import { duration, short } from "./time";

describe("duration", () => {
  it("is told in the largest unit that says enough", () => {
    expect([0, 0.4, 340, 1234, 185_000, 7_800_000, 97_200_000].map(duration)).toEqual([
      "0 ms",
      "<1 ms",
      "340 ms",
      "1.2 s",
      "3 min 5 s",
      "2 h 10 min",
      "1 d 3 h",
    ]);
  });
  it("of what is not known is a dash, and never below nothing", () => {
    expect([Number.NaN, Infinity, -5].map(duration)).toEqual(["–", "–", "0 ms"]);
  });
});

describe("a short time", () => {
  const now = new Date(2026, 5, 15, 12, 0, 0);
  it("is the clock today and the day in another year", () => {
    expect(short(new Date(2026, 5, 15, 9, 8, 7).toISOString(), now)).toMatch(/^0?9.08.07$/);
    expect(short(new Date(1999, 0, 2).toISOString(), now)).toContain("1999");
  });
  it("stays as it is where it is no instant", () => {
    expect(short("next <b>week</b>", now)).toBe("next <b>week</b>");
  });
});
