"""find_series: what it leaves out and says so, whose a series is, and that any text is read with its evidence in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.extraction import SPEAKER
from mindlog.knowledge.series.find import find_series
from tests.knowledge.series.made import AT, check, found, values

LEFT = [
    ("Revenue rose 5% in 2020 and 6% in 2021.", {"change": 2}),
    ("Revenue is expected to reach 5M by 2030.", {"forecast": 1}),
    ("Revenue was not 3.1M in Q1.", {"negated": 1}),
    ("Was revenue 3.1M in Q1 and 3.4M in Q2?", {"question": 2}),
    ("Acme had more than 3M users in 2023.", {"bound": 1}),
    ("Sales rose from $12 to $15 million in 2020.", {"scale": 1, "no_time": 0}),
    ("I paid $50 on Monday.", {"no_name": 1}),
    ("The meeting was 2 hours on Monday.", {"single": 1}),
    ("Population was 1.234 in 2019 and 1.300 in 2020.", {"ambiguous_number": 2}),
    ("| Year | Sales |\n|---|---|\n| FY2020 | 5 |\n| FY2021 | 6 |", {"fiscal_year": 2}),
    ("| Year | Sales |\n|---|---|\n| 2020 | 5 |\n| 2021 | lost |\n| 2022 | 7 |", {"no_number": 1}),
]


@pytest.mark.parametrize(("text", "reasons"), LEFT)
def test_what_is_no_reading_is_left_out_and_counted(text: str, reasons: dict[str, int]) -> None:
    assert found(text).left_out == {reason: count for reason, count in reasons.items() if count}


def test_a_number_without_a_unit_among_others_with_one_is_left_out() -> None:
    read = found("Inflation was 5% in 2020, 6% in 2021 and 7 in 2022.")
    assert values(read) == {("inflation", None, "%"): [("2020-01-01", 5), ("2021-01-01", 6)]}
    assert read.left_out == {"unit": 1}


def test_readings_in_two_units_of_one_kind_are_one_series_in_the_first() -> None:
    read = found("The temperature in Oslo was 17 °C on 3 May 2024 and 62.6 °F on 4 May 2024.")
    assert values(read) == {("temperature", "Oslo", "°C"): [("2024-05-03", 17), ("2024-05-04", 17)]}
    assert [point.written for point in read.series[0].points] == ["17 °C", "62.6 °F"]


def test_my_and_our_are_the_speakers_and_in_a_dialogue_those_of_who_speaks() -> None:
    assert {series.entity for series in found("My weight was 80 kg in May and 79 kg in June 2024.").series} == {SPEAKER}
    read = found("Ann: my pulse was 62 bpm in May\nBob: my pulse was 58 bpm in May")
    assert [series.entity for series in read.series] == ["Ann", "Bob"]


def test_a_paragraph_does_not_go_on_about_what_another_measured() -> None:
    read = found("Revenue was 3M in 2020.\n\nIt was 5M in 2021.")
    assert values(read) == {("revenue", None, None): [("2020-01-01", 3e6)]}


def test_a_sentence_over_two_lines_is_one() -> None:
    read = found("The population of Oslo was 550,000 in 2008\nand 700,000 in 2022.")
    assert values(read) == {("population", "Oslo", None): [("2008-01-01", 550000), ("2022-01-01", 700000)]}


def test_a_table_inside_prose_is_read_once() -> None:
    text = (
        "Revenue was 3M in 2020.\n\n| Year | Costs |\n|---|---|\n| 2020 | 2M |\n| 2021 | 3M |\n\nProfit was 1M in 2020."
    )
    assert values(found(text)) == {
        ("revenue", None, None): [("2020-01-01", 3e6)],
        ("costs", None, None): [("2020-01-01", 2e6), ("2021-01-01", 3e6)],
        ("profit", None, None): [("2020-01-01", 1e6)],
    }
    assert found(text).left_out == {}


def test_a_caption_names_unit_scale_entity_and_year_of_a_table() -> None:
    text = "Rent in Porto 2023 (thousand EUR):\n| Month | Value |\n|--|--|\n| Jan | 1.2 |\n| Feb | 1.3 |"
    assert values(found(text)) == {("rent", "Porto", "EUR"): [("2023-01-01", 1200), ("2023-02-01", 1300)]}


def test_an_escaped_or_quoted_cell_keeps_its_place() -> None:
    text = 'name,date,"weight, kg"\n"Box, small",2024-01-01,"5.5"\n"Box, small",2024-01-02,"5.7"'
    read = found(text)
    assert [(point.value, text[point.end - len(point.written) : point.end]) for point in read.series[0].points] == [
        (5.5, "5.5"),
        (5.7, "5.7"),
    ]
    assert read.series[0].entity == "Box, small"


NOTHING = [
    "- **Start Date:** March 15, 2024\n- **End Date:** March 29, 2024",
    "- Tuesday: edit scene 1\n- Wednesday: edit scene 2\n- Thursday: revise scene 1",
    "From June 1 to September 25 is approximately 116 days, or 16.5 weeks.",
    "I've handled errors, and I've currently reached 85% as of April 9, 2024.",
    "Alice, 5 May 2024\nBob, 6 May 2024\nCarol, 7 May 2024",
    "The 2020 report has 312 pages, the 2021 one 298.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_dates_numbers_of_things_and_stretches_make_no_series(text: str) -> None:
    assert values(found(text)) == {}


def test_a_heading_says_whose_the_numbers_are_only_where_it_names_an_owner_a_place_or_a_measure() -> None:
    table = "\n\n| Year | Words |\n|---|---|\n| 2020 | 500 |\n| 2021 | 700 |"
    entities = {
        heading: found(f"## {heading}{table}").series[0].entity
        for heading in ("A plan in Sheets", "Prose of Borges", "Sales at Acme", "Schools in Spain")
    }
    assert list(entities.values()) == [None, "Borges", "Acme", "Spain"]


def test_the_same_text_gives_the_same_series() -> None:
    text = "A was 5% in 2020 and 6% in 2021; B was 7% in 2020 and 8% in 2021. " * 3
    assert find_series(text, AT) == find_series(text, AT)


def test_a_text_without_digits_or_of_the_ends_of_time_is_read() -> None:
    assert found("").series == found("nothing here").series == []
    assert find_series("Revenue was 5M last year and 6M in 9999.", 253_402_300_799_999_999).series


HOSTILE = [
    "1", "1 234 ", "2019, ", "in 2019 5 ", "|", "| 1 | 2 |\n", "a,b,1\n", "2019,1\n", "-|-\n", "1\n\n \n", "was 1 ", "was 1 in 2019 ", '"1,',
    "(1 ", "a: 1 ", "of 1 of ", "- 2019: 5\n", "A's 1 ", "Acme Of In Berlin 1 ", "# 1\n", "2019\t1\t", "**1**\n", "5 min in 31 minutes ",
    "1/2/2024 ", "Ann: my 1 kg was 5 in 2019\n", "by 5% in 2019 and ", "5/kg ", "$5 ", "rose fell had was 1 in 2019 ", "a|b\n-|-\n", "Mio. 5 ",
    "a1,2019,5\n", "from 1 to ", "Q1 ", "the of in ", "1 " + " " * 50, "x" * 50 + ", ", "\x1f1", "٣ 5 ", "my ",
]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_text_is_read_in_linear_time(unit: str) -> None:
    """What is quadratic takes minutes here, what is linear at most a second or two."""
    text = unit * (65_536 // len(unit)) + " 1"
    check(find_series(text, AT), text)


@pytest.mark.timeout(60)
def test_a_table_of_as_many_names_as_rows_is_read_in_linear_time() -> None:
    rows = "\n".join(f"C{i},2020,{i}\nC{i},2021,{i + 1}" for i in range(6_000))
    read = find_series(f"country,year,users\n{rows}", AT)
    assert len(read.series) == 6_000


@given(st.text(max_size=300))
def test_any_text_is_read_with_its_evidence(text: str) -> None:
    check(find_series(text, AT), text)


PIECES = st.sampled_from(["Revenue", "Acme's", "my", "weight", "was", "rose", "from", "to", "by", "in", "on", "and", ",", ".", ";", ":", "?", "\n", "\n\n", "|", "- ", "2019", "2020", "Q1", "Q2 2023", "May", "3 May 2024", "2024-01-03", "3.1M", "$5", "15%", "80 kg", "1.234", "1,234", "-5 °C", "(", ")", "not", "of", "Berlin", "had", "users", "it", "|---|---|", "\t", '"'])  # fmt: skip


@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_any_words_of_readings_in_any_order_are_read_with_their_evidence(text: str) -> None:
    read = find_series(text, AT)
    check(read, text)
    assert all(count > 0 for count in read.left_out.values())
