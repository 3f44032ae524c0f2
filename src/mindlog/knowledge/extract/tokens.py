"""Cuts a text into turns, sentences and tokens with their offsets. Knows no meaning; one linear pass each.

A turn is what one speaker says: "Ines: ..." at the start of a line begins one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mindlog.knowledge.extraction import Span
from mindlog.knowledge.wordlist import wordlist

__all__ = ["Sentence", "Turn", "pieces", "sentence_bounds", "sentences", "turns"]

# Clitics stand apart: "I'm" is I + 'm, "Grace's" is Grace + 's, "don't" is do + n't.
_TOKEN = re.compile(
    r"(?:ca|do|does|did|is|are|was|were|have|has|had|wo|would|should|could|need|might|must|ai)(?=n['’]t\b)"
    r"|n['’]t\b|['’](?:s|m|re|ve|ll|d)\b"
    r"|[^\W_]+(?:['’](?!(?:s|m|re|ve|ll|d|t)\b)[^\W_]+|[-&/.](?=[^\W_])[^\W_]+|(?-i:(?<=[A-Z]):(?=[A-Z]))[^\W_]+|[\u0300-\u036f\u0900-\u0903\u093a-\u094f]+[^\W_]*)*"
    r"|\S",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]+[」』”]?|\n+|؟+|।+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|sr|jr|vs|etc|e\.g|i\.e|no|inc|ltd|co|[^\W\d_]|(?:[^\W\d_]\.){1,5}[^\W\d_])\.$",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"^[ \t>]{0,8}(?:\[[^\]\n]{1,40}\][ \t]*)?(?P<name>(?:user|assistant|system|human)(?=[ \t]*[:：])"
    r"|[^\W\d_a-z][^\W\d_]*(?:[ .'’-]{1,2}(?:de |la |van |von |del |da )?[^\W\d_a-z][^\W\d_]*){0,3}?)[ \t]*[:：][ \t]+(?=\S)",
    re.MULTILINE,
)
# Labels that stand before a colon as a speaker would.
_LABELS = wordlist(
    """
note warning error todo update summary title subject date time re fwd ps question answer example tip info debug
warn fatal trace result step status reminder important goal plan from to cc address phone email name url link
version location place price cost total deadline key value input output source usage
context background memory memories recall recalled facts fact history notes relevant known information
"""
)
# Rules look around inside a sentence, so its length bounds what they cost.
_MOST_TOKENS = 200
_ROLES = wordlist("user assistant system human ai bot agent")
_ASKED = frozenset("?？؟")


@dataclass(frozen=True, slots=True)
class Turn:
    """A stretch of the text and the span of the name of who says it, if named."""

    start: int
    end: int
    speaker: Span | None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: parallel lists of its tokens, their lower case and their places in the text."""

    start: int
    end: int
    words: list[str]
    lower: list[str]
    spans: list[Span]
    is_question: bool

    def __len__(self) -> int:
        return len(self.words)


def turns(text: str) -> Iterator[Turn]:
    """Yield the turns in order; together they cover the text."""
    start, speaker = 0, None
    for match in _SPEAKER.finditer(text) if ":" in text or "：" in text else ():
        label = match["name"].lower()
        if label in _LABELS or label.split()[-1] in _LABELS:
            continue
        if match.start() > start:
            yield Turn(start, match.start(), speaker)
        start = match.end()
        speaker = None if label in _ROLES else Span(*match.span("name"))
    if start < len(text):
        yield Turn(start, len(text), speaker)


def sentences(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Yield the sentences of a stretch that have a token."""
    for first, last, is_question in sentence_bounds(text, start, end):
        yield from _sentence(text, first, last, is_question)


def sentence_bounds(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Yield where the sentences of a stretch begin and end, and whether each is a question; together they cover it."""
    begin = start
    for match in _END.finditer(text, start, end):
        if match.group() == "." and _ABBREVIATION.search(text, max(begin, match.start() - 12), match.end()):
            continue
        yield begin, match.end(), not _ASKED.isdisjoint(match.group())
        begin = match.end()
    yield begin, end, False


def pieces(text: str, most: int, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield pieces of at most so many characters that together cover a stretch, cut after a line or a sentence if one ends."""
    end = len(text) if end is None else end
    while end - start > most:
        cut = max(text.rfind(". ", start, start + most) + 1, text.rfind("\n", start, start + most))
        cut = cut if cut > start else start + most
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _sentence(text: str, start: int, end: int, is_question: bool) -> Iterator[Sentence]:
    """Yield what stands between two ends: one sentence, or several if nobody could read it in one breath."""
    found = list(_TOKEN.finditer(text, start, end))
    for first in range(0, len(found), _MOST_TOKENS):
        some = found[first : first + _MOST_TOKENS]
        words = [match.group() for match in some]
        lower = [word.lower().replace("’", "'") for word in words]
        spans = [Span(*match.span()) for match in some]
        yield Sentence(spans[0].start, spans[-1].end, words, lower, spans, is_question)
