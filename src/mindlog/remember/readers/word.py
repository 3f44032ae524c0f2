"""Word documents: headings, paragraphs, list items and tables of the body, then the notes. Deleted text is left out."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from mindlog.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable, MissingExtra
from mindlog.remember.marks import ReadDocument
from mindlog.remember.readers.blocks import Blocks, one_line, table_text
from mindlog.remember.readers.wordstyles import Styles, tag_of, value_of

__all__ = ["read_word"]

# Word's XML packs well; what unpacks to more than this many times the limit is a bomb.
_MOST_UNPACKED = 4
_TRANSPARENT = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo"})
# Text in these is shown twice, deleted, or an instruction.
_UNSHOWN = frozenset({"Fallback", "pPr", "rPr", "del", "moveFrom", "instrText", "delText", "tblPr", "trPr", "tcPr"})
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_NOTES = ("/footnotes", "/endnotes")


def read_word(data: bytes, limit: int) -> ReadDocument:
    """Read a .docx file.

    Raises:
        DocumentEmpty: it has no text.
        DocumentTooLarge: it unpacks to more than is read, or its text is over the limit.
        DocumentUnreadable: damaged.
        MissingExtra: python-docx is not installed.
    """
    try:
        import docx
        from docx.opc.exceptions import OpcError
        from lxml.etree import XMLSyntaxError
    except ImportError as exc:
        raise MissingExtra("Word files need python-docx: pip install 'mindlog[documents]'", field="document") from exc
    _check_unpacked(data, limit)
    try:
        document = docx.Document(io.BytesIO(data))
        return _read(document, limit)
    except (OpcError, XMLSyntaxError, KeyError, ValueError, zipfile.BadZipFile, AttributeError) as exc:
        raise DocumentUnreadable(f"document: a damaged Word file: {exc}", field="document") from exc


def _check_unpacked(data: bytes, limit: int) -> None:
    # zipfile gives no more of a part than its entry declares, so the sum binds.
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        unpacked = sum(entry.file_size for entry in package.infolist())
    if unpacked > limit * _MOST_UNPACKED:
        raise DocumentTooLarge(
            f"document: it unpacks to {unpacked} bytes, more than {limit * _MOST_UNPACKED}",
            field="document",
            limit=limit * _MOST_UNPACKED,
        )


def _read(document: Any, limit: int) -> ReadDocument:
    blocks, styles = Blocks(limit), Styles(document)
    _add(blocks, styles, document.element.body)
    for root in _notes(document):
        for note in root:
            _add(blocks, styles, note)
    if not blocks.marks:
        raise DocumentEmpty("document: the Word file has no text", field="document")
    text = blocks.text
    first = next((mark for mark in blocks.marks if mark.kind == "heading"), None)
    title = one_line(document.core_properties.title or "") or (text[first.start : first.end] if first else None)
    return ReadDocument(title, "docx", text, tuple(blocks.marks))


def _notes(document: Any) -> Iterator[Any]:
    """Yield the roots of the footnotes and endnotes."""
    from docx.oxml import parse_xml

    for relation in document.part.rels.values():
        if relation.reltype.endswith(_NOTES) and not relation.is_external:
            yield parse_xml(relation.target_part.blob)


def _add(blocks: Blocks, styles: Styles, container: Any) -> None:
    for element in container:
        tag = tag_of(element)
        if tag == "p":
            _add_paragraph(blocks, styles, element)
        elif tag == "tbl":
            blocks.add("table", table_text(list(_rows(element))))
        elif tag in _TRANSPARENT:
            _add(blocks, styles, element)


def _add_paragraph(blocks: Blocks, styles: Styles, element: Any) -> None:
    text = "".join(_pieces(element)).strip()
    if not text:
        return
    look = styles.look(element)
    if look.kind == "heading":
        text = one_line(text)
    blocks.add(look.kind, look.prefix + text, look.level)


def _pieces(element: Any) -> Iterator[str]:
    """Yield the shown text of an element. Its depth is bounded by the XML parser's."""
    for child in element:
        tag = tag_of(child)
        if tag == "t":
            yield child.text or ""
        elif tag in _SIGNS:
            yield _SIGNS[tag]
        elif tag == "txbxContent":
            yield "\n" + "\n".join("".join(_pieces(inner)) for inner in child) + "\n"
        elif tag not in _UNSHOWN:
            yield from _pieces(child)


def _rows(table: Any) -> Iterator[list[str]]:
    for row in _children(table, "tr"):
        cells: list[str] = []
        for cell in _children(row, "tc"):
            cells.append(_cell_text(cell))
            cells += [""] * (_span(cell) - 1)
        yield cells


def _children(element: Any, wanted: str) -> Iterator[Any]:
    for child in element:
        if tag_of(child) == wanted:
            yield child
        elif tag_of(child) in _TRANSPARENT:
            yield from _children(child, wanted)


def _cell_text(cell: Any) -> str:
    return one_line(" ".join("".join(_pieces(child)) for child in cell if tag_of(child) != "tcPr"))


def _span(cell: Any) -> int:
    span = value_of(cell, "./w:tcPr/w:gridSpan") or ""
    return min(int(span), 100) if span.isdecimal() else 1
