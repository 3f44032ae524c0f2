"""Checks of series and their points: what memories and providers say of numbers, as written and as read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mindlog.errors import InvalidInput, RevisionGone
from mindlog.store.askingrows import PointRow, SeriesRow
from mindlog.store.documentrows import NewPoint, NewSeries, SeriesWrite
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused
from mindlog.testing.conformance.knowing import Knowing

__all__ = ["CHECKS"]


def _points(*values: tuple[int, float], **facts: Any) -> tuple[NewPoint, ...]:
    return tuple(NewPoint(at=at, value=value, **facts) for at, value in values)


def _series(points: tuple[NewPoint, ...], entity: int | None = None, **facts: Any) -> NewSeries:
    values: dict[str, Any] = {"name": "Weight", "key": "weight mass", "unit": "kg", "dimension": "mass"} | facts
    return NewSeries(entity=entity, points=points, **values)


async def _put(bench: Bench, slot: int | None, *series: NewSeries, **facts: Any) -> dict[str, int]:
    version = None if slot is None else bench.get(slot).id.version
    values: dict[str, Any] = {"dataset": bench.number(), "slot": slot, "version": version} | facts
    return dict(await bench.store.put_series(SeriesWrite(series=series, **values)))


def _listed(bench: Bench, **facts: Any) -> list[SeriesRow]:
    return bench.store.series(facts.pop("dataset", bench.number()), **facts)


def _values(bench: Bench, series: int, **facts: Any) -> list[tuple[int, float, tuple[float, ...]]]:
    return [(point.at, point.value, point.was) for point in bench.store.points(series, **facts)]


async def points_of_memories_unite_into_one_series(open_store: Opener) -> None:
    """Of one time the latest recorded is current and says what was; what is given again changes nothing."""
    async with opened(open_store) as bench:
        await bench.fill(["one", "two", "three"])
        whole = _points((10, 70.0), (20, 71.5), start=0, end=3, written="70 kg")
        assert await _put(bench, 1, _series(whole)) == {"series": 1, "points": 2}
        assert await _put(bench, 1, _series(whole)) == {"series": 0, "points": 0}
        assert await _put(bench, 2, _series(_points((20, 72.0), (30, 73.0)))) == {"series": 0, "points": 2}
        assert await _put(bench, 3, _series(_points((20, 72.0)))) == {"series": 0, "points": 1}
    async with opened(open_store) as bench:
        (row,) = _listed(bench)
        assert (row.name, row.key, row.unit, row.dimension, row.entity, row.entity_name) == (
            "Weight",
            "weight mass",
            "kg",
            "mass",
            None,
            None,
        )
        assert (row.points, row.first_at, row.last_at) == (3, 10, 30)
        assert _values(bench, row.id) == [(10, 70.0, ()), (20, 72.0, (71.5,)), (30, 73.0, ())]
        first, second, _ = bench.store.points(row.id)
        assert (first.memory_id, first.start, first.end, first.written) == (bench.get(1).id, 0, 3, "70 kg")
        assert second.memory_id == bench.get(3).id


async def a_time_is_a_whole_interval(open_store: Opener) -> None:
    """January is not the year; both are pages by (at, id)."""
    async with opened(open_store) as bench:
        await bench.persist("one")
        month, year = (NewPoint(at=0, until=until, value=float(until)) for until in (31, 365))
        again = replace(month, value=30.0)
        await _put(bench, 1, _series((year, month, again, *_points((40, 4.0), (50, 5.0)))))
        (row,) = _listed(bench)
        everything = bench.store.points(row.id)
        assert [(each.at, each.until, each.value, each.was) for each in everything] == [
            (0, 365, 365.0, ()),
            (0, 31, 30.0, (31.0,)),
            (40, None, 4.0, ()),
            (50, None, 5.0, ()),
        ]
        assert row.points == 4
        paged: list[PointRow] = []
        while page := bench.store.points(row.id, limit=1, after=(paged[-1].at, paged[-1].id) if paged else None):
            paged += page
        assert paged == everything
        assert bench.store.points(row.id, start=1, end=50) == everything[2:3]
        assert bench.store.points(row.id, start=50) == everything[3:]


async def what_a_revision_gives_replaces_what_it_gave(open_store: Opener) -> None:
    """A point that is gone uncovers the one before; a series without any is gone."""
    async with opened(open_store) as bench:
        await bench.fill(["one", "two"])
        await _put(bench, 1, _series(_points((10, 70.0))))
        await _put(
            bench, 2, _series(_points((10, 75.0), (20, 76.0))), _series(_points((10, 1.0)), key="height", name="Height")
        )
        height, weight = _listed(bench)
        assert (height.name, _values(bench, weight.id)) == ("Height", [(10, 75.0, (70.0,)), (20, 76.0, ())])
        assert await _put(bench, 2, _series(_points((20, 77.0)))) == {"series": 0, "points": 1}
        assert _listed(bench) == [weight]
        assert _values(bench, weight.id) == [(10, 70.0, ()), (20, 77.0, ())]
        assert bench.store.points(height.id) == []
        again = _series(_points((10, 1.0)), key="height", name="Stature")
        assert await _put(bench, None, replace(again, points=_points((10, 1.0), source="p"))) == {
            "series": 1,
            "points": 1,
        }
        assert [each.name for each in _listed(bench, keys=["height"])] == ["Stature"]
        await _put(bench, 2)
        assert _values(bench, weight.id) == [(10, 70.0, ())]


async def points_go_with_their_memory(open_store: Opener) -> None:
    """Forgotten or edited, they are not there; restored or given anew, they are."""
    async with opened(open_store) as bench:
        await bench.fill(["one", "two"])
        await _put(bench, 1, _series(_points((10, 70.0))))
        await _put(bench, 2, _series(_points((10, 75.0))))
        (row,) = _listed(bench)
        await bench.store.forget(bench.number(), [2])
        assert _values(bench, row.id) == [(10, 70.0, ())]
        assert (len(_listed(bench, slots=[1])), _listed(bench, slots=[2])) == (1, [])
        await bench.store.forget(bench.number(), [1])
        assert (_listed(bench), bench.store.points(row.id)) == ([], [])
        await bench.store.restore(bench.number(), [1, 2], 0)
        assert _values(bench, row.id) == [(10, 75.0, (70.0,))]
        await bench.store.edit(bench.edit(bench.get(2), "two and a half"))
        assert _values(bench, row.id) == [(10, 70.0, ())]
        assert (len(_listed(bench, slots=[1])), _listed(bench, slots=[2])) == (1, [])
        with refused(RevisionGone):
            await _put(bench, 2, _series(_points((10, 80.0))), version=1)
        await _put(bench, 2, _series(_points((10, 80.0))))
        assert _values(bench, row.id) == [(10, 80.0, (70.0,))]
        await bench.store.forget(bench.number(), [2])
        with refused(RevisionGone):
            await _put(bench, 2, _series(_points((10, 80.0))))


async def series_are_read_under_the_root_of_whose_they_are(open_store: Opener) -> None:
    """By any of its ids, by keys and words; of two that became one both are listed, and the right one goes on."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await knowing.learn("Anna weighs", ["Anna"])
        await knowing.learn("Anne weighs", ["Anne"])
        anna, anne = knowing.entities["Anna"], knowing.entities["Anne"]
        await _put(bench, 1, _series(_points((10, 70.0)), anna))
        await _put(
            bench, 2, _series(_points((10, 150.0)), anne, unit="lb"), _series(_points((10, 1.0)), key="age", name="Äge")
        )
        age, pounds, kilos = _listed(bench)
        assert [(each.entity, each.entity_name) for each in (age, pounds, kilos)] == [
            (None, None),
            (anne, "Anne"),
            (anna, "Anna"),
        ]
        assert _listed(bench, entities=[anna]) == [kilos]
        await bench.store.merge_entities(bench.number(), anne, anna, "same")
        for asked in (anna, anne):
            both = _listed(bench, entities=[asked])
            assert [(each.id, each.entity, each.entity_name) for each in both] == [
                (each.id, anna, "Anna") for each in (pounds, kilos)
            ]
        assert await _put(bench, 1, _series(_points((20, 71.0)), anne)) == {"series": 0, "points": 1}
        assert [point.at for point in bench.store.points(kilos.id)] == [20]
        assert [each.id for each in _listed(bench, keys=["weight mass"])] == [pounds.id, kilos.id]
        assert [each.id for each in _listed(bench, text="äGE")] == [age.id]
        assert [each.id for each in _listed(bench, text="anne")] == [pounds.id, kilos.id]
        assert [each.id for each in _listed(bench, ids=[kilos.id, age.id])] == [age.id, kilos.id]
        assert [each.id for each in _listed(bench, slots=[2])] == [age.id, pounds.id]
        assert _listed(bench, slots=[2], ids=[kilos.id]) == []
        assert [each.id for each in _listed(bench, limit=1)] == [age.id]
        assert [each.id for each in _listed(bench, before_id=age.id)] == [pounds.id, kilos.id]
        await bench.persist("text", dataset="other")
        assert _listed(bench, dataset=bench.number("other"), entities=[anna]) == []
        assert await _put(bench, 2, _series(_points((30, 151.0)), anna, unit="lb")) == {"series": 0, "points": 1}
        assert [point.at for point in bench.store.points(pounds.id)] == [30]


async def points_of_providers_are_kept_with_their_source(open_store: Opener) -> None:
    """Added where a provider says otherwise than it did last; there while somebody may see whose series it is."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await knowing.learn("Lisbon is warm", ["Lisbon"])
        lisbon = knowing.entities["Lisbon"]
        source: dict[str, Any] = {"source": "weather", "source_url": "example/lisbon"}
        for value, new in ((17.0, 1), (17.0, 0), (18.0, 1), (17.0, 1)):
            given = _series(_points((10, value), **source), lisbon)
            assert (await _put(bench, None, given))["points"] == new
        other = _series(_points((10, 16.0), source="almanac"), lisbon)
        assert await _put(bench, None, other) == {"series": 0, "points": 1}
        (row,) = _listed(bench)
        (point,) = bench.store.points(row.id)
        assert (point.value, point.source, point.memory_id, point.was) == (16.0, "almanac", None, (17.0, 18.0))
        await _put(bench, None, _series(_points((10, 1.0), **source), key="of nobody"))
        await bench.store.forget(bench.number(), [1])
        assert [each.key for each in _listed(bench)] == ["of nobody"]
        assert bench.store.points(row.id) == []
        await bench.store.restore(bench.number(), [1], 0)
        assert bench.store.points(row.id) == [point]


async def series_that_cannot_be_are_refused_or_counted(open_store: Opener) -> None:
    """No number, no time, no source: refused whole. Of an entity that is not there: counted."""
    async with opened(open_store) as bench:
        await bench.persist("one")
        for points in (
            _points((10, float("nan"))),
            _points((10, float("inf"))),
            _points((10, 1.0), until=10),
        ):
            with refused(InvalidInput):
                await _put(bench, 1, _series(_points((5, 5.0))), _series(points))
        with refused(InvalidInput):
            await _put(bench, None, _series(_points((10, 1.0))))
        with refused(InvalidInput):
            await _put(bench, 1, _series(_points((10, 1.0))), version=None)
        assert await _put(bench, 1, _series(_points((10, 1.0), (20, 2.0)), 99), _series(())) == {
            "series": 0,
            "points": 0,
            "dangling": 2,
        }
        assert _listed(bench) == []


CHECKS: tuple[Check, ...] = (
    points_of_memories_unite_into_one_series,
    a_time_is_a_whole_interval,
    what_a_revision_gives_replaces_what_it_gave,
    points_go_with_their_memory,
    series_are_read_under_the_root_of_whose_they_are,
    points_of_providers_are_kept_with_their_source,
    series_that_cannot_be_are_refused_or_counted,
)
