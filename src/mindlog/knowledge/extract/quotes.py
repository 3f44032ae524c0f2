"""Finds what a text only repeats: stretches that stand, word for word, in memories there are already.

A prompt that holds recalled memories must not become new knowledge of them. Knows no store: the caller brings the texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mindlog.knowledge.extract.tokens import sentence_bounds
from mindlog.knowledge.extraction import Span

__all__ = ["SHORTEST_QUOTE", "quoted_spans"]

SHORTEST_QUOTE = 20
"""Characters; what is shorter people say twice of their own accord."""

_JOINTS = "'’-_@/.:"


def quoted_spans(text: str, known_texts: Iterable[str]) -> tuple[Span, ...]:
    """Return the stretches of a text that repeat a known text, or a whole sentence of one, in order and joined where they overlap.

    A stretch begins at a word and ends with a clause: "I moved to Porto with Tom" repeats nothing of "I moved to Porto",
    it says more. Linear in the text for each known sentence.
    """
    pieces = {piece for known in known_texts for piece in _pieces(known)}
    return _joined(sorted(span for piece in pieces for span in _places(text, piece)))


def _pieces(known: str) -> Iterator[str]:
    whole = known.strip()
    yield from (whole,) if len(whole) >= SHORTEST_QUOTE else ()
    for start, end, _ in sentence_bounds(known, 0, len(known)):
        piece = known[start:end].strip()
        if len(piece) >= SHORTEST_QUOTE:
            yield piece


def _places(text: str, piece: str) -> Iterator[Span]:
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        if not (piece[0].isalnum() and text[at - 1 : at].isalnum()) and not _goes_on(text, piece, end):
            yield Span(at, end)
        at = text.find(piece, end)


def _goes_on(text: str, piece: str, end: int) -> bool:
    """Say whether the words after a stretch belong to what it says."""
    if not piece[-1].isalnum():
        return False
    if text[end : end + 1] in _JOINTS and text[end + 1 : end + 2].isalnum():
        return True
    blank = end
    while blank < len(text) and text[blank] in " \t":
        blank += 1
    return text[blank : blank + 1].isalnum()


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for span in spans:
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)
