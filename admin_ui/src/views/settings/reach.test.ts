import { describe, expect, it } from "vitest";
import { datasetsOf, EVERYTHING } from "./reach";
import { inOrder } from "./scopes";

describe("a new key", () => {
  it("touches everything unless some datasets are ticked or named, each once", () => {
    expect(datasetsOf(EVERYTHING)).toBeNull();
    expect(datasetsOf({ isAll: false, ticked: ["notes"], named: " support, notes  more" })).toEqual([
      "notes",
      "support",
      "more",
    ]);
  });

  it("never touches everything because nothing was chosen", () => {
    expect(datasetsOf({ isAll: false, ticked: [], named: " , " })).toEqual([]);
  });

  it("has its scopes in the order of what they allow", () => {
    expect(inOrder(["admin", "other", "read", "write"])).toEqual(["other", "read", "write", "admin"]);
  });
});
