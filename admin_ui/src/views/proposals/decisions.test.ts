import { describe, expect, it } from "vitest";
import type { Schema } from "../../api/types";
import { best } from "../graph/best";
import { CHOICES, type Proposal, reasonOf, STATUSES, VERBS } from "./decisions";

describe("decisions", () => {
  it("are offered for every status a proposal can have, each with its verb", () => {
    for (const status of STATUSES.filter((each) => each !== "all")) {
      expect(CHOICES[status]?.length).toBeGreaterThan(0);
      expect(CHOICES[status]?.every((each) => VERBS[each])).toBe(true);
    }
  });

  it("never offer what is decided already", () => {
    expect(Object.entries(CHOICES).filter(([status, choices]) => choices.some((each) => each === status))).toEqual([]);
  });

  it("show a reason that has no words as it is", () => {
    expect(reasonOf({ reason: "part" } as Proposal)).toBe("one name is a part of the other");
    expect(reasonOf({ reason: "same_bond" } as Proposal)).toBe("same bond");
  });
});

describe("the best connected", () => {
  it("are those with the most statements, then those named most, and few", () => {
    const entity = (name: string, statements: number, memories: number) =>
      ({ name, statements, memories }) as Schema<"EntityReply">;
    const many = Array.from({ length: 30 }, (_, at) => entity(`e${at}`, 0, 0));
    const found = best([...many, entity("b", 5, 1), entity("a", 5, 9), entity("c", 7, 0)]);
    expect(found.slice(0, 3).map((each) => each.name)).toEqual(["c", "a", "b"]);
    expect(found).toHaveLength(12);
  });
});
