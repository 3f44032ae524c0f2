import { describe, expect, it } from "vitest";
import { around, Room } from "./labels";

const box = (left: number, top: number, width = 50, height = 14) => ({ left, top, width, height });

describe("the room of labels", () => {
  it("gives a label its next place when the first is taken", () => {
    const room = new Room();
    const places = around(100, 100, 8, 60, 14);
    expect(room.first(places)).toEqual(places[0]);
    expect(room.first(places)).toEqual(places[1]);
  });

  it("is first looked for on the side that a label is to lie on", () => {
    const [first, ...others] = around(100, 100, 8, 60, 14, { x: -1, y: 0.2 });
    expect(first).toMatchObject({ left: 29, top: 93 });
    expect(others.at(-1)?.left).toBe(111);
  });

  it("leaves a label out that fits nowhere", () => {
    const room = new Room();
    room.take(box(0, 0, 300, 300));
    expect(room.first(around(100, 100, 8, 60, 14))).toBeNull();
  });

  it("sees what reaches over from another square", () => {
    const room = new Room();
    room.take(box(10, 10, 200, 14));
    expect(room.isFree(box(190, 15))).toBe(false);
    expect(room.isFree(box(211, 15))).toBe(true);
    expect(room.isFree(box(-60, 10))).toBe(true);
  });
});
