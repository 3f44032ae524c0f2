"""A document is divided along its structure: nothing lost, nothing twice, sizes bounded, sentences and tables whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindlog.models.catalog import DEFAULT_FOLDER
from mindlog.models.counting import TokenCounter, estimate_tokens
from mindlog.remember.chunk import LIMIT, TARGET, Chunk, chunks
from mindlog.remember.marks import DocumentKind, Mark, ReadDocument, mark_text
from mindlog.remember.pieces import CHARS_PER_TOKEN
from mindlog.remember.sentences import sentence_spans

part = st.sampled_from(
    ["Ann sails. ", "The harbour was closed, as Dr. Roe said; nobody came. ", "漢字です。", "# Head\n\n", "## Sub\n\n", "\n\n", "\n", "- item\n",
     "| a | b |\n|---|---|\n| 1 | 2 |\n", "```\nx = 1\n```\n", "x" * 150, " " * 200, "a\u0301" * 30, "CHAPTER 2\n\n", "w " * 40]
)  # fmt: skip
texts = st.one_of(st.lists(part, max_size=40).map("".join), st.text(max_size=200))
kinds = st.sampled_from(["text", "markdown"])


def read(text: str, kind: DocumentKind = "markdown") -> ReadDocument:
    return ReadDocument(None, kind, text, mark_text(text, kind))


def divided(text: str, target: int = TARGET, limit: int = LIMIT, kind: DocumentKind = "markdown") -> list[Chunk]:
    return chunks(read(text, kind), estimate_tokens, target, limit)


def words(count: int, word: str = "harbour") -> str:
    return " ".join(f"{word[:1].upper()}{word[1:]} {number} is open." for number in range(count))


@settings(max_examples=150, deadline=None)
@given(texts, kinds, st.integers(1, 60), st.integers(0, 120))
def test_chunks_hold_all_that_is_not_white_in_order_and_once(
    text: str, kind: DocumentKind, target: int, more: int
) -> None:
    found = divided(text, target, target + more, kind)
    edges = [0, *(edge for chunk in found for edge in (chunk.start, chunk.end)), len(text)]
    assert edges == sorted(edges)
    assert not "".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)).strip()
    assert all(text[chunk.start : chunk.end] == chunk.text == chunk.text.strip() != "" for chunk in found)
    assert [chunk.position for chunk in found] == list(range(len(found)))


@settings(max_examples=150, deadline=None)
@given(texts, kinds, st.integers(1, 60), st.integers(0, 120))
def test_no_chunk_is_over_the_limit(text: str, kind: DocumentKind, target: int, more: int) -> None:
    limit = target + more
    for chunk in divided(text, target, limit, kind):
        assert estimate_tokens([chunk.text])[0] <= chunk.tokens <= limit
        assert len(chunk.text) <= CHARS_PER_TOKEN * limit


@settings(deadline=None)
@given(texts, kinds)
def test_the_same_document_has_the_same_chunks(text: str, kind: DocumentKind) -> None:
    assert divided(text, 20, 40, kind) == divided(text, 20, 40, kind)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["Ann sails.", "The ship from Bergen came on Monday, late.", "Why?", "Nobody knew it."]),
        max_size=80,
    )
)
def test_no_sentence_is_cut_that_is_within_the_limit(sentences: list[str]) -> None:
    text = " ".join(sentences)
    edges = {edge for chunk in divided(text, 20, 40) for edge in (chunk.start, chunk.end)}
    assert edges <= {edge for span in sentence_spans(text) for edge in span}


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["heading", "paragraph", "code", "page", "table"]), st.integers(0, 40), st.integers(0, 40)
        ),
        max_size=8,
    )
)
def test_marks_of_any_reader_lose_nothing_of_the_text(marks: list[tuple[str, int, int]]) -> None:
    text = "Ann sails to Bergen. Bob stays here."
    made = tuple(Mark(kind, start, end) for kind, start, end in sorted(marks, key=lambda mark: mark[1]))  # pyright: ignore[reportArgumentType]
    found = chunks(ReadDocument(None, "pdf", text, made), estimate_tokens, 5, 10)
    assert "".join("".join(chunk.text.split()) for chunk in found) == "".join(text.split())


def test_a_white_document_has_no_chunk() -> None:
    assert divided("") == divided(" \n\t\n") == []


def test_a_small_document_is_one_chunk() -> None:
    (chunk,) = divided("# Harbour\n\nIt is open.\n\n- ropes\n- boats\n")
    assert (chunk.headings, chunk.start) == (("Harbour",), 0)


def test_sections_of_a_fair_size_are_chunks_with_their_headings() -> None:
    text = f"# Port\n\n{words(30)}\n\n## North\n\n{words(30)}\n\n## South\n\n{words(30)}\n"
    found = divided(text, target=150)
    assert [chunk.headings for chunk in found] == [("Port",), ("Port", "North"), ("Port", "South")]
    assert [chunk.text.split("\n", 1)[0] for chunk in found] == ["# Port", "## North", "## South"]


def test_small_sections_are_joined_under_the_heading_they_share() -> None:
    text = "# Port\n\n" + "".join(f"## Pier {number}\n\nIt is open.\n\n" for number in range(12))
    (chunk,) = divided(text)
    assert chunk.headings == ("Port",)


def test_a_heading_stays_with_what_follows_it() -> None:
    text = "".join(f"## Pier {number}\n\n{words(35)}\n\n" for number in range(20))
    assert not [chunk for chunk in divided(text) if chunk.text.rsplit("\n", 1)[-1].startswith("#")]


def test_what_is_announced_stays_with_its_announcement() -> None:
    text = f"{words(36)}\n\nThe piers are these:\n\n- north\n- south\n\n{words(36)}"
    announced = [chunk.text for chunk in divided(text) if "these:" in chunk.text]
    assert "- north\n- south" in announced[0]


def test_a_long_paragraph_is_divided_evenly_between_sentences() -> None:
    found = divided(words(120), target=220)
    assert all(chunk.text.endswith("open.") for chunk in found)
    assert max(chunk.tokens for chunk in found) - min(chunk.tokens for chunk in found) <= 40


def test_a_long_table_is_divided_between_its_lines() -> None:
    rows = "\n".join(f"| pier {number} | open since {1900 + number} |" for number in range(100))
    found = divided(f"| pier | since |\n|---|---|\n{rows}\n")
    assert len(found) > 2
    assert all(chunk.text.startswith("| ") and chunk.text.endswith(" |") for chunk in found)


def test_a_sentence_over_the_limit_is_cut_at_a_clause_then_a_word_then_a_character() -> None:
    clauses = ", ".join(f"pier {number} with its cranes and ropes and boats" for number in range(40))
    assert all(chunk.text.endswith(",") for chunk in divided(clauses, 50, 60)[:-1])
    assert all(chunk.text.startswith("harbour") for chunk in divided("harbour " * 400, 50, 60))
    assert "".join(chunk.text for chunk in divided("漢" * 400, 50, 60)) == "漢" * 400


def test_a_cut_leaves_a_sign_with_its_letter() -> None:
    assert not [chunk for chunk in divided("e\u0301" * 3000, 20, 40) if chunk.text.startswith("\u0301")]


def test_a_word_of_a_mebibyte_and_a_mebibyte_of_blanks_make_chunks_of_bounded_size() -> None:
    def one_for_all(texts: list[str]) -> list[int]:
        return [1 for _ in texts]

    text = "\U0001f600" * (1 << 19) + "\n\nEnd." + " " * (1 << 20) + "Here."
    found = chunks(read(text), one_for_all, 40_000, 1_000_000)
    assert max(len(chunk.text.encode()) for chunk in found) <= 1 << 20
    assert found[-1].text == "Here."


def test_pages_and_gaps_between_marks_are_read_as_text() -> None:
    text = "Title\nAnn sails.\nBob stays."
    marks = (Mark("page", 0, 16, 1), Mark("heading", 0, 5, 1), Mark("page", 16, 27, 2), Mark("paragraph", 17, 27))
    (chunk,) = chunks(ReadDocument(None, "pdf", text, marks, 2), estimate_tokens)
    assert (chunk.text, chunk.headings) == (text, ("Title",))


def test_texts_are_counted_in_batches_of_bounded_size() -> None:
    asked: list[int] = []

    def count(texts: list[str]) -> list[int]:
        asked.append(sum(map(len, texts)))
        return estimate_tokens(texts)

    chunks(read(words(8_000)), count)
    assert 2 <= len(asked) < 20
    assert max(asked) <= (1 << 15) + CHARS_PER_TOKEN * LIMIT


@pytest.mark.skipif(
    not (DEFAULT_FOLDER / "tokenizer.json").exists(), reason="the default model is not built (make model)"
)
def test_with_the_models_own_tokenizer_the_tokens_of_a_chunk_are_those_of_its_text() -> None:
    count = TokenCounter(DEFAULT_FOLDER / "tokenizer.json")
    text = f"# Port\n\n{words(200)}\n\nΟ λιμένας είναι ανοιχτός. 港は開いています。\n\n```\nx = f(1)\n```\n"
    found = chunks(read(text), count)
    assert [chunk.tokens for chunk in found] == count([chunk.text for chunk in found])
