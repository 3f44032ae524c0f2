"""Where readers put what they find: one growing text, and marks over it. Cleans what no text may hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mindlog.errors import DocumentTooLarge
from mindlog.remember.marks import Mark, MarkKind

__all__ = ["Blocks", "clean", "one_line", "table_text"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_WHITE = re.compile(r"\s+")


def clean(text: str) -> str:
    """Return a text without control characters; halves of a surrogate pair are put together or replaced."""
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Return a text with every run of white space as one space, none at its ends."""
    return _WHITE.sub(" ", text).strip()


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as a Markdown table; the first row is its head. Rows without text are left out."""
    filled = [[one_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    width = max((len(row) for row in filled), default=0)
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in filled]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) if lines else ""


class Blocks:
    """A text made of blocks with an empty line between them, list items on lines one after the other.

    limit: most characters; one more raises `DocumentTooLarge`, so that a small file cannot become any size of text.
    """

    def __init__(self, limit: int) -> None:
        self.marks: list[Mark] = []
        self._limit = limit
        self._parts: list[str] = []
        self._length = 0
        self._last: MarkKind | None = None

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    def add(self, kind: MarkKind, text: str, level: int = 0) -> int | None:
        """Add one block and its mark; return where it starts, `None` if it has no text."""
        text = clean(text).strip("\n").rstrip()
        if not text.strip():
            return None
        if self._last is not None:
            self._put("\n" if kind == self._last == "list_item" else "\n\n")
        start = self._length
        self._put(text)
        self.marks.append(Mark(kind, start, self._length, level))
        self._last = kind
        return start

    def _put(self, text: str) -> None:
        self._length += len(text)
        if self._length > self._limit:
            raise DocumentTooLarge(
                f"document: its text is longer than {self._limit} characters", field="document", limit=self._limit
            )
        self._parts.append(text)
