import { describe, expect, it } from "vitest";
import { fitting, seen, under, zoomed } from "./view";

describe("a view", () => {
  it("that fits has every spot on the canvas, and the middle in the middle", () => {
    const view = fitting(
      [
        { x: -900, y: 0 },
        { x: 900, y: 300 },
      ],
      600,
      400,
    );
    expect(seen(view, { x: -900, y: 0 }).x).toBeCloseTo(56);
    expect(seen(view, { x: 0, y: 150 })).toEqual({ x: 300, y: 200 });
  });

  it("keeps what is under the pointer there when it grows, within bounds", () => {
    const pointer = { x: 120, y: 80 };
    const before = { scale: 1, x: 30, y: -10 };
    const after = zoomed(before, 1.5, pointer);
    expect(seen(after, under(before, pointer))).toEqual(pointer);
    expect(zoomed(before, 1000, pointer).scale).toBe(4);
  });
});
