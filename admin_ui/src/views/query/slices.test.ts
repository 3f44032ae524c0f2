import { describe, expect, it } from "vitest";
import { citedBy, slices } from "./slices";

const cut = (answer: string, ...known: number[]) =>
  slices(answer, new Set(known)).map(({ text, n }) => (n === null ? text : { [text]: n }));

describe("an answer's text", () => {
  it("is cut at its citations", () => {
    expect(cut("Ana is in Bonn [1][2]. She sails [1].", 1, 2)).toEqual([
      "Ana is in Bonn ",
      { "[1]": 1 },
      { "[2]": 2 },
      ". She sails ",
      { "[1]": 1 },
      ".",
    ]);
  });

  it("keeps a number without a source as text", () => {
    expect(cut("See [3] and [1] and [12345].", 1)).toEqual(["See [3] and ", { "[1]": 1 }, " and [12345]."]);
    expect(cut("Nothing [1].")).toEqual(["Nothing [1]."]);
  });

  it("takes a list for its numbers, of which each is known or is not", () => {
    expect(cut("So [1, 9; 2].", 1, 2)).toEqual(["So ", { "[1]": 1 }, "[9]", { "[2]": 2 }, "."]);
  });

  it("is whole where there is nothing to cut, and survives what only looks like a citation", () => {
    expect(cut("", 1)).toEqual([]);
    for (const text of ["a[x] = [ ]", "[1", "1]", "[[1.5]]", "[-1]", "\u202e[١]"]) expect(cut(text, 1)).toEqual([text]);
    expect(cut("[1]", 1)).toEqual([{ "[1]": 1 }]);
  });
});

describe("citations of a memory", () => {
  it("are kept by what is kept of its id", () => {
    const citations = [
      { n: 1, memory_id: "a1" },
      { n: 2, memory_id: "b1" },
      { n: 3, memory_id: "a2" },
    ];
    expect([...citedBy(citations, (id) => id.charAt(0))]).toEqual([
      ["a", [1, 3]],
      ["b", [2]],
    ]);
  });
});
