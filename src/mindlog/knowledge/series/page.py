"""A text while its series are read: its amounts, times, decimal mark and captions, found once for tables, lists and prose.

Owns what has been read already: tables and lists are blanked for those who read what is left.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, tzinfo
from functools import cached_property

from mindlog.knowledge.calendar import Anchor
from mindlog.knowledge.extract.tokens import Turn, turns
from mindlog.knowledge.extraction import SPEAKER, Span
from mindlog.knowledge.series.amounts import Amount, RawAmount, find_raw, marks_in
from mindlog.knowledge.series.collect import Reading
from mindlog.knowledge.series.labels import Label
from mindlog.knowledge.series.times import Period, When, find_whens, slashes_of

__all__ = ["Page", "only_year"]

_YEAR = re.compile(r"(?<![\w.,/-])(?:19|20)\d\d(?![\w/-]|[.,]\d)")
# A line goes on in the next one if that begins small, or with the amount the line leads up to.
_WRAP = re.compile(
    r"(?<=[^\n.:;!?|])\n(?=[ \t]{0,8}(?:[a-zà-ÿ(]|[$€£]?\d+[.,\d]*[%\w]*[ ,.](?!\d)))(?![ \t]*\d+[.)][ \t])"
)


class Page:
    """A text, when it was written, and what its surroundings call it."""

    def __init__(self, text: str, occurred_at: int, title: str | None, heading: str | None, zone: tzinfo = UTC) -> None:
        self.text = text
        self.prose = text
        self.title, self.heading = title, heading
        self.anchor = Anchor(occurred_at, zone)
        self.slashes = slashes_of(text)
        self.whens = find_whens(text, self.anchor, self.slashes)
        self._when_starts = [when.span.start for when in self.whens]
        self.raws = list(find_raw(_blanked(text, (when.span for when in self.whens))))
        self._raw_starts = [raw.span.start for raw in self.raws]
        self.marks = marks_in(self.raws, text)
        self.year = only_year(heading) or only_year(title)

    def take(self, spans: Iterable[Span]) -> None:
        """Blank what has been read, so that nobody reads it twice, and join lines that are one sentence."""
        spans = sorted(spans)
        starts = [span.start for span in spans]
        self.whens = [when for when in self.whens if not _within(when.span, spans, starts)]
        self.raws = [raw for raw in self.raws if not _within(raw.span, spans, starts)]
        self._when_starts = [when.span.start for when in self.whens]
        self._raw_starts = [raw.span.start for raw in self.raws]
        self.prose = _WRAP.sub(" ", _broken(self.prose, spans))

    def whens_in(self, start: int, end: int) -> list[When]:
        """Return the times of a stretch."""
        return self.whens[bisect_left(self._when_starts, start) : bisect_left(self._when_starts, end)]

    def raws_in(self, start: int, end: int) -> list[RawAmount]:
        """Return the amounts of a stretch."""
        return self.raws[bisect_left(self._raw_starts, start) : bisect_left(self._raw_starts, end)]

    def said_by(self, label: Label, at: int) -> Label:
        """Return the label with the name of whoever says "my", where the text names who speaks."""
        if label.entity != SPEAKER:
            return label
        i = bisect_right(self._turns, at, key=lambda turn: turn.start) - 1
        speaker = self._turns[i].speaker if i >= 0 else None
        return Label(label.name, speaker.of(self.text)) if speaker else label

    @cached_property
    def is_dialogue(self) -> bool:
        """Whether lines begin with the names of two or more who speak, or look so."""
        return len({turn.speaker.of(self.text) for turn in self._turns if turn.speaker}) > 1

    @cached_property
    def _turns(self) -> list[Turn]:
        return list(turns(self.text))

    def reading(self, label: Label, period: Period, amount: Amount, when: When) -> Reading:
        """Return the reading of an amount and its time."""
        return Reading(
            label=self.said_by(label, amount.span.start),
            period=period,
            value=amount.value,
            unit=amount.unit,
            written=self.text[amount.span.start : amount.span.end].strip(),
            start=min(amount.span.start, when.span.start),
            end=max(amount.span.end, when.span.end),
        )


def _within(span: Span, spans: Sequence[Span], starts: Sequence[int]) -> bool:
    at = bisect_right(starts, span.start) - 1
    return at >= 0 and span.start < spans[at].end


def only_year(words: str | None) -> int | None:
    """Return the one year that words name, None if they name none or several."""
    years = set(_YEAR.findall(words or ""))
    return int(years.pop()) if len(years) == 1 else None


def _blanked(text: str, spans: Iterable[Span]) -> str:
    """Return the text with a mark no number can touch in place of each stretch."""
    pieces, at = list[str](), 0
    for span in spans:
        pieces += [text[at : span.start], "\x1f" * (span.end - span.start)]
        at = span.end
    return "".join([*pieces, text[at:]])


def _broken(text: str, spans: Iterable[Span]) -> str:
    pieces, at = list[str](), 0
    for span in sorted(spans):
        pieces += [text[at : span.start], "\n" * (span.end - span.start)]
        at = span.end
    return "".join([*pieces, text[at:]])
