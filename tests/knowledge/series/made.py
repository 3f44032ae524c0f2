"""Short ways to make points and read texts in a test of series."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from mindlog.knowledge.series.find import find_series
from mindlog.knowledge.series.found import Found, FoundPoint, FoundSeries
from mindlog.knowledge.series.merge import Recorded

AT = 1_732_000_000_000_000  # 2024-11-19T07:06:40Z

Values = dict[tuple[str, str | None, str | None], list[tuple[str, float]]]


def found(text: str, **more: object) -> Found:
    """Read a text and check that each point's characters hold its amount."""
    read = find_series(text, AT, **more)  # type: ignore[arg-type]
    check(read, text)
    return read


def check(read: Found, text: str) -> None:
    for series in read.series:
        assert series.points
        assert series.name
        for point in series.points:
            assert 0 <= point.start < point.end <= len(text)
            assert point.written in text[point.start : point.end]
            assert point.at.utcoffset() == timedelta(0)
            assert point.until is None or point.at < point.until


def values(read: Found) -> Values:
    return {(s.name, s.entity, s.unit): [(f"{p.at:%Y-%m-%d}", p.value) for p in s.points] for s in read.series}


def month(number: int) -> tuple[datetime, datetime]:
    """Return the month so many after January 2020."""
    first = datetime(2020 + number // 12, number % 12 + 1, 1, tzinfo=UTC)
    return first, datetime(2020 + (number + 1) // 12, (number + 1) % 12 + 1, 1, tzinfo=UTC)


def monthly(numbers: Iterable[float]) -> list[FoundPoint]:
    spans = ((month(i), float(value)) for i, value in enumerate(numbers))
    return [FoundPoint(at=at, until=until, value=v, written="", start=0, end=1) for (at, until), v in spans]


def daily(numbers: Iterable[float], first: datetime = datetime(2024, 1, 1, tzinfo=UTC)) -> list[FoundPoint]:
    days = ((first + timedelta(days=i), float(value)) for i, value in enumerate(numbers))
    return [
        FoundPoint(at=at, until=at + timedelta(days=1), value=value, written="", start=0, end=1) for at, value in days
    ]


def series(name: str, unit: str | None, points: Iterable[FoundPoint], entity: str | None = None) -> FoundSeries:
    return FoundSeries(name=name, entity=entity, unit=unit, dimension="number", points=tuple(points))


def kept(number: int, value: float, recorded_at: int, first: int | None = None) -> Recorded:
    at, until = month(number)
    return Recorded(
        at=at,
        until=until,
        value=value,
        written=f"{value}",
        first_recorded_at=recorded_at if first is None else first,
        recorded_at=recorded_at,
    )
