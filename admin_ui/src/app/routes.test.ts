import { describe, expect, it } from "vitest";
import { match, PARTS, ROUTES } from "./routes";

describe("a path", () => {
  it("opens its view with its id", () => {
    expect(match("/runs/enc_1")).toMatchObject({ id: "enc_1", route: { title: "Run", part: "/runs" } });
    expect(match("/documents/a%2Fb%20c")?.id).toBe("a/b c");
    expect(match("/documents/%E0%A4%A")?.id).toBe("%E0%A4%A"); // no text in any encoding: shown as it is
  });
  it("that leads nowhere opens nothing", () => {
    expect([match("/runs/a/b"), match("/nothing"), match("")]).toEqual([null, null, null]);
  });
  it("of every link of the navigation is a view", () => {
    expect(PARTS.map(([to]) => match(to)?.route.part)).toEqual(PARTS.map(([to]) => to));
  });
  it("of every view is under a link of the navigation", () => {
    const links = PARTS.map(([to]) => to);
    expect(ROUTES.filter((each) => !links.includes(each.part))).toEqual([]);
  });
});
