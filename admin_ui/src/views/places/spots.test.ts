import { describe, expect, it } from "vitest";
import { around, close, moved, seen, whole, zoomed } from "./frame";
import { circleOf } from "./near";
import { circle, project, unproject } from "./projection";
import { distance, round } from "./scale";
import { clusters, type Mention, named, together } from "./spots";

const SIZE = { width: 600, height: 400 };
const at = (name: string, lat: number, lon: number, more: Partial<Mention> = {}): Mention => ({
  name,
  lat,
  lon,
  country: null,
  region: null,
  source: "text",
  confident: true,
  entity: null,
  memory_ids: [],
  ...more,
});

describe("places", () => {
  it("are one for each name at a point, with all that is there", () => {
    const entity = { entity_id: "ent_1", name: "Works" };
    const found = together([
      at("Basel", 47.5, 7.6, { memory_ids: ["a"], entity }),
      at("Basel", 47.5, 7.6, { memory_ids: ["a", "b"], entity, confident: false }),
      at("Bern", 46.9, 7.4),
    ]);
    expect(found.map(({ name, memories, entities, isSure }) => [name, memories, entities.length, isSure])).toEqual([
      ["Basel", ["a", "b"], 1, false],
      ["Bern", [], 0, true],
    ]);
    expect(named(found, " BERN ").map((each) => each.name)).toEqual(["Bern"]);
  });

  it("are one spot while they would overlap, and two when one looks closer", () => {
    const places = together([at("Basel", 47.5, 7.6), at("Bern", 46.9, 7.4), at("Lima", -12, -77)]);
    expect(clusters(places, whole(SIZE), SIZE, 22).map((each) => each.places.length)).toEqual([2, 1]);
    const closer = close(
      places.slice(0, 2).map((each) => project([each.lon, each.lat])),
      SIZE,
    );
    expect(clusters(places, closer, SIZE, 22).map((each) => each.places[0]?.name)).toEqual(["Basel", "Bern"]);
  });
});

describe("the frame", () => {
  it("never leaves the map, however far it is moved", () => {
    const far = moved(whole(SIZE), SIZE, [1e6, -1e6]);
    expect(far).toEqual(moved(far, SIZE, [1e6, -1e6]));
    expect(seen(far, SIZE, [180, 0])[0]).toBeCloseTo(SIZE.width);
  });

  it("keeps what is under the pointer there while it zooms", () => {
    const frame = around([project([7, 47])], SIZE);
    const basel = project([7.6, 47.5]);
    const [x, y] = seen(frame, SIZE, basel);
    const after = seen(zoomed(frame, SIZE, 0.5, [x - 300, y - 200]), SIZE, basel);
    expect(after.map(Math.round)).toEqual([x, y].map(Math.round));
  });
});

describe("a circle", () => {
  it("is as far from its middle everywhere as was said", () => {
    const [north, east] = [circle([7, 47], 111.195, 4)[0], circle([0, 0], 111.195, 4)[1]];
    expect(north?.map((each) => Math.round(each * 100) / 100)).toEqual([7, 48]);
    expect(east?.map((each) => Math.round(each * 100) / 100)).toEqual([1, 0]);
    expect(unproject(project([7, 47]))[1]).toBeCloseTo(47);
  });

  it("is read from the address, unless it is nowhere", () => {
    expect(circleOf(new URLSearchParams("near=47.5,-7&km=25"))).toEqual({ lat: 47.5, lon: -7, km: 25 });
    for (const wrong of ["", "near=", "near=1", "near=a,b", "near=91,0", "near=1,2&km=x", "near=1,2&km=-3"])
      expect(circleOf(new URLSearchParams(wrong))).toBeNull();
  });

  it("is measured in round numbers", () => {
    expect([round(7), round(4.9), round(0.13)]).toEqual([5, 2, 0.1]);
    expect([distance(0.4), distance(2.34), distance(1234.5)]).toEqual(["400 m", "2.3 km", "1,235 km"]);
  });
});
