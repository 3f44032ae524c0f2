"""Printed lines become paragraphs, headings, list items and code; a word divided at a line's end is put together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mindlog.remember.marks import MarkKind
from mindlog.remember.readers.pdflines import Line

__all__ = ["Outline", "Paragraph", "outline_key", "paragraphs"]

Outline = dict[tuple[int, str], int]
"""Level of a title, by its page and `outline_key`."""

_NUMBERING = re.compile(r"^[\W\d_]+")
_NOT_WORD = re.compile(r"[\W_]+")
_BULLET = re.compile(r"(?:[•◦▪‣·●○■–*]|\(?(?:\d{1,3}|[a-z])[.)])\s+\S")
_DIVIDED = re.compile(r"(?<=[^\W\d_])(?:-|\u2010|\u00ad)$")
_SENTENCE_END = re.compile(r"[.!?:;。！？…][\"'”’)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")
# Letters this much larger than most are a heading's; a gap this much wider than most ends a paragraph.
_HEADING_SIZE, _HEADING_LENGTH = 1.1, 200
_PARAGRAPH_GAP = 1.25
# Code has empty lines in it.
_CODE_GAP = 2.5


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of text. pages: for every page it lies on, its number and where in the text that page begins."""

    kind: MarkKind
    text: str
    level: int
    pages: tuple[tuple[int, int], ...]


def outline_key(title: str) -> str:
    """Return the words of a title, for comparing: without numbering, case, spaces and signs."""
    return _NOT_WORD.sub("", _NUMBERING.sub("", title)).casefold()


def paragraphs(lines: Sequence[Line], outline: Outline) -> Iterator[Paragraph]:
    """Yield the blocks of a document's lines, in order."""
    look = _Look.of(lines, outline)
    block: list[Line] = []
    for line in lines:
        if block and not look.continues(block, line):
            yield _joined(block, look)
            block = []
        block.append(line)
    if block:
        yield _joined(block, look)


@dataclass(frozen=True, slots=True)
class _Look:
    """What the document looks like: size of most letters, the usual gap by size, the sizes of headings."""

    body: float
    gaps: dict[float, float]
    sizes: tuple[float, ...]
    outline: Outline
    is_typewritten: bool

    @classmethod
    def of(cls, lines: Sequence[Line], outline: Outline) -> _Look:
        sizes: Counter[float] = Counter()
        gaps: dict[float, Counter[float]] = {}
        for line in lines:
            sizes[line.size] += len(line.text)
        for before, line in pairwise(lines):
            if before.page == line.page and before.size == line.size and before.y > line.y:
                gaps.setdefault(line.size, Counter())[round(before.y - line.y, 1)] += 1
        body = sizes.most_common(1)[0][0] if sizes else 0.0
        larger = sorted({line.size for line in lines if _is_large(line, body)}, reverse=True)
        usual = {size: found.most_common(1)[0][0] for size, found in gaps.items()}
        fixed = sum(len(line.text) for line in lines if line.is_fixed)
        return cls(body, usual, tuple(larger), outline, is_typewritten=fixed * 2 > sizes.total())

    def level(self, line: Line) -> int:
        """Return the level of a heading, 0 for other lines. Where there is an outline it alone decides."""
        if self.outline:
            return self.outline.get((line.page, outline_key(line.text)), 0)
        return min(self.sizes.index(line.size) + 1, 6) if _is_large(line, self.body) else 0

    def continues(self, block: Sequence[Line], line: Line) -> bool:
        """Whether a line belongs to the block before it."""
        last = block[-1]
        if self.level(line) or self.level(last):
            # A heading may go over several lines, all of one size and close together.
            return self.level(line) == self.level(last) and not self.outline and self._is_close(last, line)
        if _BULLET.match(line.text) or (line.is_fixed != last.is_fixed and not _BULLET.match(block[0].text)):
            return False
        if last.page != line.page or line.y > last.y:
            # Another page or column: the sentence decides.
            return not _SENTENCE_END.search(last.text) and not self.is_code(line) and not line.text[0].isupper()
        return self._is_close(last, line)

    def is_code(self, line: Line) -> bool:
        """Whether a line is code: of one width in a document that is not."""
        return line.is_fixed and not self.is_typewritten

    def _is_close(self, last: Line, line: Line) -> bool:
        usual = self.gaps.get(max(last.size, line.size)) or max(last.size, line.size) * 1.2
        most = _CODE_GAP if self.is_code(last) and self.is_code(line) else _PARAGRAPH_GAP
        return last.page == line.page and last.y - line.y <= usual * most


def _is_large(line: Line, body: float) -> bool:
    return (
        line.size >= body * _HEADING_SIZE
        and len(line.text) <= _HEADING_LENGTH
        and len(_LETTER.findall(line.text)) > 1
        and not line.is_fixed
    )


def _joined(block: list[Line], look: _Look) -> Paragraph:
    kind, level = _kind(block, look)
    text, pages = "", [(block[0].page, 0)]
    for at, line in enumerate(block):
        text = _append(text, line.text, kind) if at else line.text
        if line.page != pages[-1][0]:
            pages.append((line.page, len(text) - len(line.text)))
    return Paragraph(kind, text, level, tuple(pages))


def _kind(block: list[Line], look: _Look) -> tuple[MarkKind, int]:
    if level := look.level(block[0]):
        return "heading", level
    if _BULLET.match(block[0].text):
        return "list_item", 1
    return ("code", 0) if look.is_code(block[0]) else ("paragraph", 0)


def _append(text: str, line: str, kind: MarkKind) -> str:
    if kind == "code":
        return f"{text}\n{line}"
    if _DIVIDED.search(text) and line[0].islower():
        return text[:-1] + line
    return f"{text} {line}"
