"""What of a provider's points is new to a series: in its unit, as its steps of time, beside what memories say. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from mindlog.knowledge.series.units import convert, dimension_of
from mindlog.knowledge.series.wording import Step, step_of
from mindlog.remember.enrich.wanted import instant
from mindlog.remember.spanning import series_key
from mindlog.store.documentrows import NewPoint, NewSeries

if TYPE_CHECKING:
    from mindlog.providers.series.provider import FetchedSeries
    from mindlog.remember.enrich.wanted import Wanted
    from mindlog.store.askingrows import PointRow

__all__ = ["Additions", "additions"]

_MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS = {Step.MONTH: 1, Step.QUARTER: 3, Step.HALF: 6, Step.YEAR: 12}
_DAYS = {Step.DAY: 1, Step.WEEK: 7}


@dataclass(slots=True)
class Additions:
    """What is to be written, None if nothing, and how many points are not, by reason."""

    series: NewSeries | None = None
    left_out: dict[str, int] = field(default_factory=dict[str, int])


def additions(wanted: Wanted, found: FetchedSeries, held: Sequence[PointRow], provider: str) -> Additions:
    """Return what a provider adds to a series. held: its points so far.

    Without its unit, or in one of another kind than the series', nothing can be added.
    """
    row = wanted.row
    unit = found.unit if row is None else row.unit
    new, counts = list[NewPoint](), Counter[str]()
    own = {(point.at, point.until) for point in held if point.memory_id is not None}
    step = _step([at for at, _ in found.points], held)
    for at, said in found.points:
        value = said if found.unit == unit else convert(said, found.unit, unit)
        begins, ends = _micros(at), None if (until := _until(at, step)) is None else _micros(until)
        if value is None:
            counts["other_unit"] += 1
        elif (begins, ends) in own:
            counts["said_by_memories"] += 1
        else:
            new.append(NewPoint(at=begins, until=ends, value=value, source=provider, source_url=found.source_url))
    if not new:
        return Additions(None, dict(counts))
    name = wanted.request.name if row is None else row.name
    series = NewSeries(
        entity=wanted.entity,
        name=name,
        key=series_key(name, unit) if row is None else row.key,
        unit=unit,
        dimension=dimension_of(unit) if row is None else row.dimension,
        points=tuple(new),
    )
    return Additions(series, dict(counts))


def _step(times: Sequence[datetime], held: Sequence[PointRow]) -> Step:
    """Return the step of time that the points are of: the series' own if all of them begin one, else days or moments."""
    steps = Counter(step_of(instant(point.at), None if point.until is None else instant(point.until)) for point in held)
    usual = max(steps, key=lambda step: steps[step], default=Step.MOMENT)
    if all(_begins(at, usual) for at in times):
        return usual
    return Step.DAY if all(_begins(at, Step.DAY) for at in times) else Step.MOMENT


def _begins(at: datetime, step: Step) -> bool:
    there = at.astimezone(UTC)
    if there.time() != time.min:
        return False
    if (months := _MONTHS.get(step)) is not None:
        return there.day == 1 and (there.month - 1) % months == 0
    return step in _DAYS


def _until(at: datetime, step: Step) -> datetime | None:
    there = at.astimezone(UTC)
    if (months := _MONTHS.get(step)) is not None:
        month = there.month - 1 + months
        return there.replace(year=there.year + month // 12, month=month % 12 + 1)
    return there + timedelta(days=_DAYS[step]) if step in _DAYS else None


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND
