"""What goes to stdout: JSON lines for programs, tables and lines for people.

Owns the two forms, and that no text can drive the terminal it is shown on.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from mindlog.wire import to_json

__all__ = ["clean", "one_line", "print_json", "print_line", "print_table", "warn"]

# Everything that moves the cursor or switches modes, but not tab and newline; and the marks that reorder text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SHORT = 160


def clean(text: str) -> str:
    """Return the text with control characters made visible as hexadecimal escapes."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


def one_line(text: str, limit: int = _SHORT) -> str:
    """Return the beginning of the text on one line."""
    line = " ".join(text[: limit * 4].split())
    return clean(line if len(line) <= limit else line[: limit - 1] + "…")


def print_json(*values: Any) -> None:
    """Print each value (a record or plain values) as one line of JSON."""
    for value in values:
        sys.stdout.write(json.dumps(to_json(value), ensure_ascii=False) + "\n")


def print_line(text: str) -> None:
    """Print a line, or several if the text has them."""
    sys.stdout.write(clean(text) + "\n")


def warn(text: str) -> None:
    """Write one line on stderr."""
    sys.stderr.write(clean(" ".join(text.split())) + "\n")


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: drawn on a terminal, otherwise aligned columns under a line of headings."""
    cells = [["" if cell is None else one_line(str(cell)) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _draw(headings, cells)
        return
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    for row in (headings, *cells):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")


def _draw(headings: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading == "memory_id")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))  # as text: a memory's brackets are not markup
    Console().print(table)
