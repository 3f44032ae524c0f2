"""Plain text and Markdown are marked by their structure, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.remember.headings import heading_text
from mindlog.remember.marks import DocumentKind, Mark, mark_text

MARKDOWN = """# Harbour report

The harbour was closed
on Monday.

- cranes
  and ropes
- boats
  - small boats

| month | ships |
|---|---|
| May | 31 |

Costs
-----

```py
x = 1

y = 2
```
Tail.

    indented code
"""
PLAIN = """CHAPTER I.
Down the Harbour

Ann was tired. Note: it was late.

2. Methods

We measured.

2.1 Tools

1. Buy rope

2. Call Bob

Ann: hi
Bob: hello
how are you

date,ships
2024-05-01,3
2024-05-02,4

Depth
*****

Deeper
======

>>> 1 + 1
2
"""
alphabet = st.sampled_from(
    [*"ab1A#-=*|+.,:;`~>\t ", "\n", "\n\n", "\r\n", "- ", "1. ", "# ", "```", "CHAPTER 1", "。", "Ann: "]
)
texts = st.lists(alphabet, max_size=60).map("".join)


def shown(text: str, kind: DocumentKind) -> list[tuple[str, int, str]]:
    return [(mark.kind, mark.level, text[mark.start : mark.end]) for mark in mark_text(text, kind)]


def test_markdown_is_marked_by_its_signs() -> None:
    assert shown(MARKDOWN, "markdown") == [
        ("heading", 1, "# Harbour report"),
        ("paragraph", 0, "The harbour was closed\non Monday."),
        ("list_item", 1, "- cranes\n  and ropes"),
        ("list_item", 1, "- boats"),
        ("list_item", 2, "  - small boats"),
        ("table", 0, "| month | ships |\n|---|---|\n| May | 31 |"),
        ("heading", 2, "Costs\n-----"),
        ("code", 0, "```py\nx = 1\n\ny = 2\n```"),
        ("paragraph", 0, "Tail."),
        ("code", 0, "    indented code"),
    ]


def test_plain_text_has_headings_by_words_numbers_capitals_and_drawn_lines() -> None:
    assert shown(PLAIN, "text") == [
        ("heading", 2, "CHAPTER I.\nDown the Harbour"),
        ("paragraph", 0, "Ann was tired. Note: it was late."),
        ("heading", 2, "2. Methods"),
        ("paragraph", 0, "We measured."),
        ("heading", 3, "2.1 Tools"),
        ("list_item", 1, "1. Buy rope"),
        ("list_item", 1, "2. Call Bob"),
        ("paragraph", 0, "Ann: hi"),
        ("paragraph", 0, "Bob: hello\nhow are you"),
        ("table", 0, "date,ships\n2024-05-01,3\n2024-05-02,4"),
        ("heading", 1, "Depth\n*****"),
        ("heading", 2, "Deeper\n======"),
        ("code", 0, ">>> 1 + 1\n2"),
    ]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("PART TWO", 1),
        ("Chapter 12. The Whale", 2),
        ("Kapitel 3", 2),
        ("Глава IV", 2),
        ("第三章", 2),
        ("Preface", 2),
        ("THE WHALE", 3),
        ("Scene 2", 3),
        ("IV. The Storm", 2),
        ("1.2.3 Limits", 4),
    ],
)
def test_a_line_that_heads_a_division_is_a_heading_of_its_level(line: str, level: int) -> None:
    assert shown(f"Before it.\n\n{line}\n\nAnd the text goes on.", "text")[1] == ("heading", level, line)


@pytest.mark.parametrize(
    "line",
    ["Stop that at once!", "OK", "Part of it was lost, he said.", "1999", "Chapter and verse,", "Act now", "3 men."],
)
def test_an_ordinary_line_that_stands_alone_is_no_heading(line: str) -> None:
    assert [kind for kind, _, _ in shown(f"Before it.\n\n{line}\n\nAnd the text goes on.", "text")] == ["paragraph"] * 3


def test_lines_of_prose_with_commas_are_no_table() -> None:
    text = "red, white\nblue, green\ngrey, black\n"
    assert [kind for kind, _, _ in shown(text, "text")] == ["paragraph"]


def test_front_matter_is_no_heading() -> None:
    text = "---\ntitle: Harbour\n---\n\nThe text.\n"
    assert [kind for kind, _, _ in shown(text, "markdown")] == ["code", "paragraph"]


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("## Costs ##", "Costs"),
        ("Costs\n-----", "Costs"),
        ("*****\nCosts\n*****", "Costs"),
        ("# **Bold** and C#", "**Bold** and C#"),
        ("CHAPTER I.\nDown  the Harbour", "CHAPTER I. Down the Harbour"),
        ("# **Costs**", "Costs"),
        ("#", ""),
    ],
)
def test_what_a_heading_says_is_without_its_signs(marked: str, said: str) -> None:
    assert heading_text(marked) == said


@given(texts, st.sampled_from(["text", "markdown"]))
def test_marks_are_in_order_apart_and_cover_all_that_is_not_white(text: str, kind: DocumentKind) -> None:
    marks = mark_text(text, kind)
    edges = [0, *(edge for mark in marks for edge in (mark.start, mark.end)), len(text)]
    assert edges == sorted(edges)
    assert all(mark.start < mark.end and text[mark.start : mark.end].strip() for mark in marks)
    gaps = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    assert not "".join(gaps).strip()
    assert all(1 <= mark.level <= 6 for mark in marks if mark.kind == "heading")


@given(texts)
def test_the_same_text_has_the_same_marks(text: str) -> None:
    first: tuple[Mark, ...] = mark_text(text, "text")
    assert mark_text(text, "text") == first
