"""What a cue says of time, read by rules: days of any year, windows, and expressions that nobody can resolve.

Owns what is relative (it moves with the day it is said on) and what is named outright. Knows no memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum, auto
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindlog.knowledge.calendar import EARLIEST, LATEST, Anchor
from mindlog.knowledge.dates import parse_range
from mindlog.knowledge.extraction import DateMention, Precision

__all__ = ["CueTime", "DateRange", "Window", "date_ranges", "read_time"]

# Spelt out: the standard library's names follow the process' locale.
_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_MONTH = "|".join(_MONTHS)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH_DAY = re.compile(rf"\b({_MONTH})\s+{_DAY}\b(?!\d)(?:,?\s*(\d{{4}}))?", re.IGNORECASE)
_DAY_MONTH = re.compile(rf"\b{_DAY}(?:\s+of)?\s+({_MONTH})\b(?:,?\s*(\d{{4}}))?", re.IGNORECASE)
# "may" and "march" are verbs too: a bare month counts after a preposition or before a year.
_BARE_MONTH = re.compile(
    rf"\b(?:in|of|during|early|late|mid|last|since|by|until|around|this)\s+({_MONTH})\b(?:,?\s*(\d{{4}}))?"
    rf"|\b({_MONTH}),?\s+(\d{{4}})\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:in|during|since|of)\s+((?:19|20)\d{2})\b", re.IGNORECASE)
_BARE_CLOCK = re.compile(r"\d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\.?)?", re.IGNORECASE)

# Read from another day too, an expression that is relative names another time. So far from today that a weekday, a
# quarter and the hour of the day are others as well: what is still the same then is what the words themselves name.
_ELSEWHEN = int(timedelta(days=465, hours=5, minutes=17).total_seconds()) * 1_000_000
_DAY_LONG = 86_400_000_000
# The longest that one of it is, with a shift of the clocks. A quarter that is named ("Q2") is the latest one.
_YEARLY = {Precision.DAY: 26 * _DAY_LONG // 24, Precision.MONTH: 32 * _DAY_LONG, Precision.QUARTER: 0}
_LEAP_YEAR = 2024  # has every day that some year has


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRange:
    """A half-open range of days the cue names; year None means any year."""

    year: int | None
    month: int | None
    day: int | None

    def days(self, year: int) -> tuple[int, int] | None:
        """Return the range as day numbers since 1970 in the year; None if the calendar has no such day."""
        try:
            start = datetime(year, self.month or 1, self.day or 1, tzinfo=UTC)
            if self.day:
                end = start + timedelta(days=1)
            elif self.month:
                end = datetime(year + self.month // 12, self.month % 12 + 1, 1, tzinfo=UTC)
            else:
                end = datetime(year + 1, 1, 1, tzinfo=UTC)
        except (ValueError, OverflowError):
            return None
        return int(start.timestamp() // 86400), int(end.timestamp() // 86400)

    def spans(self, days: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the range in its year, or in every year that one of the days is in."""
        years = [self.year] if self.year else _years(days)
        return [span for year in years if (span := self.days(year)) is not None]


def _years(days: NDArray[np.int64]) -> list[int]:
    years: NDArray[np.int64] = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64)
    return (np.unique(years) + 1970).tolist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """An interval in microseconds and the words that name it; half open unless it is closed."""

    phrase: str
    start: int
    end: int
    closed: bool = False

    def holds(self, at: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for each instant whether it lies in the window."""
        return (at >= self.start) & ((at <= self.end) if self.closed else (at < self.end))


@dataclass(frozen=True, slots=True, kw_only=True)
class CueTime:
    """What a cue says of time.

    dates: named outright, with or without a year. windows: named outright in other ways. relative: counted from the moment of
    asking; only if nothing is named outright, since beside "on November 6" the words "last week" mean another week.
    unparsed: the rest of what is about time.
    """

    dates: tuple[DateRange, ...] = ()
    phrases: tuple[str, ...] = ()  # of the dates
    windows: tuple[Window, ...] = ()
    relative: tuple[Window, ...] = ()
    unparsed: tuple[str, ...] = ()

    @property
    def intervals(self) -> list[tuple[int, int]]:
        """The intervals it names, in microseconds; a day or month of any year names none."""
        windows = self.relative or self.windows
        spans = [span for date in self.dates if date.year and (span := date.days(date.year))]
        return [(w.start, w.end) for w in windows] + [(start * _DAY_LONG, end * _DAY_LONG) for start, end in spans]

    def told(self) -> Mapping[str, Any] | None:
        """Return what a result says of it; of several windows the time they span."""
        unparsed = {"unparsed": ", ".join(self.unparsed)} if self.unparsed else {}
        windows = self.relative or self.windows
        if windows:
            told = {"start": _bound(min(w.start for w in windows)), "end": _bound(max(w.end for w in windows))}
            return {"phrase": ", ".join(w.phrase for w in windows), **told, "relative": bool(self.relative), **unparsed}
        if self.dates:
            return {"phrase": ", ".join(self.phrases), **_span(self.dates), "relative": False, **unparsed}
        return unparsed or None


def read_time(cue: str, now: int, zone: tzinfo = UTC) -> CueTime:
    """Read what a cue says of time; `now` is what "last week" counts from."""
    named, impossible = _possible(_named(cue))
    reading = parse_range(cue, now, zone)
    elsewhen = parse_range(cue, now + _ELSEWHEN, zone).windows if reading.windows else ()
    others = {window.span: window for window in elsewhen}
    sorts: dict[_Sort, list[DateMention]] = {sort: [] for sort in _Sort}
    for window in reading.windows:
        sorts[_sort(window, others.get(window.span), zone)].append(window)
    if not named:
        named = [(window.phrase, _yearly(window, zone)) for window in sorts[_Sort.YEARLY]]
    fixed = [] if named else sorts[_Sort.FIXED]
    relative = sorts[_Sort.RELATIVE]
    outright = bool(named or fixed)
    return CueTime(
        dates=tuple(dict.fromkeys(date for _, date in named)),
        phrases=tuple(dict.fromkeys(phrase for phrase, _ in named)),
        windows=tuple(_window(window, now) for window in fixed),
        relative=() if outright else tuple(_window(window, now) for window in relative),
        unparsed=(*impossible, *reading.unparsed, *(window.phrase for window in relative if outright)),
    )


class _Sort(Enum):
    FIXED = auto()  # the same time whenever it is said
    YEARLY = auto()  # the same day or month, of another year
    CLOCK = auto()  # a time of day without a day: says nothing
    RELATIVE = auto()


def _sort(window: DateMention, other: DateMention | None, zone: tzinfo) -> _Sort:
    if other is None or (window.start, window.end) == (other.start, other.end):
        return _Sort.FIXED
    if _BARE_CLOCK.fullmatch(window.phrase):
        return _Sort.CLOCK
    here, there = Anchor(window.start, zone).moment, Anchor(other.start, zone).moment
    if window.precision not in _YEARLY or (here.month, here.day) != (there.month, there.day):
        return _Sort.RELATIVE
    is_one = window.end - window.start <= _YEARLY[window.precision]
    return _Sort.YEARLY if is_one else _Sort.FIXED


def _yearly(window: DateMention, zone: tzinfo) -> DateRange:
    moment = Anchor(window.start, zone).moment
    return DateRange(year=None, month=moment.month, day=moment.day if window.precision is Precision.DAY else None)


def _window(date: DateMention, now: int) -> Window:
    # "The past seven days" have this very moment in them.
    return Window(phrase=date.phrase, start=date.start, end=date.end, closed=date.end == now)


def date_ranges(text: str) -> tuple[DateRange, ...]:
    """Return the days, months and years a text names in English; a year only if there is nothing narrower."""
    return tuple(dict.fromkeys(date for _, date in _named(text)))


def _named(text: str) -> list[tuple[str, DateRange]]:
    found = [(m, _range(m[3], m[1], m[2])) for m in _MONTH_DAY.finditer(text)]
    found += [(m, _range(m[3], m[2], m[1])) for m in _DAY_MONTH.finditer(text)]
    taken = [m.span() for m, _ in found]
    for m in _BARE_MONTH.finditer(text):
        if not any(start < m.end() and m.start() < end for start, end in taken):
            found.append((m, _range(m[2] or m[4], m[1] or m[3], None)))
    if not found:
        found = [(m, DateRange(year=int(m[1]), month=None, day=None)) for m in _YEAR.finditer(text)]
    return [(m[0], date) for m, date in found]


def _range(year: str | None, month: str, day: str | None) -> DateRange:
    return DateRange(year=int(year) if year else None, month=_MONTHS[month.lower()], day=int(day) if day else None)


def _possible(named: list[tuple[str, DateRange]]) -> tuple[list[tuple[str, DateRange]], list[str]]:
    """Return the dates that the calendar has, and the words of those it has not."""
    possible = [each for each in named if each[1].days(each[1].year or _LEAP_YEAR) is not None]
    return possible, [phrase for phrase, date in named if (phrase, date) not in possible]


def _span(dates: Sequence[DateRange]) -> dict[str, int | None]:
    """Return the time all dates lie in, open if one of them is of any year."""
    days = [date.days(date.year) if date.year else None for date in dates]
    known = [span for span in days if span is not None]
    if len(known) < len(days):
        return {"start": None, "end": None}
    return {"start": min(start for start, _ in known) * _DAY_LONG, "end": max(end for _, end in known) * _DAY_LONG}


def _bound(at: int) -> int | None:
    return None if at in (EARLIEST, LATEST) else at
