import { expect, it } from "vitest";
import { kept, seen, steps } from "./list";
import type { Run } from "./operations";

const run = (at: number, state = "succeeded"): Run => ({ run_id: `enc_${at}`, state }) as Run;
const runs = (from: number, count: number): Run[] => Array.from({ length: count }, (_, at) => run(from - at));

it("keeps the object of a run that did not change, so that its row is not drawn again", () => {
  const before = [run(2, "running"), run(1)];
  const now = kept(before, [run(3), run(2), run(1)]);
  expect(now.map((each) => before.includes(each))).toEqual([false, false, true]);
  expect(now[1]!.state).toBe("succeeded");
});

it("brings a list that is all new in steps, never a run twice and never more rows than asked for", () => {
  const parts = [...steps(runs(1000, 250), runs(1100, 250))];
  expect(parts).toHaveLength(9);
  let before = new Set(runs(1000, 250).map((each) => each.run_id));
  for (const part of parts) {
    const ids = new Set(part.map((each) => each.run_id));
    expect([part.length, ids.size]).toEqual([250, 250]);
    expect([...ids].filter((id) => !before.has(id)).length).toBeLessThanOrEqual(25);
    before = ids;
  }
});

it("brings the first page and a small change at once", () => {
  const before = runs(100, 50);
  expect([...steps([], runs(100, 50))]).toEqual([]);
  expect([...steps(before, [run(101), ...before.slice(0, 49)])]).toEqual([]);
});

it("leaves a long list where it is, with what has become of its runs and how many have come", () => {
  const rows = [run(3, "running"), run(2), run(1)];
  const now = seen(rows, [run(5), run(4), run(3), run(2)]);
  expect(now.newer).toBe(2);
  expect(now.rows.map((each) => [each.run_id, each.state])).toEqual([
    ["enc_3", "succeeded"],
    ["enc_2", "succeeded"],
    ["enc_1", "succeeded"],
  ]);
  expect([now.rows[1], now.rows[2]]).toEqual([rows[1], rows[2]]);
});
