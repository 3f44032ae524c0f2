"""Gathers readings into series: one for each name, entity and kind of unit, in order of time. Knows no text.

Readings of one series are of one unit: another unit of its kind is converted, a number without one among others that have
one is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from mindlog.knowledge.calendar import LATEST
from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.series.found import Found, FoundPoint, FoundSeries, LeftOut
from mindlog.knowledge.series.labels import Label, name_of_dimension
from mindlog.knowledge.series.times import Period
from mindlog.knowledge.series.units import NUMBER, Unit, base_of, convert

__all__ = ["Reading", "gather", "moment_of"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A value of something at a time, with the characters it rests on."""

    label: Label
    period: Period
    value: float
    unit: Unit | None
    written: str
    start: int
    end: int


@dataclass(slots=True)
class _Group:
    label: Label
    unit: Unit | None
    points: dict[tuple[datetime, datetime | None, float], FoundPoint] = field(
        default_factory=dict[tuple[datetime, datetime | None, float], FoundPoint]
    )


def moment_of(instant: int) -> datetime:
    """Return an instant of microseconds as a time; one past the last is the last."""
    return _EPOCH + timedelta(microseconds=min(instant, LATEST))


def gather(readings: Iterable[Reading], found: Found) -> None:
    """Add the series that readings make, in order of appearance. A label without a name is counted as left out."""
    groups: dict[tuple[str, str, str | None], _Group] = {}
    for reading in readings:
        label = _named(reading.label, reading.unit)
        if label.name is None:
            found.leave(LeftOut.NO_NAME)
            continue
        key = (name_key(label.name), name_key(label.entity or ""), base_of(reading.unit and reading.unit.symbol))
        _add(groups.setdefault(key, _Group(label, reading.unit)), reading)
    measured = {key[:2] for key in groups if key[2] is not None}
    for key, group in groups.items():
        if key[2] is None and key[:2] in measured:
            found.leave(LeftOut.UNIT, len(group.points))
        else:
            found.series.append(_series(group))


def _named(label: Label, unit: Unit | None) -> Label:
    name = label.name or (name_of_dimension(unit.dimension) if unit else None)
    return Label(name, label.entity)


def _add(group: _Group, reading: Reading) -> None:
    target = group.unit.symbol if group.unit else None
    value = convert(reading.value, reading.unit.symbol if reading.unit else None, target)
    assert value is not None, "readings of one group have units of one base"
    point = FoundPoint(
        at=moment_of(reading.period.start),
        until=None if reading.period.is_moment else moment_of(reading.period.end),
        value=value,
        written=reading.written,
        start=reading.start,
        end=reading.end,
    )
    group.points.setdefault((point.at, point.until, point.value), point)


def _series(group: _Group) -> FoundSeries:
    name, unit = group.label.name, group.unit
    assert name is not None
    points = sorted(group.points.values(), key=lambda p: (p.at, p.until or p.at, p.start))
    return FoundSeries(
        name=name,
        entity=group.label.entity,
        unit=unit.symbol if unit else None,
        dimension=unit.dimension if unit else NUMBER,
        points=tuple(points),
    )
