import { describe, expect, it } from "vitest";
import { asked, carried, instant, isNarrow, local, named, parse } from "./filters";

const read = (text: string) => parse(new URLSearchParams(text));

describe("filters of runs", () => {
  it("are of derivations when the address names no log, or none there is", () => {
    expect(read("").log.operation).toBe("encode");
    expect(read("operation=nonsense").log.operation).toBe("encode");
    expect(isNarrow(read("dataset=a"))).toBe(false);
  });

  it("come back from the address that they are carried in", () => {
    const text =
      "operation=remember&dataset=a b&status=failed&stage=store&stage_status=failed&text=x%26y&after=2026-01-02T03:04:05Z&document_id=doc_1";
    const filters = read(text);
    const given = Object.entries(carried(filters)).filter((each): each is [string, string] => each[1] !== null);
    expect(parse(new URLSearchParams(given))).toEqual(filters);
    expect(named(parse(new URLSearchParams(given)))).toBe(named(filters));
    expect(isNarrow(filters)).toBe(true);
  });

  it("send a state, a status of the API and times under the API's names", () => {
    expect(asked(read("status=quarantined&after=2026-01-02T03:04Z"))).toMatchObject({
      state: "quarantined",
      created_from: instant("2026-01-02T03:04:00.000Z"),
    });
    expect(asked(read("status=started"))).toMatchObject({ status: "started" });
    expect(asked(read("status=started"))).not.toHaveProperty("state");
  });

  it("drop what the log does not know, so that the server does not refuse the list", () => {
    const filters = read(
      "operation=query&status=quarantined&stage_status=odd&after=yesterday&memory_id=mem_1&session=s1",
    );
    expect(asked(filters)).toEqual({
      dataset: null,
      state: null,
      stage: null,
      stage_status: null,
      text: null,
      created_from: null,
      created_to: null,
      session: "s1",
    });
  });

  it("ask for a stage only with a status of it", () => {
    expect(asked(read("stage=hype"))["stage"]).toBeNull();
    expect(asked(read("stage=hype&stage_status=failed"))).toMatchObject({ stage: "hype", stage_status: "failed" });
  });

  it("show a time in the reader's zone and read it back", () => {
    const at = "2026-01-02T03:04:00.000Z";
    expect(instant(local(at))).toBe(at);
    expect(local(null)).toBe("");
  });
});
