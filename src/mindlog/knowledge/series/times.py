"""Finds the times that readings are of, in sentences, list lines and cells, and gives those without a year theirs.

Adds to `knowledge.dates` what stands in tables and lists: bare years and months, 2024-01, Q1/24, H1 2020, seconds. Knows no
amount. A year that is not written is taken from its neighbours, then from the heading, then from when the text was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, timedelta, timezone, tzinfo
from enum import StrEnum
from typing import Final

from mindlog.knowledge.calendar import Anchor, Interval
from mindlog.knowledge.dates import find_dates
from mindlog.knowledge.datewords import MONTHS, WEEKDAYS, is_spaced, pattern_of
from mindlog.knowledge.extraction import DateMention, Precision, Span

__all__ = ["Part", "Period", "Slashes", "When", "dated", "find_whens", "read_when", "slashes_of"]

_MOMENTS = frozenset({Precision.MINUTE, Precision.HOUR})
_MICROS: Final = 1_000_000
_MONTH_NAMES = pattern_of({word: number for word, number in MONTHS.items() if is_spaced(word)})
# Not the planet: French months are written small.
_CAPITAL_MONTHS = pattern_of({word.capitalize(): n for word, n in MONTHS.items() if is_spaced(word) and word != "mars"})


@dataclass(frozen=True, slots=True)
class Period:
    """Half-open, microseconds UTC; a moment has no extent that matters."""

    start: int
    end: int
    is_moment: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A time whose year is not written: from a month on for so many months, or one day of it."""

    month: int
    months: int
    day: int | None = None

    def of_year(self, year: int, anchor: Anchor) -> Period | None:
        """Return it in a year, None if that has no such day."""
        if self.day is not None:
            return _period(anchor.day(year, self.month, self.day))
        return _months(anchor, year, self.month, self.months)


@dataclass(frozen=True, slots=True)
class When:
    """A time as it stands in the text: a period, or a part of a year that is still to be found, or neither (`is_unclear`)."""

    span: Span
    period: Period | None = None
    part: Part | None = None
    year: int | None = None  #: as written
    is_fiscal: bool = False

    @property
    def is_unclear(self) -> bool:
        """Whether nobody can say which time it is."""
        return self.period is None and self.part is None


class Slashes(StrEnum):
    """What comes first in a text's dates with slashes."""

    DAY = "day"
    MONTH = "month"


_Resolve = Callable[[re.Match[str], Anchor, Slashes | None], When | None]

_SLASHED = re.compile(r"(?<![\w/.-])(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4}|\d\d)(?![\w/-])")
_YEAR4 = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_YEAR2 = r"(?:(?P<year>(?:1[5-9]|20|21)\d\d)|['’]?(?P<short>\d\d))"
_NOT_IN = r"(?<![\w/.:-])"
_YEAR_BESIDE = re.compile(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)")
_WEEKDAY_BEFORE = re.compile(rf"(?:{pattern_of(WEEKDAYS)}),?[ ]", re.IGNORECASE)
# How long something took, or when something will be: no reading is of it.
_HENCE = re.compile(r"(?:in|dans|en|dentro\s+de|через)\s", re.IGNORECASE)
_NUMBER_ONLY = re.compile(r"[-+−($€£]{0,2}\d{1,3}(?:[.,]\d+)?\s?[%kMK)]{0,2}")
_QUICK = re.compile(rf"\d{{4}}|[QqHh]\s?[1-4]|\d/\d|\b(?:{_CAPITAL_MONTHS})\b|FY|fiscal|half", re.IGNORECASE)


def find_whens(text: str, anchor: Anchor, slashes: Slashes | None = None) -> list[When]:
    """Return the times of a text in order and without overlap; those that stand in one another count once, as the longer."""
    found = [
        *_own(text, anchor, slashes),
        *(_of_date(date) for date in find_dates(text, anchor.at, anchor.zone) if not _HENCE.match(date.phrase)),
    ]
    kept: list[When] = []
    for when in sorted(found, key=lambda when: (when.span.start, -when.span.end)):
        if not kept or when.span.start >= kept[-1].span.end:
            if kept and when.year is not None and _WEEKDAY_BEFORE.fullmatch(text, kept[-1].span.start, when.span.start):
                when = replace(when, span=Span(kept.pop().span.start, when.span.end))
            kept.append(when)
    return kept


def read_when(cell: str, anchor: Anchor, slashes: Slashes | None = None) -> When | None:
    """Return the time that a cell is, None if it is none."""
    said = cell.strip().strip("*_`~").rstrip(":*†‡").strip()
    if not 1 <= len(said) <= 40 or _NUMBER_ONLY.fullmatch(said):
        return None
    if year := _YEAR_BESIDE.fullmatch(said):
        return _year_of(Span(0, len(said)), int(year[0]), anchor)
    if said.isupper():
        said = said.title() if said[0] != "Q" and not said.startswith(("FY", "H")) else said
    whole = Span(0, len(said))
    own = next((when for when in _own(said, anchor, slashes) if when.span == whole), None)
    return own or next((when for when in find_whens(said, anchor, slashes) if when.span == whole), None)


def slashes_of(text: str) -> Slashes | None:
    """Return which order the text's dates with slashes have, None if they do not show it or disagree."""
    days = months = False
    for match in _SLASHED.finditer(text) if "/" in text else ():
        days |= int(match["first"]) > 12
        months |= int(match["second"]) > 12
    return None if days == months else Slashes.DAY if days else Slashes.MONTH


def dated(whens: Sequence[When], anchor: Anchor, hint: int | None = None) -> list[Period | None]:
    """Return the period of each of some times that stand together, in their order; None for those nobody can date.

    A part of a year takes the year its neighbours imply, else the hinted one, else the latest that has begun for all of
    a run that goes through the year in order, else for itself.
    """
    if all(when.part is None for when in whens):
        return [when.period for when in whens]
    if any(when.year is not None and when.period for when in whens):
        return _beside(whens, anchor)
    parts = [when.part for when in whens if when.part]
    year = hint if hint is not None else _year_of_run(parts, anchor)
    return [when.period if when.part is None else _in_year(when.part, year, anchor) for when in whens]


def _beside(whens: Sequence[When], anchor: Anchor) -> list[Period | None]:
    """Date parts by the years written beside them: those before the first lead up to it, those after follow on."""
    first = next(i for i, when in enumerate(whens) if when.year is not None and when.period)
    found: list[Period | None] = [when.period for when in whens]
    limit = found[first]
    for i in range(first - 1, -1, -1):
        if (part := whens[i].part) and limit:
            found[i] = limit = _latest(part, limit, anchor) or limit
    last, year = found[first], whens[first].year
    for i in range(first + 1, len(whens)):
        if (part := whens[i].part) and last and year is not None:
            found[i] = _next(part, last, year, anchor)
        last, year = found[i] or last, whens[i].year or year
    return found


def _latest(part: Part, limit: Period, anchor: Anchor) -> Period | None:
    year = _year_at(limit.start, anchor)
    return next((p for y in (year, year - 1) if (p := part.of_year(y, anchor)) and p.start <= limit.start), None)


def _next(part: Part, last: Period, year: int, anchor: Anchor) -> Period | None:
    """Return the part of the year written before it; of the next one if only that comes after and has begun."""
    year = max(year, _year_at(last.start, anchor))
    same, later = part.of_year(year, anchor), part.of_year(year + 1, anchor)
    if same and same.start < last.start and later and later.start <= anchor.at:
        return later
    return same


def _year_of_run(parts: Sequence[Part], anchor: Anchor) -> int | None:
    """Return the one year of parts that go through it up or down, None if they do not or there is but one."""
    keys = [(part.month, part.day or 0) for part in parts]
    if len(keys) < 2 or keys not in (sorted(keys), sorted(keys, reverse=True)):
        return None
    last = max(parts, key=lambda part: (part.month, part.day or 0))
    begun = _begun(last, anchor)
    return _year_at(begun.start, anchor) if begun else None


def _in_year(part: Part, year: int | None, anchor: Anchor) -> Period | None:
    return _begun(part, anchor) if year is None else part.of_year(year, anchor)


def _begun(part: Part, anchor: Anchor) -> Period | None:
    years = range(anchor.today.year, anchor.today.year - 5, -1)
    return next((p for year in years if (p := part.of_year(year, anchor)) and p.start <= anchor.at), None)


def _year_at(instant: int, anchor: Anchor) -> int:
    return Anchor(instant, anchor.zone).today.year


_ALONE = re.compile(
    rf"(?:Q(?P<quarter>[1-4])|(?P<month>{_MONTH_NAMES})\.?(?:\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?)?"
    rf"|(?P<day2>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(?P<month2>{_MONTH_NAMES}))",
    re.IGNORECASE,
)


def _of_date(date: DateMention) -> When:
    phrase = date.phrase
    if date.precision in (Precision.QUARTER, Precision.MONTH, Precision.DAY) and (match := _ALONE.fullmatch(phrase)):
        return When(date.span, part=_part(match))
    written = _YEAR_BESIDE.search(phrase)
    return When(
        date.span,
        Period(date.start, date.end, date.precision in _MOMENTS),
        year=int(written[0]) if written else None,
    )


def _part(match: re.Match[str]) -> Part:
    if match["quarter"]:
        return Part(3 * int(match["quarter"]) - 2, 3)
    day = match["day"] or match["day2"]
    month = MONTHS[(match["month"] or match["month2"]).lower()]
    return Part(month, 1, int(day) if day else None)


def _own(text: str, anchor: Anchor, slashes: Slashes | None) -> Iterator[When]:
    if _QUICK.search(text):
        for shape, resolve in _RULES:
            for match in shape.finditer(text):
                if (when := resolve(match, anchor, slashes)) is not None:
                    yield when


def _period(interval: Interval | None, *, is_moment: bool = False) -> Period | None:
    return Period(interval.start, interval.end, is_moment) if interval else None


def _months(anchor: Anchor, year: int, month: int, count: int) -> Period | None:
    first = anchor.months(year, month, Precision.MONTH)
    last = anchor.months(year, month + count - 1, Precision.MONTH)
    return Period(first.start, last.end) if first and last else None


def _year_of(span: Span, year: int, anchor: Anchor) -> When:
    return When(span, _months(anchor, year, 1, 12), year=year)


def _said_year(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    if groups.get("year"):
        return int(groups["year"])
    return 2000 + int(groups["short"]) if groups.get("short") else None


def _in_said_year(match: re.Match[str], part: Part, anchor: Anchor) -> When:
    span, year = Span(*match.span()), _said_year(match)
    if year is None:
        return When(span, part=part)
    return When(span, part.of_year(year, anchor), year=year)


def _instant(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When:
    zone = _zone(match["offset"]) if match["offset"] else anchor.zone
    there = Anchor(anchor.at, zone)
    day = there.day(int(match["year"]), int(match["month"]), int(match["day"]))
    clock = there.clock(day, int(match["hour"]), int(match["minute"])) if day and int(match["hour"]) < 24 else None
    if clock is None:
        return When(Span(*match.span()))
    fraction = int((match["fraction"] or "").ljust(6, "0")[:6])
    at = clock.start + int(match["second"]) * _MICROS + fraction
    return When(Span(*match.span()), Period(at, at + 1, True), year=int(match["year"]))


def _zone(offset: str) -> tzinfo:
    if offset == "Z":
        return UTC
    shift = timedelta(hours=int(offset[1:3]) % 24, minutes=int(offset[-2:]) % 60)
    return timezone(-shift if offset[0] == "-" else shift)


def _year_month(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When:
    return _in_said_year(match, Part(int(match["month"]), 1), anchor)


def _slashed(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When:
    first, second = int(match["first"]), int(match["second"])
    year = int(match["year"]) + (2000 if len(match["year"]) == 2 else 0)
    if first == second or max(first, second) > 12:
        slashes = Slashes.DAY if first > 12 else Slashes.MONTH
    if slashes is None:
        return When(Span(*match.span()))
    day, month = (first, second) if slashes == Slashes.DAY else (second, first)
    return When(Span(*match.span()), _period(anchor.day(year, month, day)), year=year)


def _quarter(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When:
    return _in_said_year(match, Part(3 * int(match["quarter"]) - 2, 3), anchor)


def _spelt_quarter(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When:
    number = {"fi": 1, "1s": 1, "se": 2, "2n": 2, "th": 3, "3r": 3, "fo": 4, "4t": 4}[match["ordinal"].lower()[:2]]
    return _in_said_year(match, Part(3 * number - 2, 3), anchor)


def _half(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When:
    is_first = match["half"].lower() in ("1", "first", "1st")
    return _in_said_year(match, Part(1 if is_first else 7, 6), anchor)


def _named_month(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When:
    day = match.groupdict().get("day")
    return _in_said_year(match, Part(MONTHS[match["month"].lower()], 1, int(day) if day else None), anchor)


def _bare_year(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When:
    return _year_of(Span(*match.span("year")), int(match["year"]), anchor)


def _fiscal(match: re.Match[str], anchor: Anchor, slashes: Slashes | None) -> When | None:
    if match["first"] and (int(match["first"]) + 1) % 100 != int(match["second"]):
        return None
    return When(Span(*match.span()), is_fiscal=True)


_RULES: Final[tuple[tuple[re.Pattern[str], _Resolve], ...]] = (
    (re.compile(r"(?<![\w./-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)[T ](?P<hour>\d\d):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)(?:[.,](?P<fraction>\d{1,9}))?\s?(?P<offset>Z|[+-]\d\d:?\d\d)?(?!\w)"), _instant),
    (re.compile(rf"{_NOT_IN}{_YEAR4}[-/](?P<month>0[1-9]|1[0-2])(?![\w/-]|[.,:]\d)"), _year_month),
    (re.compile(rf"{_NOT_IN}(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:19|20)\d\d)(?![\w/-])"), _year_month),
    (_SLASHED, _slashed),
    (re.compile(rf"{_NOT_IN}[Qq](?P<quarter>[1-4])(?:\s*[/-]?\s*{_YEAR2}(?![\w/%]|[.,:]\d))?(?!\w)"), _quarter),
    (re.compile(rf"{_NOT_IN}{_YEAR4}[\s/-]?[Qq](?P<quarter>[1-4])(?!\w)"), _quarter),
    (re.compile(rf"{_NOT_IN}(?P<quarter>[1-4])Q\s?{_YEAR2}(?!\w)"), _quarter),
    (re.compile(rf"(?<!\w)(?P<ordinal>first|second|third|fourth|1st|2nd|3rd|4th)[\s-]quarter(?:\s+(?:of\s+)?{_YEAR4})?(?!\w)", re.IGNORECASE), _spelt_quarter),
    (re.compile(rf"{_NOT_IN}H(?P<half>[12])(?:\s*[/-]?\s*{_YEAR2}(?![\w/%]|[.,:]\d))?(?!\w)"), _half),
    (re.compile(rf"(?<!\w)(?P<half>first|second|1st|2nd)\s+half\s+of\s+{_YEAR4}(?!\w)", re.IGNORECASE), _half),
    (re.compile(rf"{_NOT_IN}(?P<month>{_CAPITAL_MONTHS})(?:\.?\s?['’]|[-/])(?P<short>\d\d)(?![\w/-])"), _named_month),
    (re.compile(rf"{_NOT_IN}(?P<month>{_CAPITAL_MONTHS})[-/]{_YEAR4}(?![\w/-])"), _named_month),
    (re.compile(rf"{_NOT_IN}(?P<day>\d{{1,2}})[- ](?P<month>{_CAPITAL_MONTHS})[- ]{_YEAR2}(?![\w/-]|[.,]\d)"), _named_month),
    (re.compile(rf"{_NOT_IN}(?P<month>{_CAPITAL_MONTHS})(?![\w/-])(?:\.(?=[\s:)]))?"), _named_month),
    (re.compile(r"(?<!\w)(?:FY\s?['’]?\d{2,4}|fiscal(?:\s+year)?\s+(?:19|20)\d\d|(?:19|20)(?P<first>\d\d)[/-](?P<second>\d\d))(?![\w/-])", re.IGNORECASE), _fiscal),
    # A bare year stands in brackets, in a row with other years, or at the start of a line or an item.
    (re.compile(rf"(?<=\(){_YEAR4}(?=\))"), _bare_year),
    (re.compile(rf"(?<!\w)(?:lag|lagen|betrug|betrugen|waren|und)\s{_YEAR4}(?=\s)"), _bare_year),
    (re.compile(rf"(?<!\w){_YEAR4}(?=\s(?:bei|auf|lag|betrug|waren)\s)"), _bare_year),
    (re.compile(rf"(?<=(?:19|20)\d\d, ){_YEAR4}(?!\w|[.,:]\d)"), _bare_year),
    (re.compile(rf"(?:^|(?<=[\n;,•*|-])|(?<=[;,:•*|-] )){_YEAR4}(?=\s?[:=–—→]|\s?-\s|\)|\s+[$€£]?[-−]?\d)", re.MULTILINE), _bare_year),
)  # fmt: skip
