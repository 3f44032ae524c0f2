import { describe, expect, it } from "vitest";
import { blocks, fitting, length, pieces, places, whole } from "./spans";

const FAMILY = "👩‍👩‍👧"; // five code points, eight units, one character

const marked = (text: string, spans: [number, number, string][], until?: number) =>
  pieces(
    text,
    fitting(
      text,
      spans.map(([start, end, of]) => ({ start, end, of })),
    ),
    0,
    until,
  ).map((piece) => [piece.text, piece.of.join(" ")]);

describe("the length of a text", () => {
  it("is counted as the server counts it", () => {
    expect(length("Bonn")).toBe(4);
    expect(length(`a${FAMILY}b`)).toBe(7);
    expect(length("e\u0301")).toBe(2);
  });
});

describe("places", () => {
  it("are the same where every character is one unit", () => {
    expect(places("I live in Bonn", [10, 14, 0])).toEqual([10, 14, 0]);
  });

  it("move behind what takes two units, in whatever order they are asked", () => {
    expect(places("😀 lives in 𝔹onn 😀", [14, 0, 1, 11, 12])).toEqual([16, 0, 2, 12, 14]);
  });

  it("are none outside of the text", () => {
    expect(places("abc", [-1, 3, 4])).toEqual([null, 3, null]);
    expect(places("a😀c", [-1, 3, 4, 1])).toEqual([null, 4, null, 1]);
  });
});

describe("spans", () => {
  it("that no longer fit are left out", () => {
    const spans = [
      { start: 2, end: 9, of: "beyond" },
      { start: 3, end: 3, of: "empty" },
      { start: 3, end: 1, of: "turned" },
      { start: -2, end: 2, of: "before" },
      { start: 0, end: 3, of: "all" },
    ];
    expect(fitting("abc", spans)).toEqual([{ start: 0, end: 3, of: "all" }]);
    expect(fitting("a😀c", spans)).toEqual([{ start: 0, end: 4, of: "all" }]);
  });
});

describe("pieces", () => {
  it("of no span are the text, of no text nothing", () => {
    expect(marked("Bonn", [])).toEqual([["Bonn", ""]]);
    expect(marked("", [])).toEqual([]);
  });

  it("carry the words that the server meant behind an emoji", () => {
    expect(marked("😀😀 Ada lives in Bonn", [[16, 20, "bonn"]])).toEqual([
      ["😀😀 Ada lives in ", ""],
      ["Bonn", "bonn"],
    ]);
  });

  it("do not tear a character that is seen as one", () => {
    expect(marked(`x${FAMILY}y`, [[2, 3, "a"]])).toEqual([
      ["x", ""],
      [FAMILY, "a"],
      ["y", ""],
    ]);
    expect(marked("cafe\u0301 au lait", [[0, 4, "cafe"]])).toEqual([
      ["cafe\u0301", "cafe"],
      [" au lait", ""],
    ]);
    expect(marked("🇩🇪🇫🇷", [[1, 2, "flag"]])).toEqual([
      ["🇩🇪", "flag"],
      ["🇫🇷", ""],
    ]);
  });

  it("of spans that overlap, nest or touch are under each of them", () => {
    expect(
      marked("I live in Bonn and work at Acme", [
        [0, 31, "work"],
        [0, 14, "live"],
        [10, 14, "bonn"],
        [10, 22, "odd"],
        [27, 31, "acme"],
      ]),
    ).toEqual([
      ["I live in ", "work live"],
      ["Bonn", "work live bonn odd"],
      [" and wor", "work odd"],
      ["k at ", "work"],
      ["Acme", "work acme"],
    ]);
  });

  it("say once what one statement says twice of the same words", () => {
    const [first] = pieces("Bonn", [
      { start: 0, end: 4, of: "s" },
      { start: 0, end: 4, of: "s" },
    ]);
    expect(first).toEqual({ text: "Bonn", of: ["s"], begins: ["s"], ends: ["s"] });
  });

  it("say where a span begins and ends", () => {
    const found = pieces("abcdef", [
      { start: 1, end: 4, of: "x" },
      { start: 2, end: 5, of: "y" },
    ]);
    expect(found.map((piece) => piece.begins)).toEqual([[], ["x"], ["y"], [], []]);
    expect(found.map((piece) => piece.ends)).toEqual([[], [], ["x"], ["y"], []]);
  });

  it("end at a cut, which tears no character either", () => {
    expect(marked(`ab${FAMILY}cd`, [[1, 4, "x"]], 4)).toEqual([
      ["a", ""],
      ["b", "x"],
    ]);
    expect(marked("abcdef", [[4, 6, "later"]], 3)).toEqual([["abc", ""]]);
  });

  it("of a part have what of a span lies in it", () => {
    const spans = [
      { start: 1, end: 5, of: "x" },
      { start: 0, end: 2, of: "before" },
      { start: 6, end: 7, of: "after" },
    ];
    expect(pieces("abcdefgh", spans, 2, 6).map((piece) => [piece.text, piece.of])).toEqual([
      ["cde", ["x"]],
      ["f", []],
    ]);
  });

  it("together are the text, whatever the spans are", () => {
    const text = `${FAMILY}é😀🇩🇪 ne\u0301 שלום ${"x".repeat(50)}`;
    let seed = 7;
    const next = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 200; round++) {
      const spans = Array.from({ length: 8 }, (_, at) => ({ start: next(90) - 5, end: next(90), of: `s${at}` }));
      expect(
        pieces(text, fitting(text, spans))
          .map((piece) => piece.text)
          .join(""),
      ).toBe(text);
    }
  });

  it("of a megabyte with a thousand spans come in little time and number", () => {
    const text = "Ada 😀 lives in Bonn. ".repeat(50_000);
    const spans = Array.from({ length: 1000 }, (_, at) => ({ start: at * 20, end: at * 20 + 30, of: `s${at % 500}` }));
    const found = pieces(text, fitting(text, spans));
    expect(found.length).toBeLessThan(3003);
    expect(found.map((piece) => piece.text).join("")).toBe(text);
  });
});

describe("blocks", () => {
  const words = (text: string, size: number, until = text.length) =>
    blocks(text, until, size).map(([from, to]) => text.slice(from, to));

  it("of a short text are one, of no text none", () => {
    expect(words("short", 100)).toEqual(["short"]);
    expect(words("", 100)).toEqual([]);
  });

  it("end with a line, else with a word, else with a character", () => {
    expect(words("one two\nthree four", 12)).toEqual(["one two\n", "three four"]);
    expect(words("one two three four", 10)).toEqual(["one two ", "three four"]);
    expect(words("xxxxxxxxxx", 4)).toEqual(["xxxx", "xxxx", "xx"]);
    expect(words("😀😀😀", 3)).toEqual(["😀", "😀", "😀"]);
    expect(words(FAMILY + FAMILY, 3)).toEqual([FAMILY, FAMILY]);
  });

  it("stop at the cut and are the text together", () => {
    expect(words("one two three four", 5, 9).join("")).toBe("one two t");
    const text = `${FAMILY} e\u0301 word\n`.repeat(2000);
    expect(words(text, 100).join("")).toBe(text);
  });
});

describe("a whole character", () => {
  it("is kept on both sides of a place", () => {
    expect(whole("e\u0301x", 1, "before")).toBe(0);
    expect(whole("e\u0301x", 1, "after")).toBe(2);
    expect(whole("abc", 2, "before")).toBe(2);
    expect(whole("abc", 9, "after")).toBe(3);
    expect(whole("abc", -4, "before")).toBe(0);
  });
});
