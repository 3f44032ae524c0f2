"""What a read document is: one text and the marks of its structure over it. Plain text and Markdown are marked here.

A block is a run of lines without a blank one; what a line is depends on its block alone, but for numbered headings. One linear pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mindlog.knowledge.extract.tokens import turns
from mindlog.remember.headings import LOWEST, atx_level, is_rule, numbered, plain_level, underlines
from mindlog.remember.tables import table_length

__all__ = ["DocumentKind", "Mark", "MarkKind", "ReadDocument", "mark_text"]

DocumentKind = Literal["text", "markdown", "html", "pdf", "docx"]
MarkKind = Literal["heading", "paragraph", "list_item", "table", "code", "page"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})(?P<rest>.*)$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪·]|(?P<number>\d{1,3}|[a-z])[.)])[ \t]+\S")
_FIRST = frozenset({None, "1", "a"})  # an item with another number does not begin a list inside a paragraph
_PROMPT = ">>> "
_SIGNS = "=-~^\"*+#_`:.'"

_Line = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mark:
    """What the characters [start, end) of a text are.

    Marks are in order of their start. Those of one text do not overlap, but for pages, which lie over the others.
    level: of a heading 1 (highest) to 6, of a list item its depth from 1, of a page its number from 1; otherwise 0.
    """

    kind: MarkKind
    start: int
    end: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as text. title: from the document itself, None if it names none. pages: None if its kind has none."""

    title: str | None
    kind: DocumentKind
    text: str
    marks: tuple[Mark, ...]
    pages: int | None = None


def mark_text(text: str, kind: DocumentKind) -> tuple[Mark, ...]:
    """Return the marks of a text, in order and without overlap; together they cover all of it that is not white.

    kind: "text" also has headings by numbers, capitals, the words of books, and any sign drawn under a line.
    """
    return tuple(_Marker(text, kind).marks())


class _Marker:
    def __init__(self, text: str, kind: DocumentKind) -> None:
        self._text = text
        self._is_plain = kind != "markdown"
        self._signs: list[str] = []  # signs drawn under headings, the first seen for the highest
        self._indents: list[int] = []  # of the list items that are open
        self._last = ""
        self._speeches = _speeches(text)

    def marks(self) -> Iterator[Mark]:
        """Yield the marks."""
        blocks = _blocks(self._text)
        block = next(blocks, None)
        while block is not None:
            following = next(blocks, None)
            for mark in self._block(block, following):
                self._last = mark.kind
                yield mark
            block = following

    def _block(self, block: list[_Line], following: list[_Line] | None) -> Iterator[Mark]:
        if self._is_code(block):
            yield Mark("code", block[0][0], block[-1][1])
            return
        level, length = self._words_heading(block, following)
        at = 0
        if level:
            yield self._heading(block, 0, length, level)
            at = length
        while at < len(block):
            mark, length = self._next(block, at)
            yield mark
            at += length

    def _next(self, block: list[_Line], at: int) -> tuple[Mark, int]:
        """Return the mark that begins at a line of a block, and how many lines it takes."""
        level, length = self._drawn_heading(block, at)
        if level:
            return self._heading(block, at, length, level), length
        length = table_length(self._lines(block, at, 3), lambda: self._rest(block, at))
        if length:
            return Mark("table", block[at][0], block[at + length - 1][1]), length
        item = _ITEM.match(self._line(block[at]))
        length = self._text_length(block, at, item is not None)
        start, end = block[at][0], block[at + length - 1][1]
        if item:
            return Mark("list_item", start, end, self._depth(self._line(block[at]))), length
        if self._last != "list_item" or not self._line(block[at])[:1].isspace():
            self._indents.clear()
        return Mark("paragraph", start, end), length

    def _text_length(self, block: list[_Line], at: int, is_item: bool) -> int:
        """Return how many lines a paragraph or list item takes."""
        for index in range(at + 1, len(block)):
            line = self._line(block[index])
            item = _ITEM.match(line)
            if (item and (is_item or item["number"] in _FIRST)) or block[index][0] in self._speeches:
                return index - at
            if line.lstrip()[:1] in ("—", "―") or atx_level(line):
                return index - at
            if line.lstrip()[:1] in ("|", "+") and table_length(self._lines(block, index, 3), None):
                return index - at
        return len(block) - at

    def _heading(self, block: list[_Line], at: int, length: int, level: int) -> Mark:
        self._indents.clear()
        return Mark("heading", block[at][0], block[at + length - 1][1], min(level, LOWEST))

    def _drawn_heading(self, block: list[_Line], at: int) -> tuple[int, int]:
        """Return level and lines of a heading that signs make one; (0, 0) if there is none."""
        first, second, third = ([*self._lines(block, at, 3), "", ""])[:3]
        if level := atx_level(first):
            return level, 1
        if not self._is_plain:
            is_heading = underlines(second, first, "=-") and not _ITEM.match(first) and "|" not in first
            return (1 if "=" in second else 2, 2) if is_heading else (0, 0)
        if underlines(second, first, _SIGNS):
            return self._drawn_level(second.strip()[0]), 2
        if is_rule(first) and first.strip()[0] == third.strip()[:1] and underlines(third, second, _SIGNS):
            return self._drawn_level(first.strip()[0] * 2), 3
        return 0, 0

    def _drawn_level(self, sign: str) -> int:
        if sign not in self._signs:
            self._signs.append(sign)
        return self._signs.index(sign) + 1

    def _words_heading(self, block: list[_Line], following: list[_Line] | None) -> tuple[int, int]:
        """Return level and lines of a heading that words make one: a line alone, or a chapter's number and its name."""
        if not self._is_plain or len(block) > 2:
            return 0, 0
        first = self._line(block[0])
        level = plain_level(first)
        if len(block) == 2:
            named = self._line(block[1]).strip()
            is_name = 0 < level < 3 and len(named) <= 80 and named[:1].isupper() and named[-1] not in ".,;:"
            return (level, 2) if is_name else (0, 0)
        if level:
            return level, 1
        depth = numbered(first)
        ahead = numbered(self._line(following[0])) if following and len(following) == 1 else 0
        # A number after a number of the same depth is a list with room between its items.
        is_list = depth == 1 and (ahead == 1 or self._last == "list_item")
        return (depth + 1, 1) if depth and following and not is_list else (0, 0)

    def _is_code(self, block: list[_Line]) -> bool:
        first = self._line(block[0])
        if _FENCE.match(first) or first.lstrip().startswith(_PROMPT):
            return True
        if block[0][0] == 0 and first.rstrip() == "---" and len(block) > 2:
            return self._line(block[-1]).rstrip() in ("---", "...")
        if self._is_plain or self._last == "list_item":
            return False
        return all(self._line(line).startswith(("    ", "\t")) for line in block)

    def _depth(self, line: str) -> int:
        wide = line.expandtabs(4)
        indent = len(wide) - len(wide.lstrip())
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if not self._indents or self._indents[-1] < indent:
            self._indents.append(indent)
        return len(self._indents)

    def _line(self, line: _Line) -> str:
        return self._text[line[0] : line[1]]

    def _rest(self, block: list[_Line], at: int) -> Iterator[str]:
        return (self._line(block[index]) for index in range(at, len(block)))

    def _lines(self, block: list[_Line], at: int, most: int) -> list[str]:
        return [self._line(line) for line in block[at : at + most]]


def _speeches(text: str) -> frozenset[int]:
    """Return where a line begins with the name of who speaks."""
    return frozenset(text.rfind("\n", 0, turn.start) + 1 for turn in turns(text))


def _blocks(text: str) -> Iterator[list[_Line]]:
    """Yield the runs of lines that are not blank; what is fenced is one, with its blank lines and without its neighbours."""
    block: list[_Line] = []
    fence = ""
    for match in _LINE.finditer(text):
        line = match.group()
        place = match.start(), match.start() + len(line.rstrip("\r\n"))
        if fence:
            block.append(place)
            if line.lstrip().startswith(fence) and not line.strip().strip(fence[0]):
                yield block
                block, fence = [], ""
        elif opening := _FENCE.match(line.rstrip()):
            if block:
                yield block
            block, fence = [place], opening[1]
        elif line.strip():
            block.append(place)
        elif block:
            yield block
            block = []
    if block:
        yield block
