import { describe, expect, it } from "vitest";
import { type Mention, namesIn, sources } from "./mentions";
import { ties } from "./relations";
import type { Statement } from "./timelines";

const mention = (text: string, names: string[]): Mention => ({ memory: { text } as Mention["memory"], names });

describe("the names of an entity in a text", () => {
  it("are found as whole words, whatever their case", () => {
    const names = ["Mara Voss", "Mara", "M. Voss", "Vos"];
    expect(namesIn("🦊 MARA and M. Voss met Maras sister.", names)).toEqual(["Mara", "M. Voss"]);
    expect(namesIn("Tamara", names)).toEqual([]);
    expect(namesIn("マラ・ヴォス", ["マラ"])).toEqual(["マラ"]);
  });

  it("say which memories call it so", () => {
    const mentions = [mention("Mara came.", ["Mara"]), mention("She left.", [])];
    expect(sources("Mara", mentions)).toEqual([mentions[0]]);
    expect(sources("Voss", mentions)).toEqual([]);
  });
});

describe("ties", () => {
  const tie = (from: string, to: string | null) =>
    ({ subject: { entity_id: from, name: from }, object: to ? { entity_id: to, name: to } : null }) as Statement;
  it("are by the other entity, whichever side it is on, most ties first", () => {
    const found = ties("a", [tie("a", "b"), tie("c", "a"), tie("a", null), tie("a", "c")]);
    expect(found.map((each) => [each.id, each.statements.length])).toEqual([
      ["c", 2],
      ["b", 1],
    ]);
  });
});
