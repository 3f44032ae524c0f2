"""Checks the citations `[n]` of an answer against the sources it was made from. What cannot be checked is taken out and recorded.

The rule is about words, not about meaning, and errs towards taking out: a citation stands if its source holds a fair share of the
sentence's words, and if the sources that a sentence cites hold every name and number in it. It cannot tell "Anna hired Bob" from
"Bob hired Anna". Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import regex

from mindlog.index.analyzer import FUNCTION_TERMS, analyze
from mindlog.knowledge.dates import find_dates
from mindlog.knowledge.extract.tokens import sentence_bounds
from mindlog.query.context import sentences_of
from mindlog.query.followup import names_in
from mindlog.views import Citation

if TYPE_CHECKING:
    from mindlog.query.context import Source

__all__ = ["MARK", "Checked", "check", "citation_of"]

MARK: Final = regex.compile(r"\s*\[\s?(\d{1,4}(?:\s?[,;]\s?\d{1,4})*)\s?\]")
"""A citation with the blank before it: `[3]`, `[3, 4]`."""

_SHARE = 0.3  # of a sentence's words that a source must hold
_QUOTES = 2  # sentences of a memory that a quote joins at most, if they stand side by side
_LONGEST_QUOTE = 1_000  # characters
_FUNCTION: Final = frozenset(FUNCTION_TERMS)
_NUMBER = regex.compile(r"\d+(?:[.,:]\d+)*")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]  # not the locale's
_WORDS_OF_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
# A word at the beginning that does something is the subject: a name that no list knows, or a thing that the source must speak of.
_SUBJECT = regex.compile(
    r"^(\p{Lu}[\p{L}\p{M}\-]+(?<!ly))(?:['’]s?)?\s+(?:is|was|are|were|has|had|have|will|can|would|said|\p{Ll}+(?:s|ed))\b"
)
_ORDINAL = regex.compile(r"(\d+)(?:st|nd|rd|th)\b", regex.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An answer with the citations that stand. removed: what was taken out: n, the sentence, and why."""

    text: str
    citations: tuple[Citation, ...]
    removed: tuple[dict[str, Any], ...]
    uncited: int  # sentences without a citation that stands


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of an answer with the numbers it cites, and the places of the marks in the answer."""

    start: int
    end: int
    words: str
    marks: tuple[regex.Match[str], ...]

    @property
    def cited(self) -> list[int]:
        return list(dict.fromkeys(int(n) for mark in self.marks for n in regex.findall(r"\d+", mark[1])))


def check(answer: str, sources: Sequence[Source]) -> Checked:
    """Return the answer with the citations that can be checked."""
    known = {source.n: _Ground(source) for source in sources}
    citations: dict[int, Citation] = {}
    removed: list[dict[str, Any]] = []
    parts: list[str] = []
    at = uncited = 0
    for sentence in _sentences(answer):
        reasons = _reasons(sentence, known)
        removed += [{"n": n, "sentence": sentence.words, "reason": why} for n, why in reasons.items()]
        standing = [n for n in sentence.cited if n not in reasons]
        uncited += not standing and any(map(str.isalnum, sentence.words))
        for n in standing:
            citations.setdefault(n, citation_of(known[n].source, *known[n].quote(sentence.words)))
        for mark in sentence.marks:
            parts += [answer[at : mark.start()], _kept(mark, standing)]
            at = mark.end()
    parts.append(answer[at:])
    order = sorted(citations)
    return Checked(
        text="".join(parts).strip(),
        citations=tuple(citations[n] for n in order),
        removed=tuple(removed),
        uncited=uncited,
    )


def citation_of(source: Source, start: int, end: int) -> Citation:
    """Return the citation of a stretch of the source's memory."""
    memory = source.memory
    return Citation(
        n=source.n,
        memory_id=str(memory.id),
        quote=memory.text[start:end],
        statement_id=source.statement_id,
        agent=memory.agent,
        session=memory.session,
        document_id=memory.document_id,
        occurred_at=memory.occurred_at,
        source=source.url,
        trust=source.trust,
        flags=source.flags,
    )


def _kept(mark: regex.Match[str], standing: Sequence[int]) -> str:
    """Return the mark with the numbers that stand, nothing if none does."""
    kept = [n for n in regex.findall(r"\d+", mark[1]) if int(n) in standing]
    blank = mark[0][: len(mark[0]) - len(mark[0].lstrip())]
    return blank + "".join(f"[{int(n)}]" for n in kept) if kept else ""


def _sentences(answer: str) -> Iterator[_Sentence]:
    """Yield the sentences; a mark that stands after the full stop belongs to the sentence before it."""
    bounds: list[list[int]] = []
    for start, end, _ in sentence_bounds(answer, 0, len(answer)):
        begin = start
        while bounds and (mark := MARK.match(answer, begin, end)) is not None:
            begin = bounds[-1][1] = mark.end()
        if begin < end:
            bounds.append([begin, end])
    for start, end in bounds:
        marks = tuple(MARK.finditer(answer, start, end))
        words = " ".join(MARK.sub("", answer[start:end]).split())
        yield _Sentence(start, end, words, marks)


def _reasons(sentence: _Sentence, known: dict[int, _Ground]) -> dict[int, str]:
    """Return why each citation of the sentence that does not stand does not."""
    reasons = {n: "there is no source of this number" for n in sentence.cited if n not in known}
    terms = _content(sentence.words)
    if not terms:
        return reasons | {n: "the sentence says nothing" for n in sentence.cited if n in known}
    grounds = {n: known[n] for n in sentence.cited if n in known}
    for n, ground in grounds.items():
        met = terms & ground.terms
        if not met or len(met) < _SHARE * len(terms):
            reasons[n] = "the source does not say it"
    standing = [ground for n, ground in grounds.items() if n not in reasons]
    if standing and (missing := _missing(sentence.words, standing)):
        why = f"no cited source holds {', '.join(missing)}"
        reasons |= {n: why for n in grounds if n not in reasons}
    return reasons


def _missing(words: str, grounds: Sequence[_Ground]) -> list[str]:
    """Return the names and numbers of a sentence that none of the sources holds."""
    terms = frozenset[str]().union(*(ground.terms for ground in grounds))
    numbers = frozenset[str]().union(*(ground.numbers for ground in grounds))
    said = dict.fromkeys([*names_in(words), *_SUBJECT.findall(words)])
    names = [name for name in said if not _content(name) <= terms]
    return names + [number for number in sorted(_numbers(words)) if number not in numbers]


def _content(text: str) -> frozenset[str]:
    return frozenset(analyze(text)) - _FUNCTION


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text, written alike: without signs between thousands, ordinals and words as digits."""
    plain = _ORDINAL.sub(r"\1", text)
    found = {_alike(match.group()) for match in _NUMBER.finditer(plain)}
    return frozenset(found | {_WORDS_OF_NUMBERS[word] for word in _small(text) if word not in ("one", "zero")})


def _small(text: str) -> set[str]:
    return _WORDS_OF_NUMBERS.keys() & set(regex.findall(r"[a-z]+", text.lower()))


def _alike(number: str) -> str:
    grouped = regex.sub(r"(?<=\d)[,.](?=\d{3}(?!\d))", "", number)
    return grouped.replace(",", ".").lstrip("0") or "0"


class _Ground:
    """What a source holds: its words, who said it and when, and the days its words mean."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def words(self) -> str:
        """Everything of it that a sentence may rest on."""
        source, memory = self.source, self.source.memory
        known = (source.text, source.quote, memory.agent or "", source.place or "", source.area or "")
        return "\n".join((*known, *self._days))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its terms."""
        return frozenset(analyze(self.words))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its numbers; "a" counts as one, so "one" in words is never asked for."""
        km = () if self.source.km is None else (f"{self.source.km:.0f}", f"{self.source.km:.1f}")
        one = {_WORDS_OF_NUMBERS[word] for word in _small(self.words)}
        return _numbers(self.words) | frozenset(one) | frozenset(km)

    @property
    def _days(self) -> Iterator[str]:
        """Yield the days that it was said on, that its words mean and that it holds from and to, each written out."""
        source = self.source
        dates = find_dates(source.text[:2000] + "\n" + source.quote[:2000], source.memory.occurred_at)
        instants = [source.memory.occurred_at, *source.valid]
        for date in dates:
            # An end is the moment after the last day of it.
            instants += [date.start, date.end - 1]
        for at in dict.fromkeys(each for each in instants if each is not None):
            yield _written_out(at)

    def quote(self, words: str) -> tuple[int, int]:
        """Return the place of the sentences of the memory that hold most of a sentence's words."""
        source = self.source
        if source.statement is not None:
            return source.start, min(source.end, source.start + _LONGEST_QUOTE)
        spans = list(sentences_of(source.memory.text, source.start, source.end))
        if not spans:
            return source.start, min(source.end, source.start + _LONGEST_QUOTE)
        wanted = _content(words)
        met = [wanted & frozenset(analyze(source.memory.text[start:end])) for start, end in spans]
        best = max(range(len(spans)), key=lambda at: len(met[at]))
        first = last = best
        for side in (best + 1, best - 1):
            if 0 <= side < len(spans) and last - first + 1 < _QUOTES and met[side] - met[best]:
                first, last = min(first, side), max(last, side)
        return spans[first][0], spans[last][1]


def _written_out(at: int) -> str:
    try:
        day = datetime.fromtimestamp(at / 1_000_000, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    month = _MONTHS[day.month - 1]
    return f"{day.year} {month} {month[:3]} {day.month} {day.day}"
