"""Unites what is found of one series at different times and places. Pure; knows no store and no text.

Points of one time and value are one point, however often they are found. Another value for the same time is a revision: both
are kept, and the one recorded last is current. The result is the same for every order in which points arrive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from mindlog.errors import InvalidInput
from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.series.found import FoundPoint, FoundSeries
from mindlog.knowledge.series.units import base_of, convert

__all__ = ["Merged", "Recorded", "SeriesKey", "converted", "current", "merge", "recorded", "series_key", "unite"]


class SeriesKey(NamedTuple):
    """What two finds of one series have in common: whose it is, its name, and the kind of its unit."""

    entity: str
    name: str
    base: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A point as it is kept. Instants of recording are microseconds UTC: of its first find and of its last."""

    at: datetime
    until: datetime | None
    value: float
    written: str
    first_recorded_at: int
    recorded_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """All points of a series in order of time, and what became of the new ones."""

    points: tuple[Recorded, ...]
    added: int  #: of a time that had no point
    duplicates: int
    revisions: int  #: of a time that had another value


_Place = tuple[datetime, datetime | None]
_Same = tuple[datetime, datetime | None, str]


def series_key(name: str, entity: str | None, unit: str | None) -> SeriesKey:
    """Return what a series is known by. Spelling does not count, nor which unit of a kind it is in.

    A series whose text names no entity has an empty one: whose it is only its source can say, so the caller keeps those of
    different sources apart.
    """
    return SeriesKey(name_key(entity) if entity else "", name_key(name), base_of(unit))


def converted(series: FoundSeries, unit: str | None) -> FoundSeries:
    """Return the series with its values in another unit of the same kind; `InvalidInput` on `unit` if it is not of it."""
    if series.unit == unit:
        return series
    points = (replace(point, value=_in_unit(point.value, series.unit, unit)) for point in series.points)
    return replace(series, unit=unit, points=tuple(points))


def recorded(series: FoundSeries, recorded_at: int) -> list[Recorded]:
    """Return the points of a series as they are kept when recorded at an instant, microseconds UTC."""
    return [
        Recorded(
            at=point.at,
            until=point.until,
            value=point.value,
            written=point.written,
            first_recorded_at=recorded_at,
            recorded_at=recorded_at,
        )
        for point in series.points
    ]


def merge(held: Iterable[Recorded], new: Iterable[Recorded]) -> Merged:
    """Return the points of both, of one unit, and how many of the new ones are new, known, or other values."""
    kept: dict[_Same, Recorded] = {}
    for point in held:
        _keep(kept, point)
    times = {(point.at, point.until) for point in kept.values()}
    added = duplicates = revisions = 0
    for point in sorted(new, key=_order):
        known = _same(point) in kept
        duplicates += known
        revisions += not known and (point.at, point.until) in times
        added += (point.at, point.until) not in times
        times.add((point.at, point.until))
        _keep(kept, point)
    points = tuple(sorted(kept.values(), key=_order))
    return Merged(points=points, added=added, duplicates=duplicates, revisions=revisions)


def current(points: Iterable[Recorded]) -> tuple[Recorded, ...]:
    """Return for each time the point that was recorded last, in order of time; of equal ones the greater value."""
    latest: dict[_Place, Recorded] = {}
    for point in points:
        place = (point.at, point.until)
        if place not in latest or _rank(point) > _rank(latest[place]):
            latest[place] = point
    return tuple(sorted(latest.values(), key=_order))


def unite(found: Iterable[FoundSeries]) -> list[FoundSeries]:
    """Return the series with those of one key as one, in the unit of the first, in order of appearance.

    For the chunks of one document, whose offsets have been moved to the document's.
    """
    united: dict[SeriesKey, FoundSeries] = {}
    for series in found:
        key = series_key(series.name, series.entity, series.unit)
        first = united.get(key)
        united[key] = series if first is None else _with_points(first, converted(series, first.unit).points)
    return list(united.values())


def _with_points(series: FoundSeries, points: Iterable[FoundPoint]) -> FoundSeries:
    kept = {(point.at, point.until, _digits(point.value)): point for point in series.points}
    for point in points:
        kept.setdefault((point.at, point.until, _digits(point.value)), point)
    ordered = sorted(kept.values(), key=lambda point: (point.at, point.until or point.at, point.start))
    return replace(series, points=tuple(ordered))


def _keep(kept: dict[_Same, Recorded], point: Recorded) -> None:
    known = kept.get(_same(point))
    kept[_same(point)] = point if known is None else _joined(known, point)


def _joined(one: Recorded, other: Recorded) -> Recorded:
    # The form that was written first stays; of two at once the lesser, so that order does not matter.
    first = min(one, other, key=lambda point: (point.first_recorded_at, point.written, point.value))
    return replace(first, recorded_at=max(one.recorded_at, other.recorded_at))


def _same(point: Recorded) -> _Same:
    return point.at, point.until, _digits(point.value)


def _digits(value: float) -> str:
    # Twelve digits: what conversion may leave in the last ones is no other value.
    return f"{value + 0.0:.12g}"


def _order(point: Recorded) -> tuple[datetime, datetime, bool, float, int]:
    return point.at, point.until or point.at, point.until is None, point.value, point.recorded_at


def _rank(point: Recorded) -> tuple[int, int, float]:
    return point.recorded_at, point.first_recorded_at, point.value


def _in_unit(value: float, source: str | None, target: str | None) -> float:
    result = convert(value, source, target)
    if result is None:
        raise InvalidInput(f"unit: {source} is not of the kind of {target}", field="unit")
    return result
