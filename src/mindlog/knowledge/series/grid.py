"""Finds tables: Markdown ones, and lines of values separated by tabs, semicolons or commas. Cells know where they stand.

Knows no number and no time. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mindlog.knowledge.extraction import Span

__all__ = ["Cell", "Grid", "Line", "grids", "lines_of"]

_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_DELIMITERS: Final = ("\t", ";", ",")
_MOST_COLUMNS: Final = 200
_LONGEST_LINE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Cell:
    """The words of a cell without blanks and quotes around them, and the characters they are."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: a header and rows, each as long as the header. `is_ruled`: it is written as one, and no lines that look so."""

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    span: Span
    is_ruled: bool = False

    def column(self, at: int) -> list[Cell]:
        """Return the cells of a column below its header."""
        return [row[at] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its break."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


def lines_of(text: str) -> list[Line]:
    """Return the lines of a text."""
    lines, at = list[Line](), 0
    for text_of_line in text.split("\n"):
        lines.append(Line(text_of_line.rstrip("\r"), at))
        at += len(text_of_line) + 1
    return lines


def grids(lines: Sequence[Line]) -> Iterator[Grid]:
    """Yield the tables that lines make, in order."""
    at = 0
    while at < len(lines):
        grid, size = _markdown(lines, at)
        if grid is None:
            grid, size = _delimited(lines, at)
        if grid is not None:
            yield grid
        at += max(size, 1)


def _markdown(lines: Sequence[Line], at: int) -> tuple[Grid | None, int]:
    if at + 2 >= len(lines) or "|" not in lines[at].text or "-" not in lines[at + 1].text:
        return None, 0
    rule = lines[at + 1].text
    if len(rule) > _LONGEST_LINE or "|" not in rule or not _RULE.fullmatch(rule):
        return None, 0
    end = at + 2
    while end < len(lines) and "|" in lines[end].text and len(lines[end].text) <= _LONGEST_LINE:
        end += 1
    rows = [_split(line, "|") for line in (lines[at], *lines[at + 2 : end])]
    return _grid(rows, Span(lines[at].start, lines[end - 1].end), is_ruled=True), end - at


def _delimited(lines: Sequence[Line], at: int) -> tuple[Grid | None, int]:
    for delimiter in _DELIMITERS:
        if delimiter not in lines[at].text:
            continue
        rows = list(_run(lines, at, delimiter))
        if len(rows) > 1:
            return _grid(rows, Span(lines[at].start, lines[at + len(rows) - 1].end)), len(rows)
    return None, 0


def _run(lines: Sequence[Line], at: int, delimiter: str) -> Iterator[list[Cell]]:
    """Yield the rows of lines that have as many cells as the first."""
    width = 0
    for line in lines[at:]:
        if delimiter not in line.text or len(line.text) > _LONGEST_LINE:
            return
        row = _split(line, delimiter)
        width = width or len(row)
        if len(row) != width:
            return
        yield row


def _grid(rows: Sequence[list[Cell]], span: Span, *, is_ruled: bool = False) -> Grid | None:
    header = tuple(rows[0])
    if not 2 <= len(header) <= _MOST_COLUMNS or len(rows) < 2:
        return None
    return Grid(header, tuple(_fitted(row, len(header), span) for row in rows[1:]), span, is_ruled)


def _fitted(row: Sequence[Cell], width: int, span: Span) -> tuple[Cell, ...]:
    missing = Cell("", span.end, span.end)
    return (*row[:width], *[missing] * (width - len(row)))


def _split(line: Line, delimiter: str) -> list[Cell]:
    text, at = line.text, line.start
    if delimiter == "|":
        stripped = text.strip()
        at += len(text) - len(text.lstrip()) + stripped.startswith("|")
        text = stripped.removeprefix("|")
        text = text.removesuffix("|") if not text.endswith("\\|") else text
    cells = list[Cell]()
    for piece in _pieces(text, delimiter):
        cells.append(_cell(piece, at))
        at += len(piece) + 1
    return cells


def _pieces(text: str, delimiter: str) -> list[str]:
    if '"' not in text:
        return text.split(delimiter)
    pieces, inside = list[str](), False
    for piece in text.split(delimiter):
        if inside:
            pieces[-1] += delimiter + piece
        else:
            pieces.append(piece)
        inside ^= piece.count('"') % 2 == 1
    return pieces


def _cell(piece: str, at: int) -> Cell:
    text = piece.strip()
    start = at + len(piece) - len(piece.lstrip())
    if len(text) > 1 and text[0] == text[-1] == '"':
        text, start = text[1:-1].strip(), start + 1
    return Cell(text, start, start + len(text))
