"""Prompts are files with versions, and no text can end the quotation it is put in."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.prompts import as_data, load_prompt


def test_every_prompt_has_its_version_in_its_name_and_fills_its_holes() -> None:
    names = {path.name for path in resources.files("mindlog.knowledge.prompts").iterdir() if path.name.endswith(".md")}
    assert {"extract.v1.md", "extract.v2.md", "questions.v1.md"} <= names
    holes = {"kinds": "a", "predicates": "b", "limit": "6", "length": "200", "speaker": "c"}
    for name in names:
        prompt = load_prompt(name.removesuffix(".md"))
        assert prompt.name.rpartition(".v")[2].isdecimal()
        assert "{{" not in prompt.filled(**holes)


def test_a_hole_without_a_word_is_an_error() -> None:
    with pytest.raises(KeyError):
        load_prompt("questions.v1").filled(limit="6")


@given(st.text(max_size=200))
def test_no_text_holds_the_lines_around_it(text: str) -> None:
    quoted = as_data(text)
    fence = quoted.split("\n", 1)[0]
    assert fence not in text
    assert quoted == f"{fence}\n{text}\n{fence}"


def test_a_text_that_guesses_the_line_gets_another() -> None:
    fence = as_data("").split("\n", 1)[0]
    assert as_data(fence).split("\n", 1)[0] != fence
