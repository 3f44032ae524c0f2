import { describe, expect, it } from "vitest";
import { bodyOf, carried, parse } from "./asked";

const read = (text: string) => parse(new URLSearchParams(text));
const ALL = "question=Who%3F&dataset=notes&session=s%261&as_of=2026-01-02T03:04:05Z&limit=7&stream=0";

describe("what a question is asked with", () => {
  it("comes back from the address that it is carried in", () => {
    const address = new URLSearchParams(carried(read(ALL)));
    expect(parse(address)).toEqual(read(ALL));
    expect([...address.keys()]).toEqual([...new URLSearchParams(ALL).keys()]);
    expect(carried(read("question=x"))).toEqual({ question: "x", dataset: "default" });
  });

  it("sends what is given, and is streamed unless that is turned off", () => {
    expect(bodyOf(read("question=x"))).toEqual({ question: "x", dataset: "default", stream: true });
    expect(bodyOf(read(ALL))).toEqual({
      question: "Who?",
      dataset: "notes",
      session: "s&1",
      as_of: "2026-01-02T03:04:05Z",
      limit: 7,
      stream: false,
    });
  });
});
