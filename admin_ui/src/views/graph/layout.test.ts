import { describe, expect, it } from "vitest";
import { Layout, type Link } from "./layout";

const far = (layout: Layout, a: number, b: number): number =>
  Math.hypot(layout.spots[a]!.x - layout.spots[b]!.x, layout.spots[a]!.y - layout.spots[b]!.y);

describe("a layout", () => {
  it("puts what is related nearer than what is not, the middle in the middle", () => {
    const links: Link[] = [
      [0, 1],
      [1, 2],
      [2, 3],
    ];
    const layout = new Layout(4, links);
    while (!layout.isSettled) layout.step();
    expect(far(layout, 0, 1)).toBeLessThan(far(layout, 0, 3));
    expect(layout.spots[0]).toEqual({ x: 0, y: 0 });
  });

  it("of 500 entities settles in a bounded number of steps, with every spot a number", () => {
    const layout = new Layout(
      500,
      Array.from({ length: 499 }, (_, at): Link => [at >> 2, at + 1]),
    );
    let steps = 0;
    for (; !layout.isSettled && steps < 1000; steps++) layout.step();
    expect(steps).toBeLessThan(300);
    expect(layout.spots.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  });
});
