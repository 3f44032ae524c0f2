import { describe, expect, it } from "vitest";
import { Problem } from "../../api/client";
import { bodyOf, carried, idsIn, isNarrow, metadataIn, namedBy, parse } from "./asked";
import { faultOf } from "./faults";
import { local, utc } from "./field";

const read = (text: string) => parse(new URLSearchParams(text));
const ALL =
  "cue=a%26b&dataset=notes&limit=3&session=s&agent=Ana&kind=semantic&document_id=doc&metadata=topic%3Dhealth%0Ap%3D2" +
  "&after=2026-01-02T03:04:05Z&before=2026-02-02T00:00:00Z&as_of=2026-03-01T00:00:00.123456Z&explain=mem_a,mem_b";
const refused = (field: string, detail: string, status = 400) =>
  new Problem(status, "invalid_input", detail, null, field);

describe("what a recall is asked", () => {
  it("comes back from the address that it is carried in", () => {
    const asked = read(ALL);
    const address = new URLSearchParams(carried(asked));
    expect(parse(address)).toEqual(asked);
    expect([...address.keys()].sort()).toEqual([...new URLSearchParams(ALL).keys()].sort());
  });

  it("is of the default dataset and of ten hits where the address says nothing, and does not carry what is default", () => {
    const asked = read("cue=x");
    expect([asked.dataset, asked.limit]).toEqual(["default", "10"]);
    expect(carried(asked)).toEqual({ cue: "x", dataset: "default" });
    expect(isNarrow(asked)).toBe(false);
  });

  it("sends what is given under the API's names, and nothing else", () => {
    expect(bodyOf(read("cue=x"))).toEqual({ cue: "x", dataset: "default", limit: 10, trace: true });
    expect(bodyOf(read(ALL))).toEqual({
      cue: "a&b",
      dataset: "notes",
      limit: 3,
      trace: true,
      filters: {
        session: "s",
        agent: "Ana",
        kind: "semantic",
        document_id: "doc",
        metadata: { topic: "health", p: 2 },
        after: "2026-01-02T03:04:05Z",
        before: "2026-02-02T00:00:00Z",
      },
      as_of: "2026-03-01T00:00:00.123456Z",
      explain_ids: ["mem_a", "mem_b"],
    });
  });

  it("leaves it to the API to refuse a limit that is no number", () => {
    expect(bodyOf(read("cue=x&limit=many")).limit).toBe("many");
    expect(bodyOf(read("cue=x&limit=-1")).limit).toBe(-1);
  });

  it("is another question by its filters, not by its limit or by what is explained", () => {
    expect(namedBy(read("cue=x&limit=3&explain=mem_a"))).toBe(namedBy(read("cue=x")));
    expect(namedBy(read("cue=x&agent=Ana"))).not.toBe(namedBy(read("cue=x")));
  });

  it("takes ids however they are parted, each once", () => {
    expect(idsIn(" mem_a, mem_b;mem_a\nmem_c ")).toEqual(["mem_a", "mem_b", "mem_c"]);
    expect(idsIn(" ")).toEqual([]);
  });
});

describe("metadata", () => {
  it("is text unless it is JSON", () => {
    expect(metadataIn('a=b=c\n n = 2 \nflag=true\nyear="2024"\nrange={"$gte": 2}\n\nempty=')).toEqual({
      a: "b=c",
      n: 2,
      flag: true,
      year: "2024",
      range: { $gte: 2 },
      empty: "",
    });
  });

  it("that has no key names its field", () => {
    for (const text of ["health", "=health", "a=b\nhealth"]) {
      const told = (() => {
        try {
          metadataIn(text);
          return null;
        } catch (error) {
          return error as Problem;
        }
      })();
      expect(faultOf(told, ["metadata"])).toMatchObject({ name: "metadata" });
    }
  });
});

describe("a fault", () => {
  const NAMES = ["cue", "after", "metadata", "explain", "dataset"];

  it("is said beside the field that the API names", () => {
    expect(faultOf(refused("cue", "cue: must be a string"), NAMES)).toEqual({ name: "cue", words: "must be a string" });
    expect(faultOf(refused("filters.after", "filters.after: 'x' is not a time"), NAMES)).toEqual({
      name: "after",
      words: "'x' is not a time",
    });
    expect(faultOf(refused("filters.metadata.$a", "filters.metadata.$a: unknown operator"), NAMES)?.name).toBe(
      "metadata",
    );
    expect(faultOf(refused("explain_ids", "explain_ids: 'x' is not a memory id"), NAMES)?.name).toBe("explain");
    expect(faultOf(refused("dataset", "dataset: there is none", 404), NAMES)?.name).toBe("dataset");
  });

  it("is of no field where the form has none of that name, or the server failed", () => {
    expect(faultOf(refused("budget_tokens", "budget_tokens: no"), NAMES)).toBeNull();
    expect(faultOf(refused("cue", "the server stops", 503), NAMES)).toBeNull();
    expect(faultOf(new Problem(401, "unauthorized", "no key"), NAMES)).toBeNull();
    expect(faultOf(null, NAMES)).toBeNull();
  });
});

describe("a time", () => {
  it("is shown on the reader's clock and read back, to the second", () => {
    expect(utc(local("2026-01-02T03:04:05Z"))).toBe("2026-01-02T03:04:05.000Z");
    expect([local("foo"), local(""), utc("")]).toEqual(["", "", ""]);
  });
});
