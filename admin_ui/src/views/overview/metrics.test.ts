import { describe, expect, it } from "vitest";
import { failedStages, parse, rates, remembered, type Sample, sampleOf } from "./metrics";

const TEXT = `# HELP mindlog_operation_seconds Calls of the engine.
# TYPE mindlog_operation_seconds histogram
mindlog_operation_seconds_bucket{le="0.1",operation="encode",status="succeeded"} 7.0
mindlog_operation_seconds_count{operation="encode",status="succeeded"} 7.0
mindlog_operation_seconds_count{operation="encode",status="invalid_input"} 2.0
mindlog_operation_seconds_count{operation="remember",status="succeeded"} 1.0
mindlog_operation_seconds_count{operation="recall",status="succeeded"} 1.2e+03
mindlog_stage_seconds_count{operation="derive",stage="extractor",status="failed"} 3.0
mindlog_stage_seconds_count{operation="derive",stage="extractor",status="succeeded"} 9.0
mindlog_stage_seconds_count{operation="remember",stage="read",status="failed"} 4.0
odd{label="a \\"b\\" {c} \\\\"} 1
mindlog_ready 1.0
`;

const sample = (at: number, writes: number, runs: number | null = null): Sample => ({
  at,
  writes,
  recalls: 0,
  queries: 0,
  runs,
});

describe("metrics", () => {
  it("are read with their labels, whatever is in them", () => {
    const series = parse(TEXT);
    expect(series).toHaveLength(10);
    expect(series.at(-2)).toEqual({ name: "odd", labels: { label: 'a "b" {c} \\' }, value: 1 });
    expect(series.at(-1)).toEqual({ name: "mindlog_ready", labels: {}, value: 1 });
  });

  it("count every way to write as a write", () => {
    expect(sampleOf(parse(TEXT), 5, 12)).toEqual({ at: 5, writes: 10, recalls: 1200, queries: 0, runs: 12 });
  });

  it("name the stages that failed, the most frequent first", () => {
    expect(failedStages(parse(TEXT))).toEqual([
      { operation: "remember", stage: "read", times: 4 },
      { operation: "derive", stage: "extractor", times: 3 },
    ]);
  });

  it("are rates between two readings, also over a server's restart", () => {
    const samples = [sample(0, 10), sample(2000, 20), sample(3000, 20), sample(5000, 6)];
    expect(rates(samples, "writes")).toEqual([
      { at: 2000, value: 5 },
      { at: 3000, value: 0 },
      { at: 5000, value: 3 },
    ]);
  });

  it("have no rate where one side is not known", () => {
    expect(rates([sample(0, 0, null), sample(1000, 0, 5), sample(2000, 0, 9)], "runs")).toEqual([
      { at: 2000, value: 4 },
    ]);
    expect(rates([sample(0, 0)], "writes")).toEqual([]);
  });

  it("forget the oldest reading in the end", () => {
    let samples: Sample[] = [];
    for (let at = 0; at < 500; at++) samples = remembered(samples, sample(at, at));
    expect([samples.length, samples[0]?.at, samples.at(-1)?.at]).toEqual([180, 320, 499]);
  });
});
