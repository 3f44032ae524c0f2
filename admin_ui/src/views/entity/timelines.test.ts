import { describe, expect, it } from "vitest";
import { type Statement, timeline } from "./timelines";

const time = (year: number): string => `${year}-01-01T00:00:00Z`;
const NOW = Date.parse(time(2020));
type Span = { from?: number; to?: number; by?: string };

function statement(predicate: string, spans: Span[], contradicts: string[] = []): Statement {
  const validities = spans.map(({ from, to, by }) => ({
    valid_from: from ? time(from) : null,
    valid_to: to ? time(to) : null,
    superseded_by: by ?? null,
    recorded_at: time(2015),
    invalidated_at: null,
  }));
  return {
    statement_id: predicate,
    subject: { entity_id: "e", name: "Ana" },
    predicate,
    validities,
    contradicts,
  } as unknown as Statement;
}

const looks = (...of: Statement[]) => timeline(of, NOW).rows.map(({ bars }) => bars.map((each) => each.look));

describe("a timeline", () => {
  it("has a bar for every time in which a statement held, from its begin to its end", () => {
    const { rows, now } = timeline([statement("lives_in", [{ from: 2010, to: 2015, by: "x" }, { from: 2018 }])], NOW);
    const [old, open] = rows[0]?.bars ?? [];
    expect(old).toMatchObject({ left: 0, look: "superseded", isOpenBefore: false, isOpenAfter: false });
    expect(old?.width).toBeCloseTo(now / 2, 1);
    expect((open?.left ?? 0) + (open?.width ?? 0)).toBeCloseTo(100);
    expect(open).toMatchObject({ look: "current", isOpenAfter: true });
  });

  it("tells apart what holds, is contradicted, was replaced, ended, and is to come", () => {
    expect(
      looks(
        statement("a", [{ from: 2010 }]),
        statement("b", [{ from: 2010 }], ["c"]),
        statement("c", [{ from: 2010, to: 2011, by: "a" }]),
        statement("d", [{ from: 2010, to: 2011 }]),
        statement("e", [{ from: 2030 }]),
      ),
    ).toEqual([["current"], ["contradicted"], ["superseded"], ["ended"], ["future"]]);
  });

  it("begins at the left edge where no begin is known", () => {
    const { rows } = timeline([statement("a", [{ to: 2012 }]), statement("b", [{ from: 2010 }])], NOW);
    expect(rows[0]?.bars[0]).toMatchObject({ left: 0, isOpenBefore: true });
  });

  it("puts what says the same kind of thing together, the oldest first", () => {
    const [late, early] = [statement("lives_in", [{ from: 2012 }]), statement("lives_in", [{ from: 2010 }])];
    const rows = timeline([late, statement("born_in", [{ from: 2011 }]), early], NOW).rows;
    expect(rows.map((each) => each.statement.validities[0]?.valid_from)).toEqual([2011, 2010, 2012].map(time));
  });

  it("of one instant, or of nothing, still has a time to show", () => {
    const { rows, ticks, now } = timeline([statement("a", [{ from: 2020 }])], NOW);
    expect(rows[0]?.bars[0]?.left).toBeGreaterThan(90);
    expect(ticks.length).toBeGreaterThan(0);
    expect(Number.isFinite(timeline([], NOW).now) && now > 0).toBe(true);
  });

  it("has no bar for what is believed no more", () => {
    expect(looks(statement("a", []))).toEqual([[]]);
  });
});
