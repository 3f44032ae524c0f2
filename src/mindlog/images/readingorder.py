"""The order in which the lines found in a picture are read. Pure: boxes in, lines of text out.

Rows from the top, boxes of a row from the left. Side-by-side columns of running text are read one after the other; a
receipt or a table, whose right column is short, is read across.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Box", "in_reading_order"]

# Characters a line, and lines, on both sides of a gap, from which on it parts columns of text.
_PROSE_CHARS = 18
_PROSE_LINES = 3
# Of the lesser height, from which on two boxes stand in one row.
_SAME_ROW = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A line of text and where it stands, in pixels. confidence: 0 to 1."""

    text: str
    confidence: float
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


def in_reading_order(boxes: Sequence[Box]) -> list[str]:
    """The texts of the boxes, one string for each row or line of a column."""
    return [line for column in _columns(boxes) for line in _lines(column)]


def _columns(boxes: Sequence[Box]) -> Iterator[list[Box]]:
    """Yield the boxes cut at every gap from top to bottom that parts running text, from the left."""
    rest = sorted(boxes, key=lambda box: box.left)
    for cut in _gaps(rest):
        left = [box for box in rest if box.right <= cut]
        right = [box for box in rest if box.right > cut]
        if _is_prose(left) and _is_prose(right):
            yield left
            rest = right
    yield rest


def _gaps(boxes: Sequence[Box]) -> Iterator[float]:
    """Yield where a vertical line would cross no box, from the left. boxes: by their left edges."""
    reach = float("-inf")
    for box, following in pairwise(boxes):
        reach = max(reach, box.right)
        if following.left > reach:
            yield reach


def _is_prose(boxes: Sequence[Box]) -> bool:
    return len(boxes) >= _PROSE_LINES and sum(len(box.text) for box in boxes) >= _PROSE_CHARS * len(boxes)


def _lines(boxes: Sequence[Box]) -> Iterator[str]:
    row: list[Box] = []
    for box in sorted(boxes, key=lambda box: (box.top + box.bottom, box.left)):
        if row and not _share_a_row(row[-1], box):
            yield _across(row)
            row = []
        row.append(box)
    if row:
        yield _across(row)


def _share_a_row(one: Box, other: Box) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared > _SAME_ROW * min(one.height, other.height)


def _across(row: Sequence[Box]) -> str:
    return " ".join(box.text for box in sorted(row, key=lambda box: box.left))
