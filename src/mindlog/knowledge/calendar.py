"""Civil time: from an instant and a zone to days, weeks, months and years as half-open intervals of microseconds.

Knows no words. A date outside years 1 to 9999 is None everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from mindlog.knowledge.extraction import Precision

__all__ = ["EARLIEST", "LATEST", "Anchor", "Interval"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
EARLIEST: Final = -62_135_596_800_000_000
LATEST: Final = 253_402_300_799_999_999
"""The first and the last instant that RFC 3339 can write."""

_MONTHS = {Precision.MONTH: 1, Precision.SEASON: 3, Precision.QUARTER: 3, Precision.YEAR: 12, Precision.DECADE: 120}
_CLOCK = {Precision.HOUR: timedelta(hours=1), Precision.MINUTE: timedelta(minutes=1)}


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open interval in microseconds UTC and the unit it is named in."""

    start: int
    end: int
    precision: Precision


@dataclass(frozen=True, slots=True)
class Anchor:
    """The moment a text was written, in the zone its words are meant in."""

    at: int
    zone: tzinfo = UTC

    @property
    def moment(self) -> datetime:
        """The anchor as a time in its zone."""
        try:
            return (_EPOCH + self.at * _MICRO).astimezone(self.zone)
        except OverflowError:
            return _EPOCH + max(min(self.at, LATEST), EARLIEST) * _MICRO

    @property
    def today(self) -> date:
        """The anchor's day."""
        return self.moment.date()

    def day(self, year: int, month: int, number: int) -> Interval | None:
        """Return the day, None if the calendar has no such one."""
        try:
            return self._days(date(year, month, number), 1, Precision.DAY)
        except ValueError:
            return None

    def day_after(self, days: int) -> Interval | None:
        """Return the day so many days after the anchor's (before it, if negative)."""
        return self.span_of_days(days, 1, Precision.DAY)

    def span_of_days(self, offset: int, count: int, precision: Precision) -> Interval | None:
        """Return `count` days from the day `offset` days after the anchor's."""
        try:
            return self._days(self.today + timedelta(days=offset), count, precision)
        except OverflowError:
            return None

    def week(self, offset: int) -> Interval | None:
        """Return a week from Monday, `offset` weeks after the anchor's."""
        return self.span_of_days(7 * offset - self.today.weekday(), 7, Precision.WEEK)

    def months(self, year: int, month: int, precision: Precision) -> Interval | None:
        """Return the months the unit has, from the month; `month` may be outside 1 to 12 and carries over."""
        start, end = _month(year, month), _month(year, month + _MONTHS[precision])
        return self._between(start, end, precision) if start and end else None

    def period(self, precision: Precision, offset: int) -> Interval | None:
        """Return the calendar unit (month to decade) that is `offset` units after the anchor's own."""
        size = _MONTHS[precision]
        today = self.today
        first = (today.month - 1) // size * size if size <= 12 else 0
        year = today.year // 10 * 10 if precision is Precision.DECADE else today.year
        return self.months(year, first + 1 + size * offset, precision)

    def unit(self, precision: Precision, offset: int) -> Interval | None:
        """Return the whole unit, of any size, that is `offset` units after the anchor."""
        if precision in _CLOCK:
            return self._clock(self.moment, offset * _CLOCK[precision], precision)
        if precision is Precision.DAY:
            return self.day_after(offset)
        return self.week(offset) if precision is Precision.WEEK else self.period(precision, offset)

    def stretch(self, precision: Precision, count: int) -> Interval | None:
        """Return the last `count` units up to the anchor, the next ones if negative."""
        try:
            other = self._shifted(precision, -count)
        except (OverflowError, ValueError):
            return None
        return Interval(min(other, self.at), max(other, self.at), precision)

    def clock(self, day: Interval, hour: int, minute: int | None) -> Interval | None:
        """Return the hour, or the minute, of a day."""
        precision = Precision.HOUR if minute is None else Precision.MINUTE
        base = (_EPOCH + day.start * _MICRO).astimezone(self.zone)
        try:
            return self._clock(base.replace(hour=hour, minute=minute or 0), timedelta(0), precision)
        except ValueError:
            return None

    def _clock(self, moment: datetime, shift: timedelta, precision: Precision) -> Interval | None:
        whole = moment.replace(second=0, microsecond=0)
        try:
            start = _micros((whole.replace(minute=0) if precision is Precision.HOUR else whole) + shift)
        except OverflowError:
            return None
        return Interval(start, start + _CLOCK[precision] // _MICRO, precision)

    def _shifted(self, precision: Precision, count: int) -> int:
        if precision in _CLOCK:
            return self.at + count * (_CLOCK[precision] // _MICRO)
        moment = self.moment
        if precision in _MONTHS:
            whole = _month(moment.year, moment.month + count * _MONTHS[precision])
            if whole is None:
                raise OverflowError
            last = ((whole.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)).day
            return _micros(moment.replace(year=whole.year, month=whole.month, day=min(moment.day, last)))
        return _micros(moment + timedelta(days=count * (7 if precision is Precision.WEEK else 1)))

    def _days(self, first: date, count: int, precision: Precision) -> Interval | None:
        try:
            return self._between(first, first + timedelta(days=count), precision)
        except OverflowError:
            return None

    def _between(self, first: date, end: date, precision: Precision) -> Interval | None:
        try:
            return Interval(self._midnight(first), self._midnight(end), precision)
        except (OverflowError, ValueError):
            return None

    def _midnight(self, day: date) -> int:
        return _micros(datetime(day.year, day.month, day.day, tzinfo=self.zone))


def _month(year: int, month: int) -> date | None:
    year, index = year + (month - 1) // 12, (month - 1) % 12
    return date(year, index + 1, 1) if 1 <= year <= 9999 else None


def _micros(moment: datetime) -> int:
    return (moment.astimezone(UTC) - _EPOCH) // _MICRO
