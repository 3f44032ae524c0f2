import { expect, it } from "vitest";
import type { Page } from "../../api/types";
import type { Run } from "../runs/operations";
import { around, iso, newerOf, olderOf } from "./neighbours";
import { micros } from "./scale";

const START = 1_800_000_000_000_000;
const run = (at: number): Run => ({ run_id: `enc_${at}`, created_at: iso(START + at) }) as Run;

/** A log with a run at each of the instants (microseconds after the start), as the API lists it. */
const log =
  (instants: readonly number[]) =>
  async (bounds: { created_from?: string; created_to?: string }): Promise<Page<Run>> => {
    const { created_from: from, created_to: to } = bounds;
    const found = instants
      .filter((at) => (!from || START + at >= micros(from)) && (!to || START + at < micros(to)))
      .sort((one, other) => other - one);
    return { data: found.slice(0, 100).map(run), has_more: found.length > 100, next_cursor: null };
  };

it("names those beside a run in a list", () => {
  expect(around("b", ["a", "b", "c"])).toEqual({ newer: "a", older: "c" });
  expect(around("x", ["a"])).toBeNull();
});

it("finds both deep in a log in which thousands of runs were made in a second", async () => {
  const instants = Array.from({ length: 5000 }, (_, at) => at * 150);
  for (const at of [0, 1, 1500, 4998]) {
    expect(await newerOf(run(at * 150), log(instants), START + 10_000_000)).toBe(`enc_${(at + 1) * 150}`);
    expect(await olderOf(run(at * 150), log(instants))).toBe(at ? `enc_${(at - 1) * 150}` : null);
  }
});

it("finds one that was made long after, and none where there is none", async () => {
  const day = 86_400_000_000;
  const read = log([0, 30 * day]);
  expect(await newerOf(run(0), read, START + 40 * day)).toBe(`enc_${30 * day}`);
  expect(await newerOf(run(30 * day), read, START + 40 * day)).toBeNull();
});

it("keeps the microseconds of a time", () => {
  expect(iso(START + 7)).toBe("2027-01-15T08:00:00.000007Z");
});
