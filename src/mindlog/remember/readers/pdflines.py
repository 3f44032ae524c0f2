"""The printed lines of a PDF's pages: their text, the size of their letters and their height on the page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from mindlog.remember.readers.blocks import clean

__all__ = ["Line", "page_lines", "without_running_lines"]

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00a0": " "}
)
_FIXED_PITCH = re.compile(r"mono|courier|consol|typewriter|cmtt", re.I)
# A line with a number at its beginning or end, as a running title with the page number has.
_NUMBERED_EDGE = re.compile(r"^[\s\-–—]*\d{1,5}\b|\b\d{1,5}[\s\-–—.]*$")
_NUMBERS = re.compile(r"\d+")
# A line is a running one if it stands at the same edge of so many pages, and of this share of all.
_RUNNING_PAGES, _RUNNING_SHARE = 3, 0.2
_RUNNING_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line. size: height of most of its letters, in points. y: its height on the page, upwards."""

    text: str
    page: int
    size: float
    y: float
    is_fixed: bool


def page_lines(page: Any, number: int) -> list[Line]:
    """Return the lines of a `pypdf` page in reading order; those without a letter are left out."""
    runs: list[tuple[str, float, float, bool]] = []

    def take(text: str, matrix: Any, text_matrix: Any, font: Any, size: Any) -> None:
        scale = abs(float(text_matrix[3]) * float(matrix[3])) or 1.0
        y = float(text_matrix[5]) * float(matrix[3]) + float(matrix[5])
        fixed = bool(_FIXED_PITCH.search(str(font.get("/BaseFont", "")))) if font else False
        runs.append((text, round(float(size) * scale, 1), y, fixed))

    page.extract_text(visitor_text=take)
    lines: list[Line] = []
    open_runs: list[tuple[str, float, float, bool]] = []
    for text, size, y, fixed in runs:
        for at, piece in enumerate(text.split("\n")):
            if at:
                lines += _line(open_runs, number)
                open_runs = []
            if piece.strip():
                open_runs.append((piece, size, y, fixed))
            elif piece and open_runs:
                open_runs.append((" ", *open_runs[-1][1:]))
    return lines + _line(open_runs, number)


def _line(runs: list[tuple[str, float, float, bool]], page: int) -> list[Line]:
    text = clean("".join(piece for piece, *_ in runs).translate(_LIGATURES)).replace("\n", " ").strip()
    if not text:
        return []
    sizes: Counter[float] = Counter()
    fixed = 0
    for piece, size, _, is_fixed in runs:
        sizes[size] += len(piece)
        fixed += len(piece) * is_fixed
    return [Line(text, page, sizes.most_common(1)[0][0], runs[0][2], fixed * 2 > sizes.total())]


def without_running_lines(pages: list[list[Line]]) -> list[Line]:
    """Return the lines of all pages without running titles and page numbers: what repeats at the edge of pages."""
    edges: Counter[tuple[int, str]] = Counter()
    for lines in pages:
        for edge in (0, -1) if lines else ():
            edges[edge, _running_key(lines[edge])] += 1
    enough = max(_RUNNING_PAGES, len(pages) * _RUNNING_SHARE)
    kept: list[Line] = []
    for lines in pages:
        first, last = 0, len(lines)
        if lines and _runs(lines[0], edges[0, _running_key(lines[0])], enough):
            first = 1
        if last > first and _runs(lines[-1], edges[-1, _running_key(lines[-1])], enough):
            last -= 1
        kept += lines[first:last]
    return kept


def _running_key(line: Line) -> str:
    return _NUMBERS.sub("#", line.text)


def _runs(line: Line, times: int, enough: float) -> bool:
    if len(line.text) > _RUNNING_LENGTH:
        return False
    return times >= enough or (times >= 2 and _NUMBERED_EDGE.search(line.text) is not None)
