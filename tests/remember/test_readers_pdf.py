"""PDF: printed lines become paragraphs and headings, page by page; what has no text or cannot be opened is refused."""

from __future__ import annotations

import contextlib
import io
import random
from itertools import pairwise

import pypdf
import pytest

from mindlog.errors import DocumentTooLarge, DocumentUnreadable
from mindlog.remember.marks import ReadDocument
from mindlog.remember.readers import read_document
from mindlog.remember.source import read_source
from tests.remember.papers import body, pdf, stream


def read(data: bytes, limit: int = 1 << 22) -> ReadDocument:
    return read_document(data, None, None, limit)


def marked(document: ReadDocument) -> list[tuple[str, int, str]]:
    return [(mark.kind, mark.level, document.text[mark.start : mark.end]) for mark in document.marks]


def blocks(document: ReadDocument) -> list[tuple[str, int, str]]:
    return [each for each in marked(document) if each[0] != "page"]


def test_lines_close_together_are_a_paragraph_and_a_wide_gap_ends_it() -> None:
    document = read(pdf([*body("The first line goes", "on here.", "Third line."), *body("Another one.", top=600)]))
    assert blocks(document) == [
        ("paragraph", 0, "The first line goes on here. Third line."),
        ("paragraph", 0, "Another one."),
    ]
    assert (document.kind, document.pages, document.title) == ("pdf", 1, None)


def test_a_word_divided_at_the_end_of_a_line_is_put_together() -> None:
    document = read(pdf(body("This is an encyclo-", "pedia of the East-", "West kind.")))
    assert document.text == "This is an encyclopedia of the East- West kind."


def test_large_letters_are_headings_by_their_size_and_the_first_is_the_title() -> None:
    page = [
        (20, 780, "The Book"),
        (14, 740, "Chapter one, which has"),
        (14, 723, "a long name"),
        *body("Text of the book, in the size that most of its letters have."),
    ]
    document = read(pdf(page))
    assert document.title == "The Book"
    assert blocks(document) == [
        ("heading", 1, "The Book"),
        ("heading", 2, "Chapter one, which has a long name"),
        ("paragraph", 0, "Text of the book, in the size that most of its letters have."),
    ]


def test_the_documents_own_title_goes_first() -> None:
    assert read(pdf([(20, 780, "Big"), *body("Text.")], title="The real title")).title == "The real title"
    assert read(pdf([(20, 780, "Big"), *body("Text text text.")], title="Microsoft Word - x.doc")).title == "Big"


def test_the_outline_tells_headings_where_there_is_one() -> None:
    written = pypdf.PdfWriter(io.BytesIO(pdf([(14, 780, "1. Alpha"), *body("Text.", "1.1 Beta", "more.")])))
    top = written.add_outline_item(title="Alpha", page_number=0)
    written.add_outline_item(title="Beta", page_number=0, parent=top)
    out = io.BytesIO()
    written.write(out)
    assert blocks(read(out.getvalue())) == [
        ("heading", 1, "1. Alpha"),
        ("paragraph", 0, "Text."),
        ("heading", 2, "1.1 Beta"),
        ("paragraph", 0, "more."),
    ]


def test_bullets_are_list_items() -> None:
    document = read(pdf(body("Things:", "• one that goes", "on", "• two", "3) three")))
    assert [(kind, text) for kind, _, text in blocks(document)] == [
        ("paragraph", "Things:"),
        ("list_item", "• one that goes on"),
        ("list_item", "• two"),
        ("list_item", "3) three"),
    ]


def test_pages_are_marked_over_a_paragraph_that_goes_from_one_to_the_next() -> None:
    document = read(pdf(body("It begins on the first page and"), body("ends on the second."), body("Third page.")))
    assert marked(document) == [
        ("page", 1, "It begins on the first page and "),
        ("paragraph", 0, "It begins on the first page and ends on the second."),
        ("page", 2, "ends on the second.\n\n"),
        ("page", 3, "Third page."),
        ("paragraph", 0, "Third page."),
    ]


def test_running_titles_and_page_numbers_are_left_out() -> None:
    pages = [
        [(10, 800, "My Journal, volume 3"), *body(f"Page text of {word}."), (10, 30, f"- {at} -")]
        for at, word in enumerate(["one", "two", "three", "four"], 7)
    ]
    assert read(pdf(*pages)).text == "\n\n".join(f"Page text of {word}." for word in ["one", "two", "three", "four"])


def test_marks_lie_in_order_inside_the_text() -> None:
    document = read(pdf(*[body(*[f"Line {n} of page {p}." for n in range(40)]) for p in range(5)]))
    starts = [mark.start for mark in document.marks]
    assert starts == sorted(starts)
    plain = [mark for mark in document.marks if mark.kind != "page"]
    assert all(a.end <= b.start for a, b in pairwise(plain))
    assert [mark.level for mark in document.marks if mark.kind == "page"] == [1, 2, 3, 4, 5]


def test_a_pdf_without_text_is_refused_and_told_of_text_recognition() -> None:
    with pytest.raises(DocumentUnreadable, match=r"no text on its 2 pages.*OCR"):
        read(pdf([], []))


def encrypted(password: str, algorithm: str = "RC4-128") -> bytes:
    written = pypdf.PdfWriter(io.BytesIO(pdf(body("The secret text."))))
    written.encrypt(password, "owner", algorithm=algorithm)
    out = io.BytesIO()
    written.write(out)
    return out.getvalue()


def test_an_encrypted_pdf_is_refused_unless_its_password_is_empty() -> None:
    with pytest.raises(DocumentUnreadable, match="encrypted"):
        read(encrypted("password"))
    assert read(encrypted("")).text == "The secret text."


def test_a_damaged_pdf_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="damaged"):
        read(b"%PDF-1.7\nnothing of the kind")
    whole = pdf(body("Text."), body("Text."))
    with pytest.raises(DocumentUnreadable):
        read(whole[: len(whole) // 3])


def test_a_text_over_the_limit_is_refused() -> None:
    page = body(*["many words on a line of this page"] * 40)
    data = pdf(*[page] * 40)
    with pytest.raises(DocumentTooLarge, match="longer than"):
        read(data, limit=len(data))


def test_a_stream_that_unpacks_without_end_is_refused() -> None:
    data = pdf(body("x")).replace(b"startxref", b"%")
    bomb = stream(b"\x00" * 200_000_000)
    start, end = data.index(b"<< /Length", data.index(b"5 0 obj")), data.index(b"endobj", data.index(b"5 0 obj"))
    with pytest.raises(DocumentUnreadable):
        read(data[:start] + bomb + b"\n" + data[end:])


@pytest.mark.parametrize("seed", range(8))
async def test_a_pdf_with_flipped_bytes_is_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(pdf(body("Text of the first page."), body("Text of the second.")))
    for _ in range(6):
        data[chance.randrange(9, len(data))] = chance.randrange(256)
    with contextlib.suppress(DocumentUnreadable):
        assert (await read_source(bytes(data))).kind in ("pdf", "text")
