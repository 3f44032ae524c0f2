import { describe, expect, it } from "vitest";
import { Layout, type Link } from "./layout";

function settled(layout: Layout): number {
  let steps = 0;
  for (; !layout.isSettled && steps < 1000; steps++) layout.step();
  return steps;
}

const far = (layout: Layout, a: string, b: string): number =>
  Math.hypot(layout.at(a).x - layout.at(b).x, layout.at(a).y - layout.at(b).y);

const LINE: Link[] = [
  ["a", "b"],
  ["b", "c"],
  ["c", "d"],
];
const many = Array.from({ length: 500 }, (_, at) => `e${at}`);
const tree = many.slice(1).map((id, at): Link => [`e${at >> 2}`, id]);

describe("a layout", () => {
  it("puts what is related nearer than what is not, the first in the middle", () => {
    const layout = new Layout();
    layout.show(["a", "b", "c", "d"], LINE);
    settled(layout);
    expect(far(layout, "a", "b")).toBeLessThan(far(layout, "a", "d"));
    expect(layout.at("a")).toMatchObject({ x: 0, y: 0 });
  });

  it("keeps every place when others come and go", () => {
    const layout = new Layout();
    layout.show(["a", "b", "c"], LINE.slice(0, 2));
    settled(layout);
    const before = ["a", "b", "c"].map((id) => ({ ...layout.at(id) }));
    layout.show(["a", "d"], [["a", "d"]]);
    expect(layout.isSettled).toBe(false);
    settled(layout);
    layout.show(["a", "b", "c", "d"], LINE);
    expect(layout.isSettled).toBe(true);
    const after = ["a", "b", "c"].map((id) => layout.at(id));
    expect(after.map(({ x, y }) => [x, y])).toEqual(before.map(({ x, y }) => [x, y]));
  });

  it("gives the same places to the same entities again", () => {
    const [one, other] = [new Layout(), new Layout()];
    for (const each of [one, other]) {
      each.show(many.slice(0, 50), tree.slice(0, 49));
      settled(each);
    }
    expect(one.all.map(({ x, y }) => [x, y])).toEqual(other.all.map(({ x, y }) => [x, y]));
  });

  it("leaves an entity where it was put", () => {
    const layout = new Layout();
    layout.show(["a", "b"], [["a", "b"]]);
    layout.put("b", { x: 300, y: -20 });
    settled(layout);
    expect(layout.at("b")).toMatchObject({ x: 300, y: -20 });
  });

  it("of 500 entities settles in a bounded number of steps, nobody on top of another", () => {
    const layout = new Layout();
    layout.show(many, tree);
    expect(settled(layout)).toBeLessThan(300);
    const close = many.flatMap((a, at) => many.slice(at + 1).filter((b) => far(layout, a, b) < 26));
    expect(close).toEqual([]);
  });

  it("takes a relation with an entity that is not shown as none", () => {
    const layout = new Layout();
    layout.show(["a"], [["a", "nobody"]]);
    settled(layout);
    expect(layout.all).toHaveLength(1);
  });
});
