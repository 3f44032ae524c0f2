"""One door for all kinds: bytes in, a text with the marks of its structure out."""

from __future__ import annotations

from mindlog.errors import DocumentEmpty, DocumentTooLarge
from mindlog.remember.marks import Mark, ReadDocument, mark_text
from mindlog.remember.readers.decoding import decode
from mindlog.remember.readers.html import read_html
from mindlog.remember.readers.kinds import kind_of
from mindlog.remember.readers.pdf import read_pdf
from mindlog.remember.readers.word import read_word

__all__ = ["check_size", "read_document"]


def read_document(data: bytes, name: str | None, content_type: str | None, limit: int) -> ReadDocument:
    """Read a document of any kind, here and now; `source.read_source` does it with a time limit and off the loop.

    name: a file name, of which only the ending counts. limit: most bytes of the document, and most characters of its text.

    Raises:
        DocumentEmpty: there is no text in it.
        DocumentTooLarge: it or its text is over the limit.
        DocumentTypeUnknown: it is of no type that is read.
        DocumentUnreadable: it is damaged or encrypted, or needs text recognition.
        MissingExtra: its kind needs a package that is not installed.

    A parser may raise anything else over a damaged document; `read_source` makes `DocumentUnreadable` of that.
    """
    check_size(data, limit)
    kind = kind_of(data, name, content_type)
    if kind == "html":
        return read_html(data, content_type, limit)
    if kind == "pdf":
        return read_pdf(data, limit)
    if kind == "docx":
        return read_word(data, limit)
    text = decode(data, content_type)
    marks = mark_text(text, kind)
    return ReadDocument(_title(text, marks) if kind == "markdown" else None, kind, text, marks)


def check_size(data: bytes, limit: int) -> None:
    """Return if the bytes may be read at all. Raises `DocumentEmpty` or `DocumentTooLarge`."""
    if not data:
        raise DocumentEmpty(field="document")
    if len(data) > limit:
        raise DocumentTooLarge(f"document: {len(data)} bytes, more than {limit}", field="document", limit=limit)


def _title(text: str, marks: tuple[Mark, ...]) -> str | None:
    """Return the first heading of the highest level there is, without its signs."""
    headings = [mark for mark in marks if mark.kind == "heading"]
    if not headings:
        return None
    first = min(headings, key=lambda mark: mark.level)
    return text[first.start : first.end].splitlines()[0].strip().strip("#").strip() or None
