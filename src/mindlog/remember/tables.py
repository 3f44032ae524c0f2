"""Tells how many lines from the first are rows of a table: Markdown, drawn with signs, or values between separators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

__all__ = ["table_length"]

_DIVIDER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_DRAWN = re.compile(r"[ \t]*(?:\||\+[-=+]|[├┌└│╔║╚])")
_SEPARATORS = "\t,;"
_FEWEST = 3  # rows between separators; fewer may be prose
_LONGEST_CELL = 80


def table_length(first: Sequence[str], lines: Callable[[], Iterable[str]] | None) -> int:
    """Return how many lines the table takes that begins with the first of these, 0 if none does.

    first: up to three lines. lines: gives all of the block's from there; without it only whether one begins is told.
    """
    for is_row in (_markdown(first), _drawn(first), _separated(first)):
        if is_row:
            return 1 if lines is None else sum(1 for _ in takewhile(is_row, lines()))
    return 0


def _markdown(first: Sequence[str]) -> Callable[[str], bool] | None:
    if len(first) < 2 or "|" not in first[0] or "-" not in first[1] or "|" not in first[1]:
        return None
    return (lambda line: "|" in line) if _DIVIDER.match(first[1]) else None


def _drawn(first: Sequence[str]) -> Callable[[str], bool] | None:
    if len(first) < 2 or not all(_DRAWN.match(line) for line in first[:2]):
        return None
    return lambda line: _DRAWN.match(line) is not None


def _separated(first: Sequence[str]) -> Callable[[str], bool] | None:
    """Three lines with as many separators each, none of them followed by a blank as in prose."""
    for sign in _SEPARATORS:
        count = first[0].count(sign)
        if count and len(first) >= _FEWEST and all(_has_cells(line, sign, count) for line in first):
            return lambda line: line.count(sign) >= count
    return None


def _has_cells(line: str, sign: str, count: int) -> bool:
    if line.count(sign) != count or (sign != "\t" and f"{sign} " in line):
        return False
    return max(map(len, line.split(sign))) <= _LONGEST_CELL
