"""Series and their points in pages: every one once, in order, whatever page size; and nothing of what is not the caller's."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mindlog.access import Caller
from mindlog.errors import (
    DatasetNotFound,
    EntityNotFound,
    Forbidden,
    InvalidCursor,
    InvalidInput,
    MindlogError,
    SeriesNotFound,
)
from mindlog.ids import number_id
from mindlog.knowledge.desk import KnowledgeDesk
from mindlog.knowledge.extraction import EntityKind
from mindlog.records import Scope
from mindlog.settings import Settings
from mindlog.store.documentrows import NewPoint, NewSeries, SeriesWrite
from mindlog.views import Point, Series
from tests.knowledge.graph import Graph, at, opened

STRANGER = Caller(scopes=frozenset(Scope), datasets=frozenset({"other"}))
DAY = 86_400_000_000


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncGenerator[Graph]:
    async with opened(tmp_path / "data") as graph:
        memory = await graph.say(
            "Globex is in Oslo.", ("Globex", "located_in", "Oslo"), kinds={"Globex": EntityKind.ORGANIZATION}
        )
        globex = next(row.id for row in graph.store.entities_by_key(1, ["globex"])["globex"])
        of_memory = [
            NewPoint(at=at("2023-01-01") + day * DAY, until=None, value=day, written=str(day)) for day in (0, 1)
        ]
        await graph.store.put_series(
            SeriesWrite(
                dataset=1, slot=memory.slot, version=memory.version, series=(made("revenue", globex, *of_memory),)
            )
        )
        # Three of one time among them: an instant, a day and a week.
        times = [(-DAY, None), (0, None), (0, DAY), (0, 7 * DAY), (DAY, None), (2 * DAY, None)]
        points = [
            NewPoint(at=start, until=end, value=float(at), source="p", source_url="https://example.org/p")
            for at, (start, end) in enumerate(times)
        ]
        for number in range(4):
            await graph.store.put_series(SeriesWrite(dataset=1, series=(made(f"reading {number}", None, *points),)))
        yield graph


def made(name: str, entity: int | None, *points: NewPoint) -> NewSeries:
    return NewSeries(entity=entity, name=name, key=f"{name}|", unit="km", dimension="length", points=points)


@pytest.fixture
def desk(graph: Graph) -> KnowledgeDesk:
    return KnowledgeDesk(graph.store, graph.clock, Settings(max_limit=1000))


async def all_series(desk: KnowledgeDesk, size: int) -> list[Series]:
    found: list[Series] = []
    page = await desk.series(limit=size)
    while True:
        assert len(page.data) <= size
        found += page.data
        if page.next_cursor is None:
            return found
        page = await desk.series(limit=size, cursor=page.next_cursor)


async def all_points(desk: KnowledgeDesk, series_id: str, size: int, **span: str | int) -> list[Point]:
    found: list[Point] = []
    page = await desk.series_points(series_id, limit=size, **span)  # type: ignore[arg-type]
    while True:
        assert len(page.data) <= size
        found += page.data
        if page.next_cursor is None:
            return found
        page = await desk.series_points(series_id, limit=size, cursor=page.next_cursor, **span)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1, 2, 5, 100])
async def test_pages_of_series_hold_each_once_newest_first(desk: KnowledgeDesk, size: int) -> None:
    found = await all_series(desk, size)
    assert [each.name for each in found] == ["reading 3", "reading 2", "reading 1", "reading 0", "revenue"]
    revenue = found[-1]
    assert revenue.entity is not None
    assert (revenue.entity.name, revenue.unit, revenue.points) == ("Globex", "km", 2)
    assert (revenue.first_at, revenue.last_at) == (at("2023-01-01"), at("2023-01-02"))


async def test_series_are_narrowed_by_whose_they_are_and_by_their_names(desk: KnowledgeDesk) -> None:
    assert [each.name for each in (await desk.series(entity="globex")).data] == ["revenue"]
    (revenue,) = (await desk.series(text="GLOBEX")).data
    assert revenue.name == "revenue"
    assert [each.name for each in (await desk.series(text="reading 2")).data] == ["reading 2"]
    assert (await desk.series(text="nothing")).data == ()


@pytest.mark.parametrize("size", [1, 2, 3, 100])
async def test_pages_of_points_hold_each_once_by_rising_time(desk: KnowledgeDesk, size: int) -> None:
    (series, *_) = await all_series(desk, 5)
    found = await all_points(desk, series.series_id, size)
    assert [each.value for each in found] == [0, 1, 2, 3, 4, 5]
    assert [each.at for each in found] == [-DAY, 0, 0, 0, DAY, 2 * DAY]
    assert {(each.source, each.source_url, each.memory_id) for each in found} == {("p", "https://example.org/p", None)}


async def test_points_are_those_from_start_and_before_end(desk: KnowledgeDesk) -> None:
    (series, *_) = await all_series(desk, 5)
    some = await all_points(desk, series.series_id, 2, start="1970-01-01T00:00:00Z", end="1970-01-02T00:00:00Z")
    assert [each.value for each in some] == [1, 2, 3]
    assert await all_points(desk, series.series_id, 2, start=DAY) == (await all_points(desk, series.series_id, 9))[4:]


async def test_a_point_that_a_memory_gave_names_it(desk: KnowledgeDesk) -> None:
    revenue = (await all_series(desk, 5))[-1]
    first = (await desk.series_points(revenue.series_id)).data[0]
    assert first.written == "0"
    assert (first.memory_id or "").startswith("mem_")
    assert first.source is None


async def test_another_ones_series_is_one_that_is_not_there(desk: KnowledgeDesk, graph: Graph) -> None:
    await graph.store.put_dataset("other", None)
    (series, *_) = await all_series(desk, 5)
    with pytest.raises(SeriesNotFound):
        await desk.series_points(series.series_id, caller=STRANGER)
    with pytest.raises(Forbidden):
        await desk.series(caller=STRANGER)
    with pytest.raises(DatasetNotFound):
        await desk.series("nowhere")
    with pytest.raises(Forbidden):
        await desk.series(caller=Caller(scopes=frozenset(), datasets=frozenset({"default"})))


async def test_what_cannot_be_asked_is_refused_by_the_name_of_the_field(desk: KnowledgeDesk) -> None:
    (series, other, *_) = await all_series(desk, 5)
    page = await desk.series_points(series.series_id, limit=1)
    listing = (await desk.series(limit=1)).next_cursor
    refused: list[tuple[type[MindlogError], str, object]] = [
        (InvalidInput, "series_id", desk.series_points("revenue")),
        (SeriesNotFound, "series_id", desk.series_points(number_id("ser", 999))),
        (InvalidInput, "limit", desk.series_points(series.series_id, limit=0)),
        (InvalidInput, "limit", desk.series(limit=1001)),
        (InvalidInput, "end", desk.series_points(series.series_id, start=1, end=0)),
        (InvalidInput, "start", desk.series_points(series.series_id, start="soon")),
        (InvalidCursor, "cursor", desk.series_points(other.series_id, cursor=page.next_cursor)),
        (InvalidCursor, "cursor", desk.series_points(series.series_id, cursor=listing)),
        (InvalidCursor, "cursor", desk.series_points(series.series_id, cursor="MTIz")),
        (InvalidCursor, "cursor", desk.series(text="x", cursor=listing)),
        (InvalidInput, "text", desk.series(text="")),
        (EntityNotFound, "entity", desk.series(entity="Nobody")),
    ]
    for error, field, asked in refused:
        with pytest.raises(error) as caught:
            await asked  # type: ignore[misc]
        assert caught.value.field == field
