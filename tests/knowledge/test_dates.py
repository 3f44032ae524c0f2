"""Times in texts and cues: found, anchored at a moment in a zone, kept with their words; what cannot be read is said."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.clock import from_iso, iso
from mindlog.knowledge.dates import Precision, find_dates, parse_range, unparsed_time
from tests.knowledge.made import AT


def us(text: str) -> int:
    return from_iso(text, field="at")


def found(text: str, at: int = AT) -> list[tuple[str, str, str, str]]:
    return [(d.phrase, iso(d.start), iso(d.end), d.precision) for d in find_dates(text, at)]


def day(phrase: str, start: str, end: str) -> list[tuple[str, str, str, str]]:
    return [(phrase, f"{start}T00:00:00Z", f"{end}T00:00:00Z", "day")]


def test_yesterday_on_the_first_of_march_is_a_leap_day_and_keeps_its_phrase() -> None:
    assert found("yesterday the sensor failed") == day("yesterday", "2024-02-29", "2024-03-01")


WINDOWS = [
    ("last week", "2024-02-19", "2024-02-26"),
    ("letzte Woche", "2024-02-19", "2024-02-26"),
    ("la semaine dernière", "2024-02-19", "2024-02-26"),
    ("la semana pasada", "2024-02-19", "2024-02-26"),
    ("上周", "2024-02-19", "2024-02-26"),
    ("先週", "2024-02-19", "2024-02-26"),
    ("昨日", "2024-02-29", "2024-03-01"),
    ("昨天", "2024-02-29", "2024-03-01"),
    ("vorgestern", "2024-02-28", "2024-02-29"),
    ("ayer", "2024-02-29", "2024-03-01"),
    ("hier nous avons ri", "2024-02-29", "2024-03-01"),
    ("in March 2023", "2023-03-01", "2023-04-01"),
    ("im März 2023", "2023-03-01", "2023-04-01"),
    ("in March", "2024-03-01", "2024-04-01"),
    ("in April", "2023-04-01", "2023-05-01"),
    ("last March", "2023-03-01", "2023-04-01"),
    ("next March", "2025-03-01", "2025-04-01"),
    ("3 days ago", "2024-02-27", "2024-02-28"),
    ("vor drei Tagen", "2024-02-27", "2024-02-28"),
    ("il y a trois jours", "2024-02-27", "2024-02-28"),
    ("hace tres días", "2024-02-27", "2024-02-28"),
    ("三天前", "2024-02-27", "2024-02-28"),
    ("3日前", "2024-02-27", "2024-02-28"),
    ("a couple of weeks ago", "2024-02-12", "2024-02-19"),
    ("two months ago", "2024-01-01", "2024-02-01"),
    ("in two weeks", "2024-03-11", "2024-03-18"),
    ("next Friday", "2024-03-08", "2024-03-09"),
    ("last Friday", "2024-02-23", "2024-02-24"),
    ("on Wednesday", "2024-02-28", "2024-02-29"),
    ("上周五", "2024-02-23", "2024-02-24"),
    ("Q1 2024", "2024-01-01", "2024-04-01"),
    ("the third quarter of 2022", "2022-07-01", "2022-10-01"),
    ("last quarter", "2023-10-01", "2024-01-01"),
    ("last summer", "2023-06-01", "2023-09-01"),
    ("winter 2022", "2022-12-01", "2023-03-01"),
    ("last weekend", "2024-02-24", "2024-02-26"),
    ("in 2019", "2019-01-01", "2020-01-01"),
    ("in the 1990s", "1990-01-01", "2000-01-01"),
    ("last year", "2023-01-01", "2024-01-01"),
    ("去年", "2023-01-01", "2024-01-01"),
    ("来月", "2024-04-01", "2024-05-01"),
    ("2023年5月8日", "2023-05-08", "2023-05-09"),
    ("2023年5月", "2023-05-01", "2023-06-01"),
    ("May 8th, 2023", "2023-05-08", "2023-05-09"),
    ("the 8th of May 2023", "2023-05-08", "2023-05-09"),
    ("8. Mai 2023", "2023-05-08", "2023-05-09"),
    ("8 de mayo de 2023", "2023-05-08", "2023-05-09"),
    ("on May 8", "2023-05-08", "2023-05-09"),
    ("2023-05-08", "2023-05-08", "2023-05-09"),
    ("08.05.2023", "2023-05-08", "2023-05-09"),
    ("25/12/2023", "2023-12-25", "2023-12-26"),
    ("between March 2023 and June 2023", "2023-03-01", "2023-07-01"),
    ("this year", "2024-01-01", "2025-01-01"),
    ("gestern", "2024-02-29", "2024-03-01"),
    ("вчера", "2024-02-29", "2024-03-01"),
    ("позавчера", "2024-02-28", "2024-02-29"),
    ("прошлая неделя", "2024-02-19", "2024-02-26"),
    ("на прошлой неделе", "2024-02-19", "2024-02-26"),
    ("в прошлом месяце", "2024-02-01", "2024-03-01"),
    ("в прошлом году", "2023-01-01", "2024-01-01"),
    ("в этом году", "2024-01-01", "2025-01-01"),
    ("неделю назад", "2024-02-19", "2024-02-26"),
    ("3 дня назад", "2024-02-27", "2024-02-28"),
    ("через две недели", "2024-03-11", "2024-03-18"),
    ("в прошлую пятницу", "2024-02-23", "2024-02-24"),
    ("прошлым летом", "2023-06-01", "2023-09-01"),
    ("8 мая 2023", "2023-05-08", "2023-05-09"),
    ("в мае", "2023-05-01", "2023-06-01"),
    ("в 2019 году", "2019-01-01", "2020-01-01"),
]


@pytest.mark.parametrize(("cue", "start", "end"), WINDOWS)
def test_a_cue_that_names_a_time_is_read_as_its_window(cue: str, start: str, end: str) -> None:
    reading = parse_range(f"what happened {cue}?", AT)
    assert [(iso(w.start), iso(w.end)) for w in reading.windows] == [(f"{start}T00:00:00Z", f"{end}T00:00:00Z")]
    assert reading.unparsed == ()


@pytest.mark.parametrize(("cue", "days"), [("past seven days", 7), ("the last 2 weeks", 14), ("die letzten sieben Tage", 7), ("los últimos 7 días", 7), ("les 7 derniers jours", 7), ("过去7天", 7), ("過去7日間", 7), ("за последние 7 дней", 7), ("за последние три недели", 21)])  # fmt: skip
def test_a_stretch_of_time_ends_now(cue: str, days: int) -> None:
    (window,) = parse_range(cue, AT).windows
    assert (window.start, window.end) == (AT - days * 86_400_000_000, AT)


def test_the_last_three_months_end_now() -> None:
    (window,) = parse_range("what did I do in the last 3 months?", AT).windows
    assert (iso(window.start), window.end) == ("2023-12-01T10:00:00Z", AT)


def test_several_windows_lie_in_one_with_all_their_words() -> None:
    window = parse_range("was it in May 2022 or last week?", AT).window
    assert window is not None
    assert (iso(window[0]), iso(window[1]), window[2]) == (
        "2022-05-01T00:00:00Z",
        "2024-02-26T00:00:00Z",
        "May 2022, last week",
    )
    assert parse_range("what is my name?", AT).window is None


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("what happened recently?", "recently"),
        ("dimmi di ieri", "ieri"),
        ("어제 뭐 했지?", "어제"),
        ("지난 주에 뭐 했지?", "지난 주"),
        ("ماذا حدث أمس", "أمس"),
        ("co robiłem wczoraj", "wczoraj"),
        ("что было недавно", "недавно"),
        ("what happened many moons ago", "many moons ago"),
        ("what happened last week", None),
        ("что было вчера", None),
        ("who is Grace?", None),
        ("", None),
    ],
)
def test_words_of_time_that_cannot_be_read_can_be_told(text: str, phrase: str | None) -> None:
    assert unparsed_time(text) == phrase


def test_since_runs_to_now_and_before_is_open() -> None:
    (since,) = parse_range("everything since May", AT).windows
    assert (iso(since.start), since.end) == ("2023-05-01T00:00:00Z", AT)
    (before,) = parse_range("before 2020", AT).windows
    assert (before.start < us("0002-01-01T00:00:00Z"), iso(before.end)) == (True, "2020-01-01T00:00:00Z")
    (after,) = parse_range("after 2020", AT).windows
    assert (iso(after.start), after.end > us("9999-01-01T00:00:00Z")) == ("2021-01-01T00:00:00Z", True)


@pytest.mark.parametrize("cue", ["recently", "the other day", "last Christmas", "neulich", "récemment", "hace poco", "最近", "先日", "4/5/2023", "a while ago", "some moons ago"])  # fmt: skip
def test_a_relative_expression_that_cannot_be_read_is_named_and_gives_no_window(cue: str) -> None:
    reading = parse_range(f"what happened {cue}", AT)
    assert reading.windows == ()
    assert any(cue.endswith(phrase) or phrase.endswith(cue) for phrase in reading.unparsed), reading


@pytest.mark.parametrize("text", ["I may go", "they march on", "room 2019", "version 2.10:30", "31 February 2023", "2023-13-40", "hier ist es schön", "the secondary day", "99:99", "mayor", ""])  # fmt: skip
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert found(text) == []
    assert parse_range(text, AT).windows == ()


def test_a_clock_time_belongs_to_the_day_beside_it_and_else_to_the_day_of_the_text() -> None:
    assert found("tomorrow at 15:00") == [
        ("tomorrow at 15:00", "2024-03-02T15:00:00Z", "2024-03-02T15:01:00Z", "minute")
    ]
    assert found("at 3pm, May 8 2023") == [("3pm, May 8 2023", "2023-05-08T15:00:00Z", "2023-05-08T16:00:00Z", "hour")]
    assert found("lunch at 12:30") == [("12:30", "2024-03-01T12:30:00Z", "2024-03-01T12:31:00Z", "minute")]
    assert found("2024-02-03T10:11+02:00") == [
        ("2024-02-03T10:11+02:00", "2024-02-03T08:11:00Z", "2024-02-03T08:12:00Z", "minute")
    ]


def test_a_day_without_a_year_is_the_next_one_where_the_words_look_ahead() -> None:
    assert found("it is due on May 8") == day("May 8", "2024-05-08", "2024-05-09")
    assert found("we met on May 8") == day("May 8", "2023-05-08", "2023-05-09")


def test_days_are_those_of_the_zone_through_a_change_of_clocks() -> None:
    lisbon = ZoneInfo("Europe/Lisbon")
    (today,) = find_dates("today", us("2024-03-31T12:00:00Z"), lisbon)
    assert (iso(today.start), iso(today.end)) == ("2024-03-31T00:00:00Z", "2024-03-31T23:00:00Z")
    (late,) = find_dates("yesterday", us("2024-07-01T23:30:00Z"), lisbon)  # half past midnight on the second
    assert (iso(late.start), iso(late.end)) == ("2024-06-30T23:00:00Z", "2024-07-01T23:00:00Z")


def test_times_far_into_a_long_text_keep_their_places() -> None:
    text = "nothing to see here. " * 500 + "It failed yesterday. " + "and on it goes, " * 500 + "until 2019-05-06."
    dates = find_dates(text, AT)
    assert [(d.phrase, d.span.of(text)) for d in dates] == [("yesterday",) * 2, ("2019-05-06",) * 2]


@given(st.text(max_size=80), st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999))
def test_any_text_at_any_time_is_read(text: str, at: int) -> None:
    for reading in (find_dates(text, at), parse_range(text, at).windows):
        for date in reading:
            assert date.span.of(text) == date.phrase


WORDS = st.sampled_from(["last", "next", "past", "3", "9999", "0", "days", "weeks", "years", "ago", "in", "May", "31", "2024", "Friday", "12:30", "3pm", "since", "between", "and", "the", "上", "周", "月", "年前", "le", "dernier", "mois", "прошлой", "неделе", "назад", "через", "последние", "дней"])  # fmt: skip


@given(
    st.lists(WORDS, max_size=12).map(" ".join), st.sampled_from([AT, -62_135_596_800_000_000, 253_402_300_799_999_999])
)
def test_any_words_of_time_in_any_order_give_intervals_in_order(text: str, at: int) -> None:
    last = 0
    for date in find_dates(text, at, UTC):
        assert date.start < date.end or date.precision in Precision
        assert date.span.start >= last
        last = date.span.end
