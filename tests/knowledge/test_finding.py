"""Words are found whatever their case, width, accents and blanks, with their true places, and never inside other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.extract.canonical import canonical
from mindlog.knowledge.extract.finding import Finder
from mindlog.knowledge.extraction import name_key


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("Ada met ADA and Adam.", "ada", ["Ada", "ADA"]),
        ("She moved\n  to Łódź.", "moved to lodz", ["moved\n  to Łódź"]),
        ("“It’s fine”, he said", '"it\'s fine"', ["“It’s fine”"]),
        ("ｆｕｌｌ width", "FULL", ["ｆｕｌｌ"]),
        ("김민수는 서울에 산다", "김민수", ["김민수"]),
        ("王小明住在北京", "北京", ["北京"]),
        ("Straße", "strasse", ["Straße"]),
        ("nothing", "", []),
        ("nothing", "thing", []),
        ("Анна и Анна Петрова", "анна", ["Анна", "Анна"]),
    ],
)
def test_words_are_found(text: str, words: str, found: list[str]) -> None:
    assert [span.of(text) for span in Finder(text).all(words)] == found


@given(st.text(max_size=80), st.integers(0, 80), st.integers(1, 20))
def test_a_place_that_is_found_says_the_words(text: str, start: int, size: int) -> None:
    words = text[start : start + size]
    for span in Finder(text).all(words):
        assert span.inside(text)
        assert name_key(span.of(text)) == name_key(words) or not any(map(str.isalnum, words))


def test_a_name_said_very_often_is_found_in_linear_time() -> None:
    assert len(Finder("Ada " * 50_000).all("ada")) == 1_000


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("lives_in", ("lives_in", False)),
        ("livesIn", ("lives_in", False)),
        ("Resides in", ("lives_in", False)),
        ("works-for", ("works_at", False)),
        ("has_sister", ("sister_of", True)),
        ("home_of", ("lives_in", True)),
        ("color", ("colour", False)),
        ("favorite_band", ("favourite_band", False)),
        ("relative_of", ("relative_of", False)),  # the way back of several
        ("climbed_with", ("climbed_with", False)),
        ("", ("", False)),
    ],
)
def test_one_predicate_is_made_of_the_ways_to_write_it(said: str, meant: tuple[str, bool]) -> None:
    assert canonical(said) == meant
