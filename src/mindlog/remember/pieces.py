"""Cuts a document into the smallest pieces a chunk is made of: sentences, lines of tables and code, headings. Knows no chunk.

Every character that is not white is in exactly one piece. A piece never mixes blocks of two kinds, so what is around it is known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from mindlog.remember.marks import Mark, MarkKind, ReadDocument
from mindlog.remember.sentences import sentence_spans

__all__ = ["CHARS_PER_TOKEN", "MOST_CHARS", "Break", "CountTokens", "Piece", "pieces"]

CountTokens = Callable[[list[str]], list[int]]
"""Texts in, the number of tokens of each out."""

CHARS_PER_TOKEN = 20
"""Characters that weigh as much as a token at least: to some tokenizers a word of any length is one token."""

Break = Literal["heading", "block", "item", "line", "sentence", "inside"]
"""What begins with a piece: how well the text divides before it."""

MOST_CHARS = 1 << 18
"""Most characters of a piece or chunk; four bytes each make the longest text of a memory."""

_BATCH_CHARS = 1 << 15
_CLAUSE = re.compile(r"(?<=[,;:—–]\s)(?=\S)|(?<=[，、；：،؛])(?=\S)")
_WORD = re.compile(r"(?<=\s)(?=\S)")


@dataclass(frozen=True, slots=True)
class Piece:
    """The characters [start, end), never white at either end, and what they weigh.

    tokens: counted. level: of a heading, otherwise 0. before: what begins here.
    """

    start: int
    end: int
    tokens: int
    before: Break
    level: int = 0


@dataclass(slots=True)
class _Cut:
    start: int
    end: int
    before: Break
    level: int = 0
    tokens: int = 0


def pieces(document: ReadDocument, count_tokens: CountTokens, target: int, limit: int) -> Iterator[Piece]:
    """Yield the pieces in order. Only a sentence or line over `limit` is cut, at clauses, words or characters, to `target`."""
    text = document.text
    longest, size = (min(CHARS_PER_TOKEN * tokens, MOST_CHARS) for tokens in (limit, target))
    for batch in _batches(_joined(_cuts(document, longest, size), target // 4)):
        _count(text, batch, count_tokens)
        for cut in batch:
            for part in [cut] if cut.tokens <= limit else _divided(text, cut, count_tokens, target):
                yield Piece(part.start, part.end, part.tokens, part.before, part.level)


def _cuts(document: ReadDocument, longest: int, size: int) -> Iterator[_Cut]:
    """Yield sentences and lines, those of more than `longest` characters cut to about `size`."""
    text = document.text
    for mark in _blocks(document):
        for cut in _block_cuts(text, mark):
            if cut.end - cut.start <= longest:
                yield cut
            else:
                yield from _shortened(text, cut, size)


def _blocks(document: ReadDocument) -> Iterator[Mark]:
    """Yield the marked blocks and, as paragraphs, what stands between them."""
    at, size = 0, len(document.text)
    for mark in document.marks:
        start, end = max(mark.start, at), min(mark.end, size)
        if mark.kind == "page" or start >= end:
            continue
        if start > at:
            yield Mark("paragraph", at, start)
        yield Mark(mark.kind, start, end, mark.level)
        at = end
    if at < size:
        yield Mark("paragraph", at, size)


_BEGINS: dict[MarkKind, Break] = {"heading": "heading", "list_item": "item"}


def _block_cuts(text: str, mark: Mark) -> Iterator[_Cut]:
    before: Break = _BEGINS.get(mark.kind, "block")
    if mark.kind == "heading":
        spans: Iterable[tuple[int, int]] = _stripped(text, mark.start, mark.end)
    elif mark.kind in ("table", "code"):
        spans = _lines(text, mark.start, mark.end)
    else:
        spans = sentence_spans(text, mark.start, mark.end)
    inner: Break = "line" if mark.kind in ("table", "code") else "sentence"
    for start, end in spans:
        yield _Cut(start, end, before, max(mark.level, 1) if mark.kind == "heading" else 0)
        before = inner


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield from _stripped(text, start, stop)
        start = stop + 1


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    said = text[start:end]
    if bare := said.strip():
        first = start + len(said) - len(said.lstrip())
        yield first, first + len(bare)


def _joined(cuts: Iterable[_Cut], grain: int) -> Iterator[_Cut]:
    """Yield the cuts, neighbours of the same sort and fewer than `grain` characters each as one: nobody divides text there."""
    last: _Cut | None = None
    for cut in cuts:
        if last is None:
            last = cut
        elif _is_grain(last, cut, grain):
            last.end = cut.end
        else:
            yield last
            last = cut
    if last is not None:
        yield last


def _is_grain(last: _Cut, cut: _Cut, grain: int) -> bool:
    if cut.end - cut.start >= grain or last.end - last.start >= grain or cut.end - last.start >= 3 * grain:
        return False
    return not last.level and (cut.before in ("line", "sentence", "inside") or cut.before == last.before)


def _batches(cuts: Iterable[_Cut]) -> Iterator[list[_Cut]]:
    batch: list[_Cut] = []
    size = 0
    for cut in cuts:
        batch.append(cut)
        size += cut.end - cut.start
        if size >= _BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _count(text: str, cuts: Sequence[_Cut], count_tokens: CountTokens) -> None:
    for cut, tokens in zip(cuts, count_tokens([text[cut.start : cut.end] for cut in cuts]), strict=True):
        cut.tokens = tokens


def _divided(text: str, cut: _Cut, count_tokens: CountTokens, target: int) -> list[_Cut]:
    """Return a cut halved until each part has at most `target` tokens or is one character."""
    parts = [cut]
    while any(part.tokens > target and part.end - part.start > 1 for part in parts):
        halves = [_halves(text, part) if part.tokens > target else [part] for part in parts]
        fresh = [half for both in halves if len(both) > 1 for half in both]
        for batch in _batches(fresh):
            _count(text, batch, count_tokens)
        parts = [half for both in halves for half in both]
    return parts


def _halves(text: str, cut: _Cut) -> list[_Cut]:
    length = cut.end - cut.start
    if length < 2:
        return [cut]
    place = _place(text, cut.start + max(length // 4, 1), cut.end - max(length // 4, 1), cut.start + length // 2)
    return list(_parted(text, cut, [place]))


def _shortened(text: str, cut: _Cut, size: int) -> Iterator[_Cut]:
    """Yield the parts of a long stretch, `size` characters each or a little less."""
    places: list[int] = []
    at = cut.start
    while cut.end - at > size:
        at = _place(text, at + max(size // 2, 1), at + size, at + size)
        places.append(at)
    yield from _parted(text, cut, places)


def _parted(text: str, cut: _Cut, places: Sequence[int]) -> Iterator[_Cut]:
    before, level = cut.before, cut.level
    for first, last in pairwise([cut.start, *places, cut.end]):
        for start, end in _stripped(text, first, last):
            yield _Cut(start, end, before, level)
            before, level = "inside", 0


def _place(text: str, low: int, high: int, wanted: int) -> int:
    """Return where to cut between two places: after a clause, else after a word, the nearest to `wanted`; else a character."""
    for shape in (_CLAUSE, _WORD):
        places = [match.start() for match in shape.finditer(text, low, high)]
        if places:
            return min(places, key=lambda place: abs(place - wanted))
    return next((place for place in range(wanted, low - 1, -1) if not _clings(text[place])), wanted)


def _clings(char: str) -> bool:
    """Say whether a character belongs to the one before it."""
    return unicodedata.category(char) in ("Mn", "Mc", "Me", "Cf", "Sk") or char == "\u200d"
