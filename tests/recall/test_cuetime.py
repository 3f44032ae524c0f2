"""What a cue says of time: days and months of any year, windows, what is relative, and what nobody can resolve."""

from __future__ import annotations

from datetime import UTC, date, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.clock import from_iso, iso
from mindlog.knowledge.calendar import EARLIEST, LATEST
from mindlog.recall.cuetime import DateRange, date_ranges, read_time

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


NOW = from_iso("2026-11-30T12:34:00Z", field="now")  # a Monday
HOUR = 3_600_000_000
BERLIN = ZoneInfo("Europe/Berlin")


def told(cue: str, now: int = NOW, zone: tzinfo = UTC) -> dict[str, Any]:
    return dict(read_time(cue, now, zone).told() or {})


def shown(cue: str) -> tuple[str, str | None, str | None]:
    found = told(cue)
    return found["phrase"], *(None if found[end] is None else iso(found[end]) for end in ("start", "end"))


RELATIVE = [
    ("what happened last week", "last week", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"),
    ("what did I do in the past seven days", "past seven days", "2026-11-23T12:34:00Z", "2026-11-30T12:34:00Z"),
    ("was ist letzte Woche passiert", "letzte Woche", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"),
    ("昨日は何をした", "昨日", "2026-11-29T00:00:00Z", "2026-11-30T00:00:00Z"),
    ("上周发生了什么", "上周", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"),
    ("¿qué pasó la semana pasada?", "semana pasada", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"),
    ("who called yesterday?", "yesterday", "2026-11-29T00:00:00Z", "2026-11-30T00:00:00Z"),
    ("the meeting on Friday", "Friday", "2026-11-27T00:00:00Z", "2026-11-28T00:00:00Z"),
    ("three days ago", "three days ago", "2026-11-27T00:00:00Z", "2026-11-28T00:00:00Z"),
    ("what changed this month", "this month", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
    ("last quarter", "last quarter", "2026-07-01T00:00:00Z", "2026-10-01T00:00:00Z"),
    ("last summer", "last summer", "2026-06-01T00:00:00Z", "2026-09-01T00:00:00Z"),
    ("last year", "last year", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ("yesterday at 5 pm", "yesterday at 5 pm", "2026-11-29T17:00:00Z", "2026-11-29T18:00:00Z"),
]


@pytest.mark.parametrize(("cue", "phrase", "start", "end"), RELATIVE)
def test_what_is_counted_from_now_is_relative(cue: str, phrase: str, start: str, end: str) -> None:
    assert shown(cue) == (phrase, start, end)
    assert told(cue)["relative"] is True


OUTRIGHT = [
    ("what happened on 2023-05-08", "2023-05-08", "2023-05-08T00:00:00Z", "2023-05-09T00:00:00Z"),
    ("on May 8, 2023", "May 8, 2023", "2023-05-08T00:00:00Z", "2023-05-09T00:00:00Z"),
    ("im Mai 2021", "Mai 2021", "2021-05-01T00:00:00Z", "2021-06-01T00:00:00Z"),
    ("summer 2022", "summer 2022", "2022-06-01T00:00:00Z", "2022-09-01T00:00:00Z"),
    ("in 2023", "in 2023", "2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
    ("before 2020", "2020", None, "2020-01-01T00:00:00Z"),
    ("between March and May", "March and May", "2026-03-01T00:00:00Z", "2026-06-01T00:00:00Z"),
    ("the Q2 results", "Q2", "2026-04-01T00:00:00Z", "2026-07-01T00:00:00Z"),
    ("on May 8", "May 8", None, None),
    ("in May", "in May", None, None),
    ("am 8. Mai", "8. Mai", None, None),
    ("5月8日", "5月8日", None, None),
]


@pytest.mark.parametrize(("cue", "phrase", "start", "end"), OUTRIGHT)
def test_what_is_named_outright_is_not_relative_and_without_a_year_of_any(
    cue: str, phrase: str, start: str | None, end: str | None
) -> None:
    assert shown(cue) == (phrase, start, end)
    assert told(cue)["relative"] is False
    assert read_time(cue, NOW).relative == ()


@pytest.mark.parametrize("cue", ["am 8. Mai", "5月8日", "le 8 mai", "on May 8", "8 de mayo"])
def test_a_day_without_a_year_is_of_any_year_in_every_language(cue: str) -> None:
    assert read_time(cue, NOW).dates == (DateRange(year=None, month=5, day=8),)


@pytest.mark.parametrize(
    ("cue", "unparsed"),
    [("what did she say recently", "recently"), ("neulich", "neulich"), ("last Christmas", "last Christmas"),
     ("on 31 February 2023", "31 February 2023"), ("the other day", "the other day")],
)  # fmt: skip
def test_what_is_about_time_and_cannot_be_resolved_is_told(cue: str, unparsed: str) -> None:
    assert told(cue) == {"unparsed": unparsed}


def test_beside_a_date_a_relative_expression_counts_from_another_day_and_is_told_as_unparsed() -> None:
    cue = "What was his issue last week, as mentioned on November 6, 2023?"
    found = read_time(cue, NOW)
    assert found.relative == ()
    assert told(cue)["phrase"] == "November 6, 2023"
    assert told(cue)["unparsed"] == "last week"


@pytest.mark.parametrize("cue", ["", "May I ask?", "at 5 pm", "what colour is the car?", "room 2023", "????"])
def test_a_cue_that_names_no_time_says_nothing_of_it(cue: str) -> None:
    assert read_time(cue, NOW).told() is None


def test_days_are_those_of_the_zone() -> None:
    here, there = told("yesterday"), told("yesterday", zone=BERLIN)
    assert here["start"] - there["start"] == HOUR


def test_a_stretch_up_to_now_has_this_very_moment_in_it() -> None:
    (window,) = read_time("the past seven days", NOW).relative
    assert window.holds(np.array([NOW, NOW + 1, NOW - 7 * 24 * HOUR, NOW - 7 * 24 * HOUR - 1])).tolist() == [
        True,
        False,
        True,
        False,
    ]


def test_several_windows_are_told_as_the_time_they_span() -> None:
    assert shown("yesterday and last Friday") == (
        "yesterday, last Friday",
        "2026-11-27T00:00:00Z",
        "2026-11-30T00:00:00Z",
    )


@given(st.text(max_size=200), st.integers(EARLIEST, LATEST))
def test_any_text_at_any_time_is_read(text: str, now: int) -> None:
    found = read_time(text, now)
    assert not (found.relative and (found.dates or found.windows))
    found.told()


@given(st.sampled_from([cue for cue, *_ in RELATIVE + OUTRIGHT]), st.integers(EARLIEST, LATEST))
def test_expressions_are_read_at_any_time(cue: str, now: int) -> None:
    for start, end in read_time(cue, now).intervals:
        assert start <= end
