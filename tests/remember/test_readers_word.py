"""Word files: headings, lists and tables of the body, notes after it; damaged ones and bombs are refused."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from docx.oxml import parse_xml

from mindlog.errors import DocumentEmpty, DocumentTooLarge, DocumentTypeUnknown, DocumentUnreadable
from mindlog.remember.marks import ReadDocument
from mindlog.remember.readers import read_document
from tests.remember.papers import word

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def read(data: bytes, limit: int = 1 << 22) -> ReadDocument:
    return read_document(data, None, None, limit)


def marked(document: ReadDocument) -> list[tuple[str, int, str]]:
    return [(mark.kind, mark.level, document.text[mark.start : mark.end]) for mark in document.marks]


def test_headings_paragraphs_and_lists_are_marked() -> None:
    def fill(document: Any) -> None:
        document.add_heading("Report", 0)
        document.add_heading("Introduction", 1)
        document.add_heading("Details", 2)
        paragraph = document.add_paragraph("Some ")
        paragraph.add_run("bold").bold = True
        paragraph.add_run(" text\nnext line")
        for text, style in [
            ("one", "List Bullet"),
            ("deep", "List Bullet 2"),
            ("first", "List Number"),
            ("second", "List Number"),
        ]:
            document.add_paragraph(text, style=style)
        document.add_paragraph()

    document = read(word(fill))
    assert (document.kind, document.title, document.pages) == ("docx", "Report", None)
    assert marked(document) == [
        ("heading", 1, "Report"),
        ("heading", 1, "Introduction"),
        ("heading", 2, "Details"),
        ("paragraph", 0, "Some bold text\nnext line"),
        ("list_item", 1, "- one"),
        ("list_item", 2, "  - deep"),
        ("list_item", 1, "1. first"),
        ("list_item", 1, "2. second"),
    ]


def test_a_table_becomes_markdown_in_its_place_with_merged_cells_once() -> None:
    def fill(document: Any) -> None:
        document.add_paragraph("Before.")
        table = document.add_table(2, 3)
        for row, cells in enumerate([["Year", "", "A|B"], ["2020", "3\n4", "5"]]):
            for column, text in enumerate(cells):
                table.cell(row, column).text = text
        table.cell(0, 0).merge(table.cell(0, 1))
        document.add_paragraph("After.")

    assert read(word(fill)).text == (
        "Before.\n\n| Year |  | A\\|B |\n| --- | --- | --- |\n| 2020 | 3 4 | 5 |\n\nAfter."
    )


def test_the_documents_own_title_goes_first() -> None:
    def fill(document: Any) -> None:
        document.core_properties.title = "The real title"
        document.add_heading("A heading", 1)

    assert read(word(fill)).title == "The real title"


def test_inserted_linked_and_boxed_text_is_read_and_deleted_text_is_not() -> None:
    box = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice>'
        "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></mc:Choice><mc:Fallback>"
        "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></mc:Fallback></mc:AlternateContent>"
    )

    def fill(document: Any) -> None:
        document.element.body.insert(
            0,
            parse_xml(
                f"<w:p {W}><w:ins><w:r><w:t>in </w:t></w:r></w:ins><w:del><w:r><w:delText>out </w:delText></w:r></w:del>"
                f"<w:hyperlink><w:r><w:t>linked</w:t></w:r></w:hyperlink><w:r>{box}</w:r></w:p>"
            ),
        )
        document.element.body.insert(
            1,
            parse_xml(f"<w:sdt {W}><w:sdtContent><w:p><w:r><w:t>controlled</w:t></w:r></w:p></w:sdtContent></w:sdt>"),
        )

    assert read(word(fill)).text == "in linked\nboxed\n\ncontrolled"


def changed(data: bytes, **parts: bytes | None) -> bytes:
    """Return a package with parts replaced; `None` leaves one out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = parts.pop(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
        for name, content in parts.items():
            new.writestr(name, content or b"")
    return out.getvalue()


SMALL = word(lambda document: document.add_paragraph("text"))


def test_footnotes_are_read_after_the_body() -> None:
    relations = zipfile.ZipFile(io.BytesIO(SMALL)).read("word/_rels/document.xml.rels")
    note = (
        b'<Relationship Id="rId99" Target="footnotes.xml" Type='
        b'"http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"/></Relationships>'
    )
    types = zipfile.ZipFile(io.BytesIO(SMALL)).read("[Content_Types].xml")
    data = changed(
        SMALL,
        **{
            "word/_rels/document.xml.rels": relations.replace(b"</Relationships>", note),
            "word/footnotes.xml": f"<w:footnotes {W}><w:footnote><w:p><w:r><w:t>noted</w:t></w:r></w:p></w:footnote>"
            "</w:footnotes>".encode(),
            "[Content_Types].xml": types.replace(
                b"</Types>", b'<Override PartName="/word/footnotes.xml" ContentType="application/xml"/></Types>'
            ),
        },
    )
    assert read(data).text == "text\n\nnoted"


def test_a_file_without_text_is_refused() -> None:
    with pytest.raises(DocumentEmpty):
        read(word(lambda document: document.add_paragraph(" ")))


def test_a_file_that_unpacks_to_a_multiple_of_the_limit_is_refused_before_it_is_unpacked() -> None:
    bomb = changed(SMALL, **{"word/media/big.bin": bytes(60_000_000)})
    assert len(bomb) < 200_000
    with pytest.raises(DocumentTooLarge, match="unpacks to"):
        read(bomb, limit=1 << 20)


def test_entities_that_multiply_are_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
    )
    xml = f'<?xml version="1.0"?>{bomb}]><w:document {W}><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>'
    with pytest.raises(DocumentUnreadable):
        read(changed(SMALL, **{"word/document.xml": xml.encode()}))


@pytest.mark.parametrize(
    "data",
    [
        SMALL[: len(SMALL) // 2],
        changed(SMALL, **{"word/document.xml": b"<w:document"}),
        changed(SMALL, **{"word/document.xml": b"<html/>"}),
        changed(SMALL, **{"_rels/.rels": None}),
        changed(SMALL, **{"[Content_Types].xml": None}),
        changed(SMALL, **{"word/styles.xml": b"<a/>"}),
    ],
)
def test_a_damaged_file_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match="damaged"):
        read(data, limit=1 << 24)


def test_an_encrypted_file_is_told_from_an_old_one() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
    with pytest.raises(DocumentUnreadable, match="encrypted"):
        read(ole + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(DocumentTypeUnknown, match=r"save it as \.docx"):
        read(ole)


@pytest.mark.parametrize(
    ("part", "spoken"), [("xl/workbook.xml", "Excel"), ("ppt/presentation.xml", "PowerPoint"), ("a", "a zip archive")]
)
def test_other_packages_are_named(part: str, spoken: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr(part, b"")
    with pytest.raises(DocumentTypeUnknown, match=spoken):
        read(out.getvalue())
