import { describe, expect, it } from "vitest";
import type { Run } from "../runs/operations";
import { drawn, kindOf } from "./drawn";
import { micros } from "./scale";

type Stage = Run["stages"][number];
const DAY = "2026-01-02T03:";

function stage(name: string, status: string, from: string | null, to: string | null): Stage {
  const at = (time: string | null): string | null => (time === null ? null : `${DAY}${time}Z`);
  return {
    name,
    does: "",
    status,
    error: null,
    started_at: at(from),
    finished_at: at(to),
    inference_ids: [],
    calls: 0,
    output: null,
  };
}

function run(changes: Partial<Run>, ...stages: Stage[]): Run {
  return {
    run_id: "enc_0000000000001",
    status: "succeeded",
    state: "succeeded",
    created_at: `${DAY}00:00Z`,
    finished_at: null,
    stages,
    ...changes,
  } as Run;
}

const NOW = micros(`${DAY}59:00Z`);

describe("a run's drawing", () => {
  it("shows the stages to scale with the long wait before them cut short", () => {
    const { bars, laid } = drawn(
      run(
        { finished_at: `${DAY}30:04Z` },
        stage("one", "succeeded", "30:00", "30:01"),
        stage("two", "succeeded", "30:01", "30:04"),
      ),
      NOW,
    );
    expect(laid.map((piece) => piece.isCut)).toEqual([true, false]);
    expect(bars[1]!.width / bars[0]!.width).toBeCloseTo(3);
    expect(bars[0]!.left).toBeCloseTo(0.05 / 1.05);
    expect(bars[1]!.left + bars[1]!.width).toBeCloseTo(1);
  });

  it("puts a skipped stage without times behind the one before, and one never reached over the whole", () => {
    const { bars } = drawn(
      run(
        { status: "failed", state: "failed", finished_at: `${DAY}00:02Z` },
        stage("one", "succeeded", "00:00", "00:01"),
        stage("two", "skipped", null, null),
        stage("three", "failed", "00:01", "00:02"),
        stage("four", "not_started", null, null),
      ),
      NOW,
    );
    expect(bars.map((bar) => bar.kind)).toEqual(["succeeded", "skipped", "failed", "never"]);
    expect([bars[1]!.left, bars[1]!.width]).toEqual([0.5, 0]);
    expect([bars[3]!.left, bars[3]!.width]).toEqual([0, 1]);
  });

  it("lets a stage that goes on reach to now, but not one of a run that ended", () => {
    const going = stage("one", "started", "58:00", null);
    expect(drawn(run({ status: "started", state: "running" }, going), NOW).bars[0]!.took).toBe(60_000_000);
    expect(drawn(run({ status: "failed", state: "cancelled" }, going), NOW).bars[0]!.took).toBe(0);
  });

  it("stays finite for a run that has nothing yet", () => {
    const { bars, laid } = drawn(
      run({ status: "started", state: "waiting", created_at: `${DAY}59:00Z` }, stage("one", "not_started", null, null)),
      NOW,
    );
    expect(laid).toEqual([]);
    expect(bars).toEqual([{ name: "one", kind: "never", left: 0, width: 1, took: null }]);
  });

  it("calls a failure advisory only where the run succeeded", () => {
    expect(kindOf({ status: "failed" }, { status: "succeeded" })).toBe("advisory");
    expect(kindOf({ status: "failed" }, { status: "started" })).toBe("failed");
  });
});
