import { describe, expect, it } from "vitest";
import { alone, layOut, opening, standing } from "./bundle";
import { directionOf, kindsOf, otherOf, saying } from "./edges";
import { inLine } from "./inline";
import { bundle, edge, ID, OTHER, revision, statement } from "./made";
import { changes } from "./revisions";

describe("the layout of a bundle", () => {
  it("has the words that the server meant, behind an emoji too", () => {
    const given = bundle();
    const { spans, here } = layOut(given);
    expect(spans.map((each) => [each.of, given.memory.text.slice(each.start, each.end)])).toEqual([
      ["stm_lives", "I live in Bonn"],
      ["stm_works", "I live in Bonn and work at Acme"],
      ["ent_2", "Bonn"],
    ]);
    expect(here.size).toBe(2);
  });

  it("marks nothing where the words are other ones, lie outside, or are of another memory", () => {
    const given = bundle({
      entities: [],
      statements: [
        statement("stm_changed", [{ start: 2, end: 16, quote: "I live in Rome" }]),
        statement("stm_beyond", [{ start: 30, end: 99, quote: "Acme" }]),
        statement("stm_other", [{ start: 2, end: 16, quote: "I live in Bonn", memory_id: OTHER }]),
      ],
    });
    const { spans, here } = layOut(given);
    expect(spans).toEqual([]);
    expect(
      given.statements.flatMap((each) => each.evidence.map((found) => standing(given.memory, found, here))),
    ).toEqual(["lost", "lost", "elsewhere"]);
  });
});

describe("what rests on a memory alone", () => {
  const own = { start: 2, end: 16, quote: "I live in Bonn" };
  it("is what no other memory carries, told or untold", () => {
    const statements = [
      statement("stm_own", [own]),
      statement("stm_shared", [own, { ...own, memory_id: OTHER }]),
      statement("stm_untold", [own], { evidence_count: 3 }),
    ];
    expect(alone(bundle({ statements })).map((each) => each.statement_id)).toEqual(["stm_own"]);
  });

  it("may rest on an earlier revision of it", () => {
    const before = revision({ memory_id: OTHER, is_current: false });
    const statements = [statement("stm_own", [own, { ...own, memory_id: OTHER }])];
    expect(alone(bundle({ statements, versions: [revision(), before] }))).toHaveLength(1);
  });
});

describe("the opening of a text", () => {
  it("is short as it is, or ends with a word", () => {
    expect(opening(" I live\n\nin Bonn. ", 40)).toBe("I live in Bonn.");
    expect(opening("I live in Bonn and work at Acme.", 18)).toBe("I live in Bonn…");
  });

  it("ends within a word that is too long, and tears no emoji", () => {
    expect(opening("x".repeat(50), 10)).toBe(`${"x".repeat(10)}…`);
    expect(opening(`a${"😀".repeat(50)}`, 10)).toBe(`a${"😀".repeat(4)}…`);
  });
});

describe("a link", () => {
  it("is said from the side that is looked at", () => {
    const out = edge({ kind: "caused" });
    const into = edge({ kind: "caused", source: OTHER, target: ID });
    expect([out, into].map((each) => saying(each.kind, directionOf(each, ID)))).toEqual(["caused", "caused by"]);
    expect([out, into].map((each) => otherOf(each, ID))).toEqual([OTHER, OTHER]);
    expect(directionOf(edge({ source: OTHER, target: ID }), ID)).toBe("both");
  });

  it("of a kind that is not known is said as it is called", () => {
    expect(saying("reminds_of", "out")).toBe("reminds of");
  });

  it("is counted by its kind, most first", () => {
    expect(kindsOf([edge(), edge({ kind: "caused" }), edge({ kind: "caused" })])).toEqual([
      ["caused", 2],
      ["similar_to", 1],
    ]);
  });
});

describe("a revision", () => {
  it("says what an edit changed, and takes objects for the same in any order", () => {
    const before = revision({ metadata: { a: 1, b: { c: 1, d: 2 } } });
    expect(changes(revision({ text: "Other.", salience: 0.7, metadata: before.metadata }), before)).toEqual([
      "text",
      "salience",
    ]);
    expect(changes(revision({ metadata: { b: { d: 2, c: 1 }, a: 1 } }), before)).toEqual([]);
    expect(changes(revision({ metadata: { a: 1, b: { c: 1, d: 3 } } }), before)).toEqual(["metadata"]);
  });
});

describe("an output in a line", () => {
  it("has what is plain of it, and says if that is not all", () => {
    expect(inLine({ looked_at: 5, nearest: null })).toEqual({ words: "looked at: 5 · nearest: none", isAll: true });
    expect(inLine({ edges: 0, tiers: {} })).toEqual({ words: "edges: 0", isAll: false });
    expect(inLine({ reason: "x".repeat(500) })).toMatchObject({ isAll: false });
  });
});
