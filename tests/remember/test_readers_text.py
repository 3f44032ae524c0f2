"""Plain text and Markdown: kept as they are, told from what is no text, decoded without loss or refused."""

from __future__ import annotations

import codecs
import contextlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import (
    DocumentEmpty,
    DocumentTooLarge,
    DocumentTypeUnknown,
    DocumentUnreadable,
    InvalidInput,
    MissingExtra,
)
from mindlog.remember.marks import ReadDocument
from mindlog.remember.readers import read_document
from mindlog.remember.readers.decoding import decode

LIMIT = 1 << 20
GERMAN = "Größe und Maß: Ärger über Öl, süße Äpfel für alle. Weiß jemand, was das heißt? " * 8


def read(data: bytes, name: str | None = None, content_type: str | None = None) -> ReadDocument:
    return read_document(data, name, content_type, LIMIT)


def test_plain_text_is_kept_character_for_character() -> None:
    text = "First line\r\n\r\n\tSecond  line \n\n\nThird\x0cpage"
    document = read(text.encode(), "notes.txt")
    assert (document.kind, document.text, document.title, document.pages) == ("text", text, None, None)
    assert document.marks


def test_markdown_keeps_its_signs_and_gives_its_first_heading_as_the_title() -> None:
    text = "intro\n\n# The *title* #\n\ntext\n\n## Part\n\n- item\n"
    document = read(text.encode(), "README.md")
    assert (document.kind, document.text, document.title) == ("markdown", text, "The *title*")
    kinds = [mark.kind for mark in document.marks]
    assert kinds.count("heading") == 2
    assert "list_item" in kinds


@pytest.mark.parametrize(
    ("name", "content_type", "kind"),
    [
        ("a.md", None, "markdown"),
        ("a.md", "text/plain", "markdown"),
        (None, "text/markdown; charset=utf-8", "markdown"),
        ("a.txt", "text/markdown", "markdown"),
        ("data.csv", "text/markdown", "text"),
        ("data.json", "application/json", "text"),
        ("feed.xml", "application/xml", "text"),
        ("page.pdf", "application/pdf", "text"),
        (None, None, "text"),
        ("page.html", None, "html"),
        (None, "text/html", "html"),
    ],
)
def test_the_name_tells_the_kind_of_a_text_before_the_content_type(
    name: str | None, content_type: str | None, kind: str
) -> None:
    assert read(b"a,b\n1,2\n", name, content_type).kind == kind


@pytest.mark.parametrize("start", [b"<!DOCTYPE html>", b"\n <!-- x --><HTML lang=en>", b"<?xml version='1.0'?><html>"])
def test_what_begins_as_a_page_is_one_whatever_its_name_says(start: bytes) -> None:
    assert read(start + b"<p>text</p>", "a.txt", "text/plain").kind == "html"


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + GERMAN.encode(),
        codecs.BOM_UTF16_LE + GERMAN.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + GERMAN.encode("utf-32-le"),
        GERMAN.encode("utf-16-le"),
        GERMAN.encode("utf-16-be"),
        GERMAN.encode("cp1252"),
    ],
)
def test_encodings_are_told_by_their_mark_or_found_out(data: bytes) -> None:
    assert read(data).text == GERMAN


def test_a_declared_encoding_is_believed_where_utf_8_does_not_fit() -> None:
    text = "Привет, мир"
    assert read(text.encode("koi8-r"), None, "text/plain; charset=koi8-r").text == text
    assert read(text.encode(), None, "text/plain; charset=koi8-r").text == text
    assert read("日本".encode("iso2022_jp"), None, "text/plain; charset=ISO-2022-JP").text == "日本"


@pytest.mark.parametrize("charset", ["undefined", "rot13", "no-such", "utf-7", "unicode_escape", "hex"])
def test_an_encoding_that_is_none_is_not_believed(charset: str) -> None:
    assert read(GERMAN.encode("cp1252"), None, f"text/plain; charset={charset}").text == GERMAN


def test_a_damaged_utf_8_text_is_refused_with_the_place_and_never_read_as_something_else() -> None:
    data = GERMAN.encode()[:100] + b"\xff" + GERMAN.encode()[101:]
    with pytest.raises(DocumentUnreadable, match=r"not valid utf-8: .*, at byte 100") as caught:
        read(data)
    assert caught.value.field == "document"


def test_the_place_of_a_fault_counts_from_the_start_in_a_long_text_too() -> None:
    data = ("é" * 1_100_000).encode() + b"\xff" + b"\xc3\xa9" * 100
    with pytest.raises(DocumentUnreadable, match="at byte 2200000"):
        decode(data)


def test_half_of_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="utf-16-le"):
        read(codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"\x00\xd8" + "cd".encode("utf-16-le"))
    with pytest.raises(DocumentUnreadable):
        read("größer \ud800 größer größer".encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("data", [b"", b" \n\t\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE + b" \x00"])
def test_an_empty_document_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentEmpty):
        read(data)


@pytest.mark.parametrize(
    ("data", "spoken"),
    [
        (b"\x89PNG\r\n\x1a\n....", "a PNG picture"),
        (b"\x1f\x8b\x08....", "a gzip archive"),
        (b"{\\rtf1 hello}", "an RTF document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "an older Office file"),
        (b"hello\x00world", "byte 5 is NUL"),
        (bytes(range(1, 32)) * 40, "control characters"),
        (codecs.BOM_UTF16_LE + "a\x00b".encode("utf-16-le"), "character 1 is NUL"),
    ],
)
def test_what_is_no_text_is_refused_with_what_it_is_and_what_is_read(data: bytes, spoken: str) -> None:
    with pytest.raises(DocumentTypeUnknown, match=spoken) as caught:
        read(data, "x.txt", "text/plain")
    assert "Markdown, HTML, PDF and Word" in caught.value.detail
    assert isinstance(caught.value, InvalidInput)


def test_one_byte_over_the_limit_is_refused_and_the_limit_itself_is_not() -> None:
    assert read_document(b"abcde", None, None, 5).text == "abcde"
    with pytest.raises(DocumentTooLarge, match="6 bytes, more than 5") as caught:
        read_document(b"abcdef", None, None, 5)
    assert caught.value.field == "document"
    assert caught.value.extra == {"limit": 5}


def test_utf_8_needs_no_extra_and_finding_an_encoding_out_names_the_one_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("charset_normalizer", "selectolax", "selectolax.lexbor", "pypdf", "docx"):
        monkeypatch.setitem(sys.modules, module, None)
    assert read("# Größe".encode(), "a.md").title == "Größe"
    with pytest.raises(MissingExtra, match=r"mindlog\[documents\]"):
        read(GERMAN.encode("cp1252"))
    for data in (b"<html><p>x", b"%PDF-1.4", b"<!doctype html>x"):
        with pytest.raises(MissingExtra, match=r"mindlog\[documents\]"):
            read(data)


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1))
def test_any_utf_8_text_comes_back_as_it_was_with_marks_inside_it(text: str) -> None:
    if text.isspace() or text[0] == "\ufeff" or text.lstrip().startswith(("%PDF-", "<", "{", "%!", "PK", "MZ")):
        return
    try:
        document = read(text.encode())
    except DocumentTypeUnknown:
        pytest.fail(f"refused: {text!r}")
    assert document.text == text
    assert all(0 <= mark.start < mark.end <= len(text) for mark in document.marks)


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused_as_invalid_input(data: bytes) -> None:
    with contextlib.suppress(InvalidInput):
        assert read(data).text


FIFTY_MEGABYTES = """
import resource, sys
from mindlog.remember.readers import read_document
line = "Größe 12: the quick brown fox jumps over the lazy dog. " * 5 + "\\n\\n"
data = (line * (50_000_000 // len(line.encode()))).encode()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
document = read_document(data, "long.txt", None, 64 << 20)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(document.text), len(document.marks), (after - before) // 1024)
"""


def test_fifty_megabytes_of_text_are_read_in_bounded_memory() -> None:
    done = subprocess.run([sys.executable, "-c", FIFTY_MEGABYTES], capture_output=True, text=True, check=True)
    characters, marks, mebibytes = map(int, done.stdout.split())
    assert characters > 48_000_000
    assert marks > 100_000
    assert mebibytes < 300
