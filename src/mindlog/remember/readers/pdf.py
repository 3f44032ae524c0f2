"""PDF as readable text: paragraphs put together from printed lines, headings from the outline or the size of letters.

What repeats at the edge of pages (running titles, page numbers) is left out. Text in pictures is not read.
"""

from __future__ import annotations

import io
from typing import Any

from mindlog.errors import DocumentUnreadable, MissingExtra
from mindlog.remember.marks import Mark, ReadDocument
from mindlog.remember.readers.blocks import Blocks, one_line
from mindlog.remember.readers.pdflines import Line, page_lines, without_running_lines
from mindlog.remember.readers.pdfparagraphs import Outline, outline_key, paragraphs

__all__ = ["read_pdf"]

_MOST_OUTLINE = 10_000
_UNTITLED = ("untitled", "microsoft word -", "microsoft powerpoint -")


def read_pdf(data: bytes, limit: int) -> ReadDocument:
    """Read a PDF's text. One that is encrypted under the empty password, as many are, opens.

    Raises:
        DocumentTooLarge: its text is over the limit.
        DocumentUnreadable: damaged, encrypted, or without text.
        MissingExtra: pypdf is not installed.
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError as exc:
        raise MissingExtra("PDF needs pypdf: pip install 'mindlog[documents]'", field="document") from exc
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentUnreadable("document: an encrypted PDF; save it without its password", field="document")
        return _read(reader, limit)
    except DependencyError as exc:
        raise DocumentUnreadable(
            "document: an encrypted PDF, of a kind that is not decrypted; save it without encryption", field="document"
        ) from exc
    except PyPdfError as exc:
        raise DocumentUnreadable(f"document: a damaged PDF: {exc}", field="document") from exc


def _read(reader: Any, limit: int) -> ReadDocument:
    pages: list[list[Line]] = []
    left = limit
    for number, page in enumerate(reader.pages, 1):
        lines = page_lines(page, number)
        # Over the limit already: no page more need be read to say so.
        left -= sum(len(line.text) for line in lines)
        pages.append(lines)
        if left < 0:
            break
    if not any(pages):
        raise DocumentUnreadable(
            f"document: the PDF has no text on its {len(pages)} pages, only pictures if anything: run OCR "
            "(text recognition) over it first",
            field="document",
        )
    text, marks = _text(pages, _outline(reader), limit)
    return ReadDocument(_title(reader, text, marks), "pdf", text, marks, len(reader.pages))


def _text(pages: list[list[Line]], outline: Outline, limit: int) -> tuple[str, tuple[Mark, ...]]:
    blocks = Blocks(limit)
    starts: dict[int, int] = {}
    for block in paragraphs(without_running_lines(pages), outline):
        start = blocks.add(block.kind, block.text, block.level)
        if start is not None:
            for page, offset in block.pages:
                starts.setdefault(page, start + offset)
    text = blocks.text
    marks = [*_pages(starts, len(text)), *blocks.marks]
    # At the same start a page comes before what stands on it.
    return text, tuple(sorted(marks, key=lambda mark: (mark.start, mark.kind != "page")))


def _pages(starts: dict[int, int], end: int) -> list[Mark]:
    found = sorted(starts.items())
    ends = [start for _, start in found[1:]] + [end]
    return [Mark("page", start, stop, page) for (page, start), stop in zip(found, ends, strict=True)]


def _outline(reader: Any) -> Outline:
    """Return the level of every title of the outline, by its page and its words."""
    numbers = {page.indirect_reference.idnum: n for n, page in enumerate(reader.pages, 1) if page.indirect_reference}
    found: Outline = {}
    todo: list[tuple[Any, int]] = [(reader.outline, 1)]
    while todo and len(found) < _MOST_OUTLINE:
        entry, level = todo.pop()
        if isinstance(entry, list):
            todo.extend((inner, level + isinstance(inner, list)) for inner in entry)
            continue
        target = getattr(entry.page, "idnum", None)
        if target in numbers and entry.title:
            found[numbers[target], outline_key(entry.title)] = min(level, 6)
    return found


def _title(reader: Any, text: str, marks: tuple[Mark, ...]) -> str | None:
    named = one_line(str((reader.metadata.title if reader.metadata else None) or ""))
    if named and not named.lower().startswith(_UNTITLED):
        return named
    headings = [mark for mark in marks if mark.kind == "heading"]
    first = min(headings, key=lambda mark: mark.level, default=None)
    return None if first is None else text[first.start : first.end]
