"""Where sentences end, in many scripts, and where they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.remember.sentences import sentence_spans


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Smith paid $3.14 to Mrs. Jones.", "She left at 5 p.m. on Monday.", "It was over."],
        ["He met J. R. R. Tolkien in the U.S. Army.", '"Really?" he said.', '"Yes."', "She nodded."],
        ["He said no.", "Then the sun rose.", "See no. 5 and fig. 3."],
        ["Wir sahen z.B. den Turm am 3. Mai.", "Es kostet ca. 3,5 Mio. Euro."],
        ["M. Dupont est venu.", "Il a dit bonjour !", "Et puis ?"],
        ["¿Vive la Sra. García aquí?", "¡Claro!"],
        ["i like tea.", "my cat is red.", "she sleeps"],
        ["In 1999.", "The next year."],
        ["Wait... what?", "Well…", "Fine (really).", "“Done.”"],
        ["1. First we go.", "2. Then we stop."],
        ["Это г. Москва.", "Он приехал в 5 ч. утра.", "Хорошо."],
        ["هل تحب الشاي؟", "نعم أحبه.", "شكرا."],
        ["यह किताब है।", "वह आया।"],
        ["Այո։", "Ոչ։"],
    ],
    ids=lambda sentences: sentences[0],
)
def test_sentences_with_blanks_between_them(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences
    assert split("\n".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["他来了。", "她走了！", "为什么？", "因为……不知道。"],
        ["今日は雨です。", "「行こう。」と彼は言った。", "はい！", "そうですか？"],
        ["「行こう。」", "彼は走った。"],
    ],
    ids=lambda sentences: sentences[0],
)
def test_sentences_without_blanks_between_them(sentences: list[str]) -> None:
    assert split("".join(sentences)) == sentences


def test_a_line_break_ends_nothing_and_a_blank_line_does() -> None:
    assert split("One line\nand its rest. Next\n\nAnother") == ["One line\nand its rest.", "Next", "Another"]


@given(st.text(alphabet='aB1 .!?…。」"\n\u0301', max_size=60), st.integers(0, 10), st.integers(0, 60))
def test_spans_are_in_order_and_hold_all_that_is_not_white(text: str, start: int, end: int) -> None:
    start, end = min(start, len(text)), max(min(end, len(text)), min(start, len(text)))
    spans = list(sentence_spans(text, start, end))
    edges = [start, *(edge for span in spans for edge in span), end]
    assert edges == sorted(edges)
    assert not "".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)).strip()
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)


def test_a_long_row_of_signs_takes_no_long_time() -> None:
    assert len(split("." * 300_000 + "x")) == 1
