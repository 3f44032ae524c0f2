"""Texts made from a series: its level, change, trend or break, extremes and season, as sentences that can be read by themselves.

At most six, the same for the same points. Nothing is said that may be chance: a trend and a break pass their tests, and of
the two only the one that leaves less unexplained is spoken of. Knows no store and no source text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Final, Protocol

import numpy as np

from mindlog.knowledge.series.figures import (
    SIGNIFICANT,
    Break,
    Line,
    Numbers,
    autocorrelation,
    bartlett_bound,
    break_of,
    line_of,
)
from mindlog.knowledge.series.units import dimension_of
from mindlog.knowledge.series.wording import (
    MONTH_NAMES,
    Step,
    amount_in_words,
    place_of,
    step_of,
    time_in_words,
    when_in_words,
)

__all__ = ["Observation", "ObservationKind", "TimedValue", "observe"]

_FEWEST_FOR_TREND: Final = 5
_FEWEST_FOR_BREAK: Final = 8
_FEWEST_FOR_EXTREMES: Final = 3
_PERIODS: Final = {Step.MONTH: 12, Step.QUARTER: 4, Step.DAY: 7, Step.HOUR: 24}
_PERIOD_NAMES: Final = {Step.MONTH: "year", Step.QUARTER: "year", Step.DAY: "week", Step.HOUR: "day"}
_STEP_WORDS: Final = {Step.MOMENT: "day", Step.OTHER: "day", Step.HALF: "half year"}
_DAYS: Final = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
# Whose zero is a convention: twice as warm, or grown by half a percent of a percentage, says nothing.
_NO_RATIO: Final = frozenset({"temperature", "ratio", "percentage points"})


class TimedValue(Protocol):
    """A value of a series at a time, whatever else it is."""

    @property
    def at(self) -> datetime:
        """Its time, or when that begins."""
        ...

    @property
    def until(self) -> datetime | None:
        """When its time ends, None for a moment."""
        ...

    @property
    def value(self) -> float:
        """In the series' unit."""
        ...


class ObservationKind(StrEnum):
    """What an observation is about."""

    LEVEL = "level"
    CHANGE = "change"
    TREND = "trend"
    EXTREMES = "extremes"
    BREAK = "break"
    SEASON = "season"


@dataclass(frozen=True, slots=True)
class Observation:
    """A sentence about a series and the time it is of: the level's, else when the span it speaks of ends."""

    kind: ObservationKind
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class _Series:
    """A series while it is observed: points of one step in order of time, one for each time."""

    title: str
    unit: str | None
    points: Sequence[TimedValue]
    step: Step
    x: Numbers
    y: Numbers
    zone: tzinfo

    def amount(self, value: float, digits: int = 12) -> str:
        return amount_in_words(value, self.unit, digits)

    def when(self, at: int) -> str:
        return when_in_words(self.points[at].at, self.points[at].until, self.zone)

    def name(self, at: int) -> str:
        return time_in_words(self.points[at].at, self.points[at].until, self.zone)

    def difference(self, by: float, digits: int = 12) -> str:
        return amount_in_words(abs(by), "pp" if self.unit == "%" else self.unit, digits)

    @property
    def span(self) -> str:
        return f"from {self.name(0)} to {self.name(-1)}"

    @property
    def end(self) -> datetime:
        return self.points[-1].at


def observe(
    name: str, entity: str | None, unit: str | None, points: Sequence[TimedValue], zone: tzinfo = UTC
) -> list[Observation]:
    """Return what there is to say of a series, most basic first.

    `points` in any order, values in `unit`, only current ones; of several for one time the last given counts. Where points
    are of different steps (years beside months) those of the most frequent step are spoken of. `zone`: the one that days
    and months are of.
    """
    series = _prepared(name, entity, unit, points, zone)
    if series is None:
        return []
    if len(series.points) < 2:
        return [_level(series)]
    line = line_of(series.x, series.y)
    said = [_level(series), _change(series), _trend_or_break(series, line), _extremes(series), _season(series, line)]
    return [observation for observation in said if observation is not None]


def _prepared(
    name: str, entity: str | None, unit: str | None, points: Sequence[TimedValue], zone: tzinfo
) -> _Series | None:
    latest = {(point.at, point.until): point for point in points if math.isfinite(point.value)}
    if not latest:
        return None
    steps = {place: step_of(*place, zone) for place in latest}
    counts = Counter(steps.values())
    order = list(Step)
    step = min(counts, key=lambda step: (-counts[step], order.index(step)))
    chosen = sorted((p for place, p in latest.items() if steps[place] is step), key=lambda p: (p.at, p.until or p.at))
    said = f"{name} of {entity}" if entity else name
    return _Series(
        title=said[:1].upper() + said[1:],
        unit=unit,
        points=chosen,
        step=step,
        x=np.array([place_of(point.at, step, zone) for point in chosen], dtype=np.float64),
        y=np.array([point.value for point in chosen], dtype=np.float64),
        zone=zone,
    )


def _level(series: _Series) -> Observation:
    text = f"{series.title} was {series.amount(series.y[-1])} {series.when(-1)}."
    return Observation(ObservationKind.LEVEL, text, series.end)


def _change(series: _Series) -> Observation:
    first, last = float(series.y[0]), float(series.y[-1])
    if first == last:
        text = f"{series.title} was {series.amount(last)} {series.when(-1)}, as it was {series.when(0)}."
        return Observation(ObservationKind.CHANGE, text, series.end)
    verb = "rose" if last > first else "fell"
    relative = _relative(series, first, last)
    text = (
        f"{series.title} {verb} from {series.amount(first)} {series.when(0)} to {series.amount(last)} {series.when(-1)}, "
        f"by {series.difference(last - first)}{relative}."
    )
    return Observation(ObservationKind.CHANGE, text, series.end)


def _relative(series: _Series, first: float, last: float) -> str:
    if first <= 0 or last < 0 or dimension_of(series.unit) in _NO_RATIO:
        return ""
    return f" ({amount_in_words(100 * abs(last - first) / first, '%', 3)})"


def _trend_or_break(series: _Series, line: Line) -> Observation | None:
    """Return the one of the two that explains more, if it passes its test."""
    shift = break_of(series.y) if len(series.y) >= _FEWEST_FOR_BREAK else None
    breaks = shift is not None and shift.p < SIGNIFICANT
    trends = len(series.y) >= _FEWEST_FOR_TREND and line.p < SIGNIFICANT and line.slope != 0
    if breaks and trends and shift is not None:
        breaks = _left_by_break(series.y, shift) < _left_by_line(series, line)
    if breaks and shift is not None:
        return _break(series, shift)
    return _trend(series, line) if trends else None


def _left_by_break(y: Numbers, shift: Break) -> float:
    return float(((y[: shift.at] - shift.before) ** 2).sum() + ((y[shift.at :] - shift.after) ** 2).sum())


def _left_by_line(series: _Series, line: Line) -> float:
    return float(((series.y - line.at(series.x)) ** 2).sum())


def _trend(series: _Series, line: Line) -> Observation:
    direction = "upward" if line.slope > 0 else "downward"
    per = _STEP_WORDS.get(series.step, series.step.value)
    text = (
        f"{series.title} had {'an' if direction == 'upward' else 'a'} {direction} trend {series.span}: "
        f"about {series.difference(line.slope, 3)} per {per} over {len(series.y)} readings."
    )
    return Observation(ObservationKind.TREND, text, series.end)


def _break(series: _Series, shift: Break) -> Observation:
    verb = "higher" if shift.after > shift.before else "lower"
    text = (
        f"{series.title} shifted to a {verb} level {series.when(shift.at)}: its mean was about {series.amount(shift.before, 4)} "
        f"from {series.name(0)} to {series.name(shift.at - 1)} and about {series.amount(shift.after, 4)} "
        f"from {series.name(shift.at)} to {series.name(-1)}."
    )
    return Observation(ObservationKind.BREAK, text, series.points[shift.at].at)


def _extremes(series: _Series) -> Observation | None:
    low, high = int(series.y.argmin()), int(series.y.argmax())
    if len(series.y) < _FEWEST_FOR_EXTREMES or series.y[low] == series.y[high]:
        return None
    text = (
        f"{series.title} was highest {series.when(high)} with {series.amount(series.y[high])} and lowest {series.when(low)} "
        f"with {series.amount(series.y[low])}, {series.span}."
    )
    return Observation(ObservationKind.EXTREMES, text, series.end)


def _season(series: _Series, line: Line) -> Observation | None:
    """Speak of a period that shows plainly: evenly spaced readings over two full ones that repeat what came before."""
    period = _PERIODS.get(series.step)
    if period is None or len(series.y) < 2 * period or not np.allclose(np.diff(series.x), 1):
        return None
    rest = series.y - line.at(series.x) if line.p < SIGNIFICANT else series.y
    repeats = autocorrelation(rest, period)
    others = [autocorrelation(rest, lag) for lag in _lags_beside(period)]
    if repeats <= bartlett_bound(len(rest)) or repeats <= max(others):
        return None
    slots = [rest[(series.x.astype(np.int64) % period) == slot].mean() for slot in range(period)]
    high, low = (_slot_name(series, int(slot)) for slot in (np.argmax(slots), np.argmin(slots)))
    text = (
        f"{series.title} repeated itself every {_PERIOD_NAMES[series.step]} {series.span}: highest {high} and lowest {low} "
        f"(autocorrelation {repeats:.2f} at {period} {series.step.value}s over {len(rest)} readings)."
    )
    return Observation(ObservationKind.SEASON, text, series.end)


def _lags_beside(period: int) -> Iterator[int]:
    """Yield the lags that must repeat less: the neighbours and half the period."""
    yield from sorted({period - 1, period + 1, period // 2})


def _slot_name(series: _Series, slot: int) -> str:
    first = next(i for i, x in enumerate(series.x) if int(x) % _PERIODS[series.step] == slot)
    there = series.points[first].at.astimezone(series.zone)
    match series.step:
        case Step.MONTH:
            return f"in {MONTH_NAMES[there.month - 1]}"
        case Step.QUARTER:
            return f"in Q{(there.month + 2) // 3}"
        case Step.DAY:
            return f"on {_DAYS[there.weekday()]}"
        case _:
            return f"at {there:%H:%M}"
