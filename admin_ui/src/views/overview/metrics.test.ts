import { describe, expect, it } from "vitest";
import { failedStages, parse } from "./metrics";

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

describe("metrics", () => {
  it("are read with their labels, whatever is in them", () => {
    const series = parse(TEXT);
    expect(series).toHaveLength(10);
    expect(series.at(-2)).toEqual({ name: "odd", labels: { label: 'a "b" {c} \\' }, value: 1 });
    expect(series.at(-1)).toEqual({ name: "mindlog_ready", labels: {}, value: 1 });
  });

  it("name the stages that failed, the most frequent first", () => {
    expect(failedStages(parse(TEXT))).toEqual([
      { operation: "remember", stage: "read", times: 4 },
      { operation: "derive", stage: "extractor", times: 3 },
    ]);
  });
});
