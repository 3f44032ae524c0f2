"""Divides a document into chunks of about one size along its structure. Knows no tokenizer and no store.

Of all ways to divide the pieces in order the cheapest is taken: far from the wanted size is dear, so is a division inside a
paragraph, a heading in the middle, and a heading that loses what follows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from mindlog.remember.headings import LOWEST, heading_text
from mindlog.remember.marks import ReadDocument
from mindlog.remember.pieces import CHARS_PER_TOKEN, MOST_CHARS, Break, CountTokens, Piece, pieces

__all__ = ["LIMIT", "TARGET", "Chunk", "chunks"]

TARGET = 220
"""Tokens that a chunk should have."""

LIMIT = 500
"""Tokens that a chunk may have."""

# Prices. Being off the wanted size costs the square of the share it is off by: a chunk of no size 1, a double one 1.
_DIVIDING: dict[Break, float] = {
    "heading": 0.0, "block": 0.15, "item": 0.3, "line": 0.45, "sentence": 0.45, "inside": 0.6,
}  # fmt: skip
_AFTER_COLON = 0.3  # what is announced goes with the announcement
_STRANDED = 4.0
_MOST_PIECES = 64  # of a chunk: they bound the work where every line is a heading
_INNER = (0.0, 0.6, 0.45, 0.3, 0.3, 0.3, 0.3)  # by the level of a heading that does not begin its chunk


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document: its number from 0, its place [start, end) in the text, and that text.

    headings: those that all of it stands under, the highest first. tokens: the sum over its pieces.
    """

    position: int
    start: int
    end: int
    text: str
    headings: tuple[str, ...]
    tokens: int


def chunks(document: ReadDocument, count_tokens: CountTokens, target: int = TARGET, limit: int = LIMIT) -> list[Chunk]:
    """Return the chunks of a document in order; together they hold every character of it that is not white.

    None has more than `limit` tokens, 20 × `limit` characters or 1 MiB. A sentence is whole unless it alone has more. The same
    document always gives the same chunks. Blocks: for 60 000 words about half a second; other threads run meanwhile.
    """
    target = min(target, limit)
    found = list(pieces(document, count_tokens, target, limit))
    paths = list(_paths(document.text, found))
    spans = _divided(document.text, found, target, limit)
    return [_chunk(document.text, at, found[i:j], paths[i:j]) for at, (i, j) in enumerate(spans)]


def _chunk(text: str, position: int, inside: Sequence[Piece], paths: Sequence[tuple[str, ...]]) -> Chunk:
    start, end = inside[0].start, inside[-1].end
    said = [path for piece, path in zip(inside, paths, strict=True) if not piece.level] or [paths[-1]]
    headings = _shared(said)
    return Chunk(position, start, end, text[start:end], headings, sum(piece.tokens for piece in inside))


def _paths(text: str, found: Sequence[Piece]) -> Iterator[tuple[str, ...]]:
    """Yield for every piece the headings it stands under; a heading stands under itself."""
    open_levels: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    for piece in found:
        if piece.level:
            said = heading_text(text[piece.start : piece.end])
            open_levels = [
                *takewhile(lambda held, level=piece.level: held[0] < level, open_levels),
                (piece.level, said),
            ]
            path = tuple(said for _, said in open_levels if said)
        yield path


def _shared(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return what all paths begin with."""
    low, high = min(paths), max(paths)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False))
    return tuple(one for one, _ in same)


def _divided(text: str, found: Sequence[Piece], target: int, limit: int) -> list[tuple[int, int]]:
    """Return the ranges [i, j) of pieces that cost least together."""
    begins = [_price_of_dividing(text, found, at) for at in range(len(found))]
    sums = list(accumulate((piece.tokens for piece in found), initial=0))
    costs, origins = [0.0], [0]
    for j in range(1, len(found) + 1):
        cost, origin = min(
            (costs[i] + begins[i] + price, -i) for i, price in _last_chunks(found, sums, j, target, limit)
        )
        costs.append(cost)
        origins.append(-origin)
    return _ranges(origins)


def _last_chunks(
    found: Sequence[Piece], sums: Sequence[int], j: int, target: int, limit: int
) -> Iterator[tuple[int, float]]:
    """Yield where the chunk that ends before piece `j` may begin, and what it costs."""
    end = found[j - 1].end
    fixed = _STRANDED if found[j - 1].level and j < len(found) else 0.0
    most = min(CHARS_PER_TOKEN * limit, MOST_CHARS)
    for i in range(j - 1, max(j - 1 - _MOST_PIECES, -1), -1):
        size = max(sums[j] - sums[i], (end - found[i].start) / CHARS_PER_TOKEN)
        if i < j - 1 and (size > limit or end - found[i].start > most):
            return
        yield i, fixed + (size / target - 1) ** 2
        if found[i].level and i and not found[i - 1].level:
            fixed += _INNER[min(found[i].level, LOWEST)]


def _price_of_dividing(text: str, found: Sequence[Piece], at: int) -> float:
    if at == 0:
        return 0.0
    price = _DIVIDING[found[at].before]
    return price + _AFTER_COLON if text[found[at - 1].end - 1] in ":：" else price


def _ranges(origins: Sequence[int]) -> list[tuple[int, int]]:
    """Follow the origins back from the end."""
    ranges: list[tuple[int, int]] = []
    j = len(origins) - 1
    while j:
        ranges.append((origins[j], j))
        j = origins[j]
    return ranges[::-1]
