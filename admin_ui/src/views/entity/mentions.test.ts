import { describe, expect, it } from "vitest";
import type { Schema } from "../../api/types";
import { mentionIn, sources } from "./mentions";
import { ties } from "./relations";
import type { Statement } from "./timelines";

const inspection = (text: string, entity: string, spans: [number, number][]) =>
  ({
    memory: { text },
    entities: [{ entity: { entity_id: entity, name: "" }, kind: "person", spans }],
  }) as unknown as Schema<"InspectionReply">;

describe("mentions", () => {
  it("are the words a memory calls the entity by, counted in characters", () => {
    const [found] = mentionIn(inspection("🦊 Mara and Mara met M. Voss", "e1", [[2, 6], [11, 15], [20, 27]]), "e1"); // biome-ignore format: one case
    expect(found?.names).toEqual(["Mara", "M. Voss"]);
  });

  it("of another entity are none", () => {
    expect(mentionIn(inspection("Mara", "e2", [[0, 4]]), "e1")).toEqual([]);
  });

  it("tell where a name comes from, whatever its case", () => {
    const [mention] = mentionIn(inspection("MARA", "e1", [[0, 4]]), "e1");
    expect(mention && sources("Mara", [mention])).toEqual([mention]);
    expect(mention && sources("Voss", [mention])).toEqual([]);
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
