"""HTML: what a reader of the page sees, with its structure, and nothing of the machinery around it."""

from __future__ import annotations

import pytest

from mindlog.errors import DocumentEmpty, DocumentTooLarge
from mindlog.remember.marks import ReadDocument
from mindlog.remember.readers import read_document


def read(page: str | bytes, content_type: str | None = "text/html", limit: int = 1 << 22) -> ReadDocument:
    return read_document(page.encode() if isinstance(page, str) else page, "page.html", content_type, limit)


def marked(document: ReadDocument) -> list[tuple[str, int, str]]:
    return [(mark.kind, mark.level, document.text[mark.start : mark.end]) for mark in document.marks]


def test_blocks_become_text_with_an_empty_line_between_and_marks_that_fit() -> None:
    document = read(
        "<html><head><title> The\n title </title></head><body><h1>Big <b>news</b></h1>"
        "<p>Hello <i>there</i>&nbsp;you,<br> second   line.</p>loose<div>in<p>nested</div></body></html>"
    )
    assert (document.title, document.kind, document.pages) == ("The title", "html", None)
    assert marked(document) == [
        ("heading", 1, "Big news"),
        ("paragraph", 0, "Hello there you,\nsecond line."),
        ("paragraph", 0, "loose"),
        ("paragraph", 0, "in"),
        ("paragraph", 0, "nested"),
    ]
    assert document.text.startswith("Big news\n\nHello there you,\nsecond line.\n\nloose")


@pytest.mark.parametrize(
    "part",
    [
        "<script>secret()</script>",
        "<style>.secret{}</style>",
        "<nav><a href=x>secret</a></nav>",
        "<div role=navigation>secret</div>",
        "<noscript>secret</noscript>",
        "<template><p>secret</p></template>",
        "<p hidden>secret</p>",
        "<p style='color:red; Display: None'>secret</p>",
        "<!-- secret -->",
        "<select><option>secret</select>",
        "<svg><text>secret</text></svg>",
    ],
)
def test_what_a_reader_does_not_see_is_left_out(part: str) -> None:
    document = read(f"<html><body><p>before</p>{part}<p>after</p>")
    assert document.text == "before\n\nafter"


def test_lists_keep_their_depth_their_numbers_and_what_goes_on_in_an_item() -> None:
    document = read("<ul><li>one<li><p>two</p><p>more</p><ol start=3><li>x<li>y</ol><li>three</ul><p>end</p>")
    assert document.text == "- one\n- two\n  more\n  3. x\n  4. y\n- three\n\nend"
    assert [(mark.kind, mark.level) for mark in document.marks] == [
        *[("list_item", 1)] * 3,
        *[("list_item", 2)] * 2,
        ("list_item", 1),
        ("paragraph", 0),
    ]


def test_code_keeps_its_lines_and_tables_become_markdown() -> None:
    document = read(
        "<pre>def f():\n    return 1\n</pre><table><caption>Sales</caption><tr><th>Year<th colspan=2>A|B</tr>"
        "<tr><td>2020<td><p>3</p><p>4</p><td>5</tr><tr><td></tr></table>"
    )
    assert marked(document) == [
        ("code", 0, "def f():\n    return 1"),
        ("paragraph", 0, "Sales"),
        ("table", 0, "| Year | A\\|B |  |\n| --- | --- | --- |\n| 2020 | 3 4 | 5 |"),
    ]


def test_a_table_that_lays_the_page_out_is_read_through() -> None:
    document = read("<table><tr><td><h2>Left</h2>text<td><table><tr><td>a<td>b</table></table>")
    assert [(kind, text) for kind, _, text in marked(document)] == [
        ("heading", "Left"),
        ("paragraph", "text"),
        ("table", "| a | b |\n| --- | --- |"),
    ]


def test_a_page_with_one_main_part_is_read_for_it_alone() -> None:
    assert read("<body><div>menu</div><main><h1>T</h1><p>text</p></main><footer>(c)</footer>").text == "T\n\ntext"


def test_the_title_is_the_first_heading_where_the_page_names_none() -> None:
    assert read("<p>a</p><h1>The  heading</h1>").title == "The heading"
    assert read("<p>a</p>").title is None


@pytest.mark.parametrize(
    "page",
    [
        "<html><head><meta charset='windows-1251'></head><p>Привет, мир</p>".encode("cp1251"),
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>Привет, мир</p>'.encode("cp1251"),
        "<html><p>Привет, мир</p>".encode(),
        "<html><p>Привет, мир</p>".encode("utf-16"),
    ],
)
def test_the_encoding_is_the_one_the_page_names(page: bytes) -> None:
    assert read(page, "text/html").text == "Привет, мир"


def test_the_encoding_of_the_content_type_goes_before_the_pages() -> None:
    page = "<meta charset=koi8-r><p>Привет</p>".encode("cp1251")
    assert read(page, "text/html; charset=windows-1251").text == "Привет"


def test_character_references_cannot_bring_in_what_no_text_may_hold() -> None:
    assert read("<p>a&#0;b&#xD800;c&#x1;d</p>").text == "a\ufffdb\ufffdcd"


@pytest.mark.parametrize("page", ["<html><body></body></html>", "<html><script>x</script><nav>menu</nav>"])
def test_a_page_without_readable_text_is_refused(page: str) -> None:
    with pytest.raises(DocumentEmpty):
        read(page)


def test_a_page_nested_twenty_thousand_deep_is_read() -> None:
    assert read("<div>" * 20_000 + "deep" + "</div>" * 20_000).text == "deep"


def test_wide_spans_do_not_blow_a_table_up() -> None:
    assert len(read("<table><tr>" + "<td colspan=999999999>a<td colspan=5000>b" + "</table>").text) < 1000


def test_a_text_over_the_limit_is_refused() -> None:
    with pytest.raises(DocumentTooLarge, match="longer than 100 characters"):
        # A wide cell makes the text longer than the page.
        read("<table><tr><td colspan=60>a</table>", limit=100)
