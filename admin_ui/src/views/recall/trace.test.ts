import { describe, expect, it } from "vitest";
import { AROUND, figure, partsOf, placesOf, slotOf } from "./trace";

const WEIGHTS = { semantic: 1, lexical: 0.5, asks: -0.1, graph: 1.5, next: 0.3 };

describe("the parts of a score", () => {
  it("add up to it, with what the turns around it lend as the rest", () => {
    const parts = partsOf(
      { score: 2, may_be_hit: true, measures: { semantic: 0.8, lexical: 0.4, asks: 1, graph: 0 } },
      WEIGHTS,
    );
    expect(parts.map((each) => each.name)).toEqual(["semantic", "lexical", "asks", AROUND]);
    expect(parts.map((each) => figure(each.adds))).toEqual(["0.800", "0.200", "−0.100", "1.100"]);
    expect(parts.reduce((sum, each) => sum + each.adds, 0)).toBeCloseTo(2);
    expect(parts.reduce((sum, each) => sum + (each.share ?? 0), 0)).toBeCloseTo(1);
  });

  it("have no share of a score that is not above zero", () => {
    const [part] = partsOf({ score: -0.1, may_be_hit: true, measures: { semantic: -0.1 } }, WEIGHTS);
    expect(part).toMatchObject({ name: "semantic", share: null });
  });
});

describe("what a memory's id keeps", () => {
  it("is the same of all its revisions, and of no other memory", () => {
    const first = "mem_000000000003PG000004000000";
    const edited = "mem_000000000003PG000008000000";
    const neighbour = "mem_000000000003P0000004000000";
    expect(slotOf(edited)).toBe(slotOf(first));
    expect(slotOf(first.toLowerCase())).toBe(slotOf(first));
    expect(slotOf(neighbour)).not.toBe(slotOf(first));
  });

  it("finds a memory's place among the hits", () => {
    const hits = ["mem_000000000003P0000004000000", "mem_000000000003PG000008000000"];
    const places = placesOf(hits.map((memory_id) => ({ memory_id })));
    expect(places.get(slotOf("mem_000000000003PG000004000000"))).toBe(2);
  });
});
