"""Spellings as sets of short pieces: by which pieces alike keys are found, and how alike two keys are. Knows no table.

A key is padded with spaces, so that its beginning weighs more than its middle and one letter is enough to have pieces.
The search goes by pieces of four letters, which few keys share; likeness is told by pieces of three, which forgive more.
"""

from __future__ import annotations

__all__ = ["jaccard", "search_tokens", "tokens", "trigrams"]

# A longer key is as well found by its first pieces.
_MAX_PIECES = 256
_MAX_SEARCHED = 32


def trigrams(key: str) -> frozenset[str]:
    """Return the pieces of three letters."""
    return frozenset(_pieces(key, 3))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of pieces that both have, 0 to 1."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def tokens(dataset: int, key: str) -> list[str]:
    """Return the pieces of four letters as words that name their dataset, each once: letters a to f, digits and `x` only."""
    pieces = _pieces(key, 4)[:_MAX_PIECES]
    return [f"{dataset}x{piece.encode('utf-8', 'surrogatepass').hex()}" for piece in pieces]


def search_tokens(dataset: int, key: str) -> list[str]:
    """Return the tokens to search for: all, or some from everywhere in a long key."""
    found = tokens(dataset, key)
    step = -(-len(found) // _MAX_SEARCHED)
    return found[::step]


def _pieces(key: str, size: int) -> list[str]:
    padded = " " * (size - 1) + key + " "
    return list(dict.fromkeys(padded[start : start + size] for start in range(len(padded) - size + 1)))
