"""What a cue says: the dates it names, whether it speaks of the speaker, and what each of its tokens weighs."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.recall.cue import DateRange, date_ranges, read_cue, token_weights, words

RANGES: list[tuple[str, list[tuple[int | None, int | None, int | None]]]] = [
    ("What happened on May 8?", [(None, 5, 8)]),
    ("What happened on May 8th, 2023?", [(2023, 5, 8)]),
    ("on 8 May", [(None, 5, 8)]),
    ("on the 8th of May 2023", [(2023, 5, 8)]),
    ("on the 21st of April", [(None, 4, 21)]),
    ("MARCH 1ST", [(None, 3, 1)]),
    ("March 1 2024 and 2 April 2024", [(2024, 3, 1), (2024, 4, 2)]),
    ("in May", [(None, 5, None)]),
    ("during May 2023", [(2023, 5, None)]),
    ("early May, 2023", [(2023, 5, None)]),
    ("May 2023", [(2023, 5, None)]),
    ("June, 2030", [(2030, 6, None)]),
    ("since last March", [(None, 3, None)]),
    ("in 2023", [(2023, None, None)]),
    ("the summer of 1998", [(1998, None, None)]),
    ("in May 2023 and in 2024", [(2023, 5, None)]),  # a year alone counts only without anything narrower
    ("on May 8 and in June", [(None, 5, 8), (None, 6, None)]),
    ("on May 8 and on May 8", [(None, 5, 8)]),
    ("31 February", [(None, 2, 31)]),
    ("May I ask?", []),
    ("they march on", []),
    ("you may 100 times", []),
    ("room 2023", []),
    ("2023 people", []),
    ("in 3023", []),
    ("mayhem in marching order", []),
    ("dismay 8", []),
    ("", []),
    ("????", []),
]


@pytest.mark.parametrize(("text", "expected"), RANGES)
def test_the_days_months_and_years_a_cue_names(
    text: str, expected: list[tuple[int | None, int | None, int | None]]
) -> None:
    assert [(d.year, d.month, d.day) for d in date_ranges(text)] == expected


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    cue = read_cue(text)
    assert cue.text == text
    assert len(cue.terms) == len(set(cue.terms))
    for found in cue.dates:
        for year in (1, 1970, 2024, 9999):
            found.days(found.year or year)


def days_of(year: int, month: int | None = None, day: int | None = None) -> tuple[int, int] | None:
    return DateRange(year=year, month=month, day=day).days(year)


def number(year: int, month: int, day: int) -> int:
    return (date(year, month, day) - date(1970, 1, 1)).days


def test_a_range_is_half_open_in_days_since_1970() -> None:
    assert days_of(1970, 1, 1) == (0, 1)
    assert days_of(1969, 12, 31) == (-1, 0)
    assert days_of(2024, 2) == (number(2024, 2, 1), number(2024, 3, 1))
    assert days_of(2024, 12) == (number(2024, 12, 1), number(2025, 1, 1))
    assert days_of(2024) == (number(2024, 1, 1), number(2025, 1, 1))
    assert days_of(1900, 2, 28) == (number(1900, 2, 28), number(1900, 3, 1))


@pytest.mark.parametrize(
    "impossible", [(2023, 2, 29), (2024, 4, 31), (2024, 1, 32), (0, 1, 1), (10_000, 1, 1), (9999, 12, None)]
)
def test_a_day_the_calendar_does_not_have_is_no_range(impossible: tuple[int, int | None, int | None]) -> None:
    assert days_of(*impossible) is None


@pytest.mark.parametrize(
    ("text", "first_person"),
    [("What did I say?", True), ("my knee", True), ("our boat", True), ("ME!", True), ("Is it mine?", True),
     ("What did Ruth say?", False), ("the mine", True), ("time", False), ("", False), ("I'm here", True)],
)  # fmt: skip
def test_a_cue_in_the_first_person_is_recognised(text: str, first_person: bool) -> None:
    assert read_cue(text).first_person is first_person


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
