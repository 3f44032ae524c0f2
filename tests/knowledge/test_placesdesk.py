"""What is near a point: exactly what is within the distance, nearest first, with what is there."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mindlog.access import Caller
from mindlog.errors import DatasetNotFound, Forbidden, InvalidInput
from mindlog.knowledge.desk import KnowledgeDesk
from mindlog.knowledge.extraction import EntityKind
from mindlog.knowledge.places.cells import cell_of
from mindlog.knowledge.places.near import haversine_km
from mindlog.records import Scope
from mindlog.settings import Settings
from mindlog.store.askingrows import NewPlace
from tests.knowledge.graph import Graph, opened

pytest.importorskip("h3", reason="mindlog[geo] is not installed")

PLACE = EntityKind.PLACE
OSLO, BERGEN = (59.9139, 10.7522), (60.3913, 5.3221)
STRANGER = Caller(scopes=frozenset(Scope), datasets=frozenset({"other"}))


def place(name: str, lat: float, lon: float, **of: int) -> NewPlace:
    return NewPlace(
        dataset=1, name=name, lat=lat, lon=lon, cell=cell_of(lat, lon), source="gazetteer", confident=True, **of
    )


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncGenerator[Graph]:
    async with opened(tmp_path / "data") as graph:
        yield graph


@pytest.fixture
def desk(graph: Graph) -> KnowledgeDesk:
    return KnowledgeDesk(graph.store, graph.clock, Settings(max_limit=1000))


async def test_places_of_entities_and_of_memories_come_nearest_first_with_what_is_there(
    graph: Graph, desk: KnowledgeDesk
) -> None:
    memories = [
        await graph.say(f"{who} lives in Oslo.", (who, "lives_in", "Oslo"), kinds={"Oslo": PLACE})
        for who in ("Anna", "Tom", "Eva", "Ida", "Jon", "Kim", "Liv")
    ]
    await graph.say("Anna was in Bergen.", ("Anna", "visited", "Bergen"), kinds={"Bergen": PLACE})
    ids = {name: graph.store.entities_by_key(1, [name])[name][0].id for name in ("oslo", "bergen")}
    walked = await graph.say("A walk at 59.95, 10.75.")
    await graph.store.put_places(
        [
            place("Oslo", *OSLO, entity=ids["oslo"]),
            place("Bergen", *BERGEN, entity=ids["bergen"]),
            place("59.95, 10.75", 59.95, 10.75, slot=walked.slot, version=walked.version),
        ]
    )
    near = await desk.near("default", *OSLO, 50)
    assert [each.name for each in near] == ["Oslo", "59.95, 10.75"]
    assert near[0].entity is not None
    assert near[0].entity.name == "Oslo"
    assert list(near[0].memory_ids) == [str(memory) for memory in memories[::-1][:5]]
    assert (near[1].entity, near[1].memory_ids) == (None, (str(walked),))
    assert near[1].km == pytest.approx(haversine_km(*OSLO, 59.95, 10.75))
    assert [each.name for each in await desk.near("default", *OSLO, 400)] == ["Oslo", "59.95, 10.75", "Bergen"]
    assert [each.name for each in await desk.near("default", *OSLO, 400, limit=1)] == ["Oslo"]
    assert await desk.near("default", *OSLO, 50, limit=1000) == near


async def test_it_is_exactly_what_measuring_every_distance_finds(graph: Graph, desk: KnowledgeDesk) -> None:
    chance = random.Random(7)
    points = [(chance.uniform(-90, 90), chance.uniform(-180, 180)) for _ in range(300)]
    points += [(chance.uniform(88, 90), chance.uniform(-180, 180)) for _ in range(50)]
    points += [(chance.uniform(-2, 2), chance.choice((-1, 1)) * chance.uniform(178, 180)) for _ in range(50)]
    memory = await graph.say("A list of points.")
    await graph.store.put_places(
        [place(f"p{at}", *point, slot=memory.slot, version=memory.version) for at, point in enumerate(points)]
    )
    for lat, lon in (points[3], (89.9, 10.0), (-90.0, 0.0), (0.0, 180.0), (0.0, -179.9)):
        for km in (0.0, 30.0, 250.0, 299.0, 301.0, 5000.0, 30_000.0):
            near = await desk.near("default", lat, lon, km, limit=1000)
            measured = {f"p{at}" for at, point in enumerate(points) if haversine_km(lat, lon, *point) <= km}
            assert {each.name for each in near} == measured
            assert [each.km for each in near] == sorted(each.km for each in near)


async def test_what_is_no_circle_or_not_the_callers_is_refused(desk: KnowledgeDesk, graph: Graph) -> None:
    await graph.say("A text.")
    for lat, lon, km, field in (
        (91.0, 0.0, 1.0, "lat"),
        (0.0, 181.0, 1.0, "lon"),
        (0.0, 0.0, -1.0, "km"),
        (0.0, 0.0, float("nan"), "km"),
        (float("nan"), 0.0, 1.0, "lat"),
        (0.0, True, 1.0, "lon"),
    ):
        with pytest.raises(InvalidInput) as caught:
            await desk.near("default", lat, lon, km)
        assert caught.value.field == field
    with pytest.raises(InvalidInput) as caught:
        await desk.near("default", 0.0, 0.0, 1.0, limit=0)
    assert caught.value.field == "limit"
    with pytest.raises(Forbidden):
        await desk.near("default", 0.0, 0.0, 1.0, caller=STRANGER)
    with pytest.raises(DatasetNotFound):
        await desk.near("nowhere", 0.0, 0.0, 1.0)
