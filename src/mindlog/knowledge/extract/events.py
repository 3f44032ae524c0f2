"""Reads what happened to a thing at a time that is named: "yesterday the sensor failed". Without a time it says too little."""

from __future__ import annotations

from mindlog.knowledge.extract.belongings import is_thing_word, own
from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.times import HAPPENED
from mindlog.knowledge.extract.words import ADVERBS, CUTS, MODALS, NEGATIONS
from mindlog.knowledge.extraction import DateMention, EntityKind, Rejection, Span, ValueType

__all__ = ["read_event"]

_BETWEEN = ADVERBS | MODALS | NEGATIONS | {"has", "had", "have"}
_MOST_WORDS = 3


def read_event(line: Line, at: int) -> None:
    """Add what the verb at a token says if it is one of happening, with a time beside it."""
    if not line.dates or not (happened := _happened(line, at)):
        return
    predicate, end = happened
    before = at
    while line.lower(before - 1) in _BETWEEN:
        before -= 1
    first = _subject_start(line, before)
    if first is None or not _ends(line, end):
        return
    evidence = line.span(first, end)
    date = line.date_of(evidence)
    if date is not None and not _doubted(line, first, before, at):
        _say(line, predicate, first, before, date)


def _say(line: Line, predicate: str, first: int, end: int, date: DateMention) -> None:
    who = _subject(line, first, end)
    last = line.sentence.spans[end]
    if who is not None:
        start = line.sentence.spans[first].start
        evidence = Span(min(start, date.span.start), max(last.end, date.span.end))
        line.say(who, predicate, Thing(date.span, value=date.phrase, value_type=ValueType.DATE), evidence, 0.7)


def _happened(line: Line, at: int) -> tuple[str, int] | None:
    """Return the predicate and the token after its words."""
    word = line.lower(at)
    if f"{word}_{line.lower(at + 1)}" in HAPPENED:
        return f"{word}_{line.lower(at + 1)}", at + 2
    return (word, at + 1) if word in HAPPENED else None


def _subject_start(line: Line, end: int) -> int | None:
    if name := line.by_end.get(end):
        return name.first
    first = end
    while end - first < _MOST_WORDS and is_thing_word(line, first - 1) and line.lower(first - 1) != "the":
        first -= 1
    return first - 1 if first < end and line.lower(first - 1) in ("the", "my", "our") else None


def _subject(line: Line, first: int, end: int) -> str | None:
    if name := line.by_end.get(end):
        return line.mention(name)
    if line.lower(first) == "the":
        return line.scene.draft.mention(line.span(first + 1, end), EntityKind.OTHER, 0.5)
    return own(line, line.scene.speaker, first, first + 1, end)


def _ends(line: Line, at: int) -> bool:
    """Say whether the clause ends at a token, or goes on with a time or a place: "broke my heart" is no event of its own."""
    word = line.lower(at)
    dated = at < len(line.sentence) and any(date.span.start == line.sentence.spans[at].start for date in line.dates)
    return not word or not word[0].isalnum() or word in CUTS or dated


def _doubted(line: Line, first: int, before: int, at: int) -> bool:
    between = {line.lower(index) for index in range(before, at)}
    doubt = line.doubt(first)
    if doubt is None and between & MODALS:
        doubt = Rejection.HYPOTHETICAL
    if doubt is None and between & NEGATIONS:
        doubt = Rejection.NEGATED
    if doubt is not None:
        line.scene.draft.reject(doubt)
    return doubt is not None
