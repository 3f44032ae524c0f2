"""What a document is: told by its first bytes, then by its name, then by the content type it came with."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePosixPath

from mindlog.errors import DocumentTypeUnknown, DocumentUnreadable
from mindlog.remember.marks import DocumentKind

__all__ = ["READ_TYPES", "kind_of", "unknown_type"]

READ_TYPES = "plain text, Markdown, HTML, PDF and Word (.docx)"

_HEAD = 4096
# A PDF may begin with other bytes; readers look this far for its mark.
_PDF_WITHIN = 1024
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"ID3", "an MP3 recording"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript document"),
)
_ZIPPED: tuple[tuple[str, str], ...] = (
    ("xl/workbook.xml", "an Excel workbook"),
    ("ppt/presentation.xml", "a PowerPoint presentation"),
    ("content.xml", "an OpenDocument file"),
    ("META-INF/container.xml", "an EPUB book"),
)
_HTML_START = re.compile(rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_MARKDOWN_NAMES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mkdn"})
_HTML_NAMES = frozenset({".html", ".htm", ".xhtml"})
_TYPES: dict[str, DocumentKind] = {
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
}


def kind_of(data: bytes, name: str | None, content_type: str | None) -> DocumentKind:
    """Return what kind of document these bytes are; a text of no other known kind is plain text.

    Whether a text really is one shows when it is decoded.

    Raises:
        DocumentTypeUnknown: a type that is not read, by name.
        DocumentUnreadable: an encrypted or damaged package.
    """
    head = data[:_HEAD]
    if b"%PDF-" in head[:_PDF_WITHIN]:
        return "pdf"
    if head.startswith(_ZIP):
        return _packaged(data)
    if head.startswith(_OLE):
        raise _compound(data)
    for magic, spoken in _OTHERS:
        if head.startswith(magic):
            raise unknown_type(spoken)
    return _kind_of_text(head, name, content_type)


def unknown_type(spoken: str) -> DocumentTypeUnknown:
    """Return the error for a document that is `spoken` ("a PNG picture")."""
    return DocumentTypeUnknown(f"document: this is {spoken}; {READ_TYPES} are read", field="document")


def _kind_of_text(head: bytes, name: str | None, content_type: str | None) -> DocumentKind:
    # UTF-16 and UTF-8 marks and the zero bytes between ASCII letters are of no interest for finding a tag.
    if _HTML_START.match(head.lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\x00", b"")):
        return "html"
    suffix = PurePosixPath(name or "").suffix.lower()
    if suffix in _MARKDOWN_NAMES:
        return "markdown"
    if suffix in _HTML_NAMES:
        return "html"
    declared = (content_type or "").split(";")[0].strip().lower()
    return _TYPES.get(declared, "text") if suffix in ("", ".txt", ".text") else "text"


def _packaged(data: bytes) -> DocumentKind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = set(package.namelist())
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError) as exc:
        raise DocumentUnreadable(f"document: a damaged package (.docx, zip): {exc}", field="document") from exc
    if "word/document.xml" in names or any(name.startswith("word/document") for name in names):
        return "docx"
    raise unknown_type(next((spoken for part, spoken in _ZIPPED if part in names), "a zip archive"))


def _compound(data: bytes) -> DocumentUnreadable:
    """Return the error for Microsoft's older container: old Office files, and new ones under a password."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return DocumentUnreadable("document: encrypted; save it without its password", field="document")
    return unknown_type("an older Office file (.doc, .xls, .ppt): save it as .docx")
