import { describe, expect, it } from "vitest";
import { changes, type Graph, type Statement, sceneOf, standing } from "./scene";

const at = (year: number): number => Date.parse(`${year}-01-01T00:00:00Z`);
const time = (year: number | null): string | null => (year ? `${year}-01-01T00:00:00Z` : null);
const ref = (name: string) => ({ entity_id: name, name });

function statement(id: string, subject: string, object: string | null, spans: [number | null, number | null][]) {
  const validities = spans.map(([from, to]) => ({
    valid_from: time(from),
    valid_to: time(to),
    superseded_by: null,
    recorded_at: "2020-01-01T00:00:00Z",
    invalidated_at: null,
  }));
  const object_ = object ? ref(object) : null;
  return { statement_id: id, subject: ref(subject), object: object_, predicate: "works_at", validities } as Statement;
}

const graph = (names: string[], relations: Statement[]): Graph =>
  ({
    entities: names.map((name) => ({ ...ref(name), kind: "person" })),
    relations,
    truncated: false,
  }) as unknown as Graph;

describe("a statement at an instant", () => {
  const job = statement("1", "a", "b", [
    [2010, 2012],
    [2015, null],
  ]);
  it("is not there yet, holds, held, and holds again", () => {
    expect([2009, 2011, 2013, 2016].map((year) => standing(job, at(year)))).toEqual([
      "not yet",
      "holds",
      "held",
      "holds",
    ]);
  });
  it("that is believed no more never held", () => {
    expect(standing(statement("1", "a", "b", []), at(2020))).toBe("never");
  });
  it("tells when something changes, each instant once", () => {
    expect(changes([job, job])).toEqual([2010, 2012, 2015].map(at));
  });
});

describe("a scene", () => {
  const old = statement("old", "a", "c", [[2010, 2012]]);
  const now = statement("now", "a", "b", [[2012, null]]);
  const kinds = new Map([["c", "organization"]]);

  it("shows what held before, with who is only in that", () => {
    const scene = sceneOf(graph(["a", "b"], [now]), { statements: [now, old], kinds }, at(2020));
    expect(scene.nodes.map((each) => [each.id, each.kind, each.degree])).toEqual([
      ["a", "person", 2],
      ["b", "person", 1],
      ["c", "organization", 1],
    ]);
    expect(scene.edges.map((each) => each.holds)).toEqual([true, false]);
  });

  it("has the same ties at every time", () => {
    const [then, today] = [2011, 2020].map((year) =>
      sceneOf(graph(["a"], []), { statements: [now, old], kinds }, at(year)),
    );
    expect(then?.ties).toEqual([
      ["a", "b"],
      ["a", "c"],
    ]);
    expect(today?.ties).toEqual(then?.ties);
  });

  it("does not show what has not begun", () => {
    expect(sceneOf(graph(["a"], []), { statements: [old], kinds }, at(2009)).nodes).toHaveLength(1);
  });

  it("draws relations of the same two beside each other, whichever way they go", () => {
    const back = statement("back", "b", "a", [[2012, null]]);
    const more = statement("more", "a", "b", [[2012, null]]);
    const scene = sceneOf(graph(["a", "b"], [now, back, more]), { statements: [], kinds }, at(2020));
    expect(scene.edges.map((each) => each.bend)).toEqual([0, -1, -1]);
  });
});
