"""What a cue says, read by rules: its terms, the dates it names, its person, what each of its tokens weighs.

Knows no memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from mindlog.index.analyzer import FUNCTION_TERMS, analyze, analyze_query

__all__ = ["Cue", "DateRange", "date_ranges", "read_cue", "token_weights", "words"]

_FIRST_PERSON = frozenset({"i", "my", "me", "we", "our", "mine", "myself"})
_WORD = re.compile(r"[^\W_]+")
_FUNCTION = frozenset(FUNCTION_TERMS)
# A cue token that belongs to a function word still says a little ("did", "with"); punctuation says nothing.
_FUNCTION_WEIGHT = 0.5
_NOTHING = 1e-6

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A cue as recall reads it."""

    text: str
    terms: tuple[str, ...]
    words: frozenset[str]
    first_person: bool
    dates: tuple[DateRange, ...]


def read_cue(text: str) -> Cue:
    """Read a cue."""
    found = words(text)
    return Cue(
        text=text,
        terms=tuple(analyze_query(text)),
        words=found,
        first_person=not found.isdisjoint(_FIRST_PERSON),
        dates=date_ranges(text),
    )


def words(text: str) -> frozenset[str]:
    """Return the text's words, case folded."""
    return frozenset(_WORD.findall(text.casefold()))


def date_ranges(text: str) -> tuple[DateRange, ...]:
    """Return the days, months and years a text names in English; a year only if there is nothing narrower."""
    found = [(m.span(), _range(m[3], m[1], m[2])) for m in _MONTH_DAY.finditer(text)]
    found += [(m.span(), _range(m[3], m[2], m[1])) for m in _DAY_MONTH.finditer(text)]
    taken = [span for span, _ in found]
    for m in _BARE_MONTH.finditer(text):
        if not any(start < m.end() and m.start() < end for start, end in taken):
            found.append((m.span(), _range(m[2] or m[4], m[1] or m[3], None)))
    if not found:
        found = [(m.span(), DateRange(year=int(m[1]), month=None, day=None)) for m in _YEAR.finditer(text)]
    return tuple(dict.fromkeys(item for _, item in found))


def _range(year: str | None, month: str, day: str | None) -> DateRange:
    return DateRange(year=int(year) if year else None, month=_MONTHS[month.lower()], day=int(day) if day else None)


def token_weights(text: str, spans: NDArray[np.int32], idf: Callable[[str], float]) -> NDArray[np.float32]:
    """Return what each token of the cue weighs in late interaction: the idf of the word it belongs to.

    spans: (tokens, 2) character ranges. A function word weighs half a unit, punctuation nearly nothing.
    """
    return np.array([_weight(text, start, end, idf) for start, end in spans.tolist()], np.float32)


def _weight(text: str, start: int, end: int, idf: Callable[[str], float]) -> float:
    if not any(map(str.isalnum, text[start:end])):
        return _NOTHING
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    terms = [term for term in analyze(text[start:end]) if term not in _FUNCTION]
    return idf(terms[0]) if terms else _FUNCTION_WEIGHT
