"""What a cue says: its terms, the names it may hold, whether it speaks of the speaker, what each of its tokens weighs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.extraction import name_key
from mindlog.recall.cue import name_keys, read_cue, token_weights, words


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    cue = read_cue(text)
    assert cue.text == text
    assert len(cue.terms) == len(set(cue.terms))


@pytest.mark.parametrize(
    ("text", "first_person"),
    [("What did I say?", True), ("my knee", True), ("our boat", True), ("ME!", True), ("Is it mine?", True),
     ("What did Ruth say?", False), ("the mine", True), ("time", False), ("", False), ("I'm here", True)],
)  # fmt: skip
def test_a_cue_in_the_first_person_is_recognised(text: str, first_person: bool) -> None:
    assert read_cue(text).first_person is first_person


def test_every_stretch_of_up_to_five_words_may_be_a_name_the_longest_first() -> None:
    keys = name_keys("Where does Ana María's New York office buy it?")
    assert {"ana maria", "ana", "maria", "new york", "new york office", "s"} <= {*keys, "s"}
    sizes = [len(key.split()) for key in keys]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) == 5


def test_a_function_word_is_a_name_only_if_it_is_written_as_one() -> None:
    assert "will" not in name_keys("what will she do")
    assert "will" in name_keys("where does Will live")
    assert "what" not in name_keys("What is it")


def test_names_in_scripts_without_spaces_are_found_inside_of_words() -> None:
    assert name_key("田中") in name_keys("田中さんはどこに住んでいますか")
    assert name_key("東京") in name_keys("私は東京に住んでいる")


@given(st.text(max_size=400))
def test_the_names_of_any_text_are_few_and_each_once(text: str) -> None:
    keys = name_keys(text)
    assert len(keys) == len(set(keys)) <= 400


def test_of_a_very_long_cue_the_beginning_may_be_names() -> None:
    keys = name_keys(" ".join(f"word{n}" for n in range(2000)))
    assert "word3" in keys
    assert "word1500" not in keys


def test_words_are_folded_and_without_punctuation() -> None:
    assert words("Dr. Amano's ÉCOLE, snake_case!") == {"dr", "amano", "s", "école", "snake", "case"}


def idf(term: str) -> float:
    return {"lamp": 3.0, "ship": 2.0}.get(term, 7.0)


def spans(text: str, *tokens: str) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    found, at = [], 0
    for token in tokens:
        at = text.index(token, at)
        found.append((at, at + len(token)))
        at += len(token)
    return np.array(found, np.int32).reshape(-1, 2)


def test_a_token_weighs_what_its_word_weighs() -> None:
    text = "When do the lamps ship, un-shippable?"
    tokens = ("When", "the", "lamp", "s", "ship", ",", "un", "-", "shipp", "able", "?")
    weights = dict(zip(tokens, token_weights(text, spans(text, *tokens), idf).tolist(), strict=True))
    assert (weights["When"], weights["the"]) == (0.5, 0.5)
    assert (weights["lamp"], weights["s"]) == (3.0, 3.0)  # pieces of one word weigh the same
    assert weights["ship"] == 2.0
    assert max(weights[","], weights["-"], weights["?"]) < 1e-3
    assert weights["un"] == 7.0  # unknown words weigh most
    assert weights["shipp"] == weights["able"]


@given(st.text(min_size=1, max_size=60), st.data())
def test_every_token_of_any_text_weighs_something(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    weights = token_weights(text, np.array([[start, end]], np.int32), idf)
    assert weights.dtype == np.float32
    assert weights[0] > 0
