"""Puts amounts and times into words that can be read back. Knows no formula."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Final

__all__ = ["MONTH_NAMES", "Step", "amount_in_words", "place_of", "step_of", "time_in_words", "when_in_words"]

_DAY = timedelta(days=1)


class Step(StrEnum):
    """The unit of time that a point is of."""

    MOMENT = "moment"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    HALF = "half year"
    YEAR = "year"
    OTHER = "other"


_MONTHS = {Step.MONTH: 1, Step.QUARTER: 3, Step.HALF: 6, Step.YEAR: 12}


def step_of(at: datetime, until: datetime | None, zone: tzinfo = UTC) -> Step:
    """Return which calendar unit of a zone an interval is, OTHER if none."""
    if until is None:
        return Step.MOMENT
    first, last = at.astimezone(zone).replace(tzinfo=None), until.astimezone(zone).replace(tzinfo=None)
    if first.time() == last.time() == datetime.min.time():
        months = (last.year - first.year) * 12 + last.month - first.month
        if first.day == last.day == 1:
            steps = (step for step, size in _MONTHS.items() if size == months and (first.month - 1) % size == 0)
            if (step := next(steps, None)) is not None:
                return step
        days = last - first
        return Step.DAY if days == _DAY else Step.WEEK if days == 7 * _DAY else Step.OTHER
    return Step.HOUR if last - first == timedelta(hours=1) else Step.OTHER


def place_of(at: datetime, step: Step, zone: tzinfo = UTC) -> float:
    """Return where a time stands on the axis of its steps: months and their multiples are all as long as each other."""
    there = at.astimezone(zone)
    if size := _MONTHS.get(step):
        return ((there.year - 1970) * 12 + there.month - 1) / size
    seconds = (there.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
    return seconds / {Step.WEEK: 604_800, Step.HOUR: 3_600}.get(step, 86_400)


def time_in_words(at: datetime, until: datetime | None, zone: tzinfo = UTC) -> str:
    """Return a time as a name: "2019", "Q1 2024", "March 2024", "2024-03-05", "2024-03-05 08:15"."""
    there = at.astimezone(zone)
    match step_of(at, until, zone):
        case Step.YEAR:
            return f"{there.year}"
        case Step.HALF:
            return f"H{1 if there.month == 1 else 2} {there.year}"
        case Step.QUARTER:
            return f"Q{(there.month + 2) // 3} {there.year}"
        case Step.MONTH:
            return f"{MONTH_NAMES[there.month - 1]} {there.year}"
        case Step.DAY:
            return f"{there:%Y-%m-%d}"
        case Step.WEEK:
            return f"the week of {there:%Y-%m-%d}"
        case Step.MOMENT | Step.HOUR:
            return f"{there:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
        case Step.OTHER:
            assert until is not None
            return f"the time from {there:%Y-%m-%d %H:%M} to {until.astimezone(zone):%Y-%m-%d %H:%M}"


MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def when_in_words(at: datetime, until: datetime | None, zone: tzinfo = UTC) -> str:
    """Return a time with its preposition: "in 2019", "on 2024-03-05", "at 2024-03-05 08:15"."""
    step = step_of(at, until, zone)
    preposition = {Step.DAY: "on", Step.MOMENT: "at", Step.HOUR: "at"}.get(step, "in")
    return f"{preposition} {time_in_words(at, until, zone)}"


def amount_in_words(value: float, unit: str | None, digits: int = 12) -> str:
    """Return an amount with its unit in at most so many significant digits: "3,400,000 USD", "-17.2 °C", "15%"."""
    number = f"{value:.{digits}g}"
    if "e" in number and abs(value) < 1e15:
        number = f"{float(number):.{0 if abs(value) >= 1 else 12}f}"
    whole, point, rest = number.partition(".")
    if "e" not in number:
        rest = rest.rstrip("0")
        number = f"{int(whole):,}" if not whole.startswith("-") else f"-{int(whole[1:]):,}"
        number += f".{rest}" if point and rest else ""
    number = "0" if number in ("-0", "0") else number
    if unit is None:
        return number
    if unit == "pp":
        return f"{number} percentage point{'' if number == '1' else 's'}"
    return f"{number}%" if unit == "%" else f"{number} {unit}"
