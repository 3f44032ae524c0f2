"""Cuts long text: pieces for a tokenizer, balanced windows for a model. Owns where the cuts lie; knows no model."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["char_spans", "char_windows", "pieces", "token_ranges"]


def token_ranges(count: int, *, capacity: int, overlap: int) -> list[tuple[int, int]]:
    """Ranges [start, end) of at most `capacity` tokens that cover `count` tokens, as few and as equal as can be.

    Neighbours share `overlap` tokens (one more or less where lengths do not divide). One range if all fit.
    """
    if count <= capacity:
        return [(0, count)]
    fresh = count - overlap
    windows = -(-fresh // (capacity - overlap))
    cuts = [index * fresh // windows for index in range(windows + 1)]
    return [(start, end + overlap) for start, end in pairwise(cuts)]


def char_spans(ranges: Sequence[tuple[int, int]], starts: Sequence[int], length: int) -> tuple[tuple[int, int], ...]:
    """Character spans of token ranges: each from its first token to the token after its last; together the whole text.

    starts: the character at which each token begins. length: of the text.
    """
    edges = [0, *starts[1:], length] if starts else [0, length]
    last = len(edges) - 1
    return tuple((edges[start], edges[min(max(end, 1), last)]) for start, end in ranges)


def pieces(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Spans [start, end) of at most `size` characters that make up the text.

    Cut after white space where there is any in the latter half of a piece.
    """
    start = 0
    while len(text) - start > size:
        end = _cut(text, start + size // 2, start + size)
        yield start, end
        start = end
    yield start, len(text)


def char_windows(text: str, *, size: int, overlap: int) -> tuple[tuple[int, int], ...]:
    """Spans of at most `size` characters, for models whose tokens are not known here.

    A window but the first begins `overlap` characters before the end of the one before it.
    """
    if len(text) <= size:
        return ((0, len(text)),)
    cuts = list(pieces(text, size - overlap))
    return tuple((max(start - overlap, 0), end) for start, end in cuts)


def _cut(text: str, low: int, high: int) -> int:
    space = max(text.rfind(" ", low, high), text.rfind("\n", low, high))
    return high if space < 0 else space + 1
