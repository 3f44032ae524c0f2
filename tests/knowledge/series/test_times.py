"""Times of readings: those of tables and lists, and the year that is not written."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from mindlog.clock import iso
from mindlog.knowledge.calendar import Anchor
from mindlog.knowledge.series.times import Slashes, dated, find_whens, read_when, slashes_of
from tests.knowledge.series.made import AT, found, values

ANCHOR = Anchor(AT, UTC)


def periods(text: str, hint: int | None = None) -> list[str | None]:
    whens = find_whens(text, ANCHOR, slashes_of(text))
    return [p and iso(p.start)[:10] for p in dated(whens, ANCHOR, hint)]


CELLS = {
    "2019": ("2019-01-01", "2020-01-01"), "1850": ("1850-01-01", "1851-01-01"), "2024-03": ("2024-03-01", "2024-04-01"),
    "03/2024": ("2024-03-01", "2024-04-01"), "Q3 2022": ("2022-07-01", "2022-10-01"), "Q3/22": ("2022-07-01", "2022-10-01"),
    "2022-Q3": ("2022-07-01", "2022-10-01"), "3Q22": ("2022-07-01", "2022-10-01"), "H2 2020": ("2020-07-01", "2021-01-01"),
    "Mar-24": ("2024-03-01", "2024-04-01"), "Mar '24": ("2024-03-01", "2024-04-01"), "MARCH 2024": ("2024-03-01", "2024-04-01"),
    "5 March 2024": ("2024-03-05", "2024-03-06"), "05.03.2024": ("2024-03-05", "2024-03-06"), "2024/03/05": ("2024-03-05", "2024-03-06"),
    "12-Jan-24": ("2024-01-12", "2024-01-13"), "**2019**": ("2019-01-01", "2020-01-01"), "Monday, 3 June 2024": ("2024-06-03", "2024-06-04"),
}  # fmt: skip


@pytest.mark.parametrize(("cell", "span"), CELLS.items())
def test_a_cell_is_the_time_it_says(cell: str, span: tuple[str, str]) -> None:
    when = read_when(cell, ANCHOR)
    assert when is not None
    (period,) = dated([when], ANCHOR)
    assert period is not None
    assert (iso(period.start)[:10], iso(period.end)[:10]) == span


@pytest.mark.parametrize("cell", ["", "Total", "3.1", "12", "99%", "2019 and 2020", "2024-13", "1234", "x" * 500])
def test_a_cell_that_is_no_time_is_none(cell: str) -> None:
    assert read_when(cell, ANCHOR) is None


def test_a_fiscal_year_is_a_time_nobody_can_date() -> None:
    assert [when.is_fiscal for when in find_whens("FY2020 and 2019/20", ANCHOR)] == [True, True]


YEARS = [
    ("Q1 and Q2", ["2024-01-01", "2024-04-01"]),
    ("Q1 and Q2 2022", ["2022-01-01", "2022-04-01"]),
    ("from Nov to Jan 2024", ["2023-11-01", "2024-01-01"]),
    ("Q4 2023 and Q1", ["2023-10-01", "2024-01-01"]),
    ("Q2 2022, up from Q1", ["2022-04-01", "2022-01-01"]),
    ("Jan, Feb, Dec", ["2023-01-01", "2023-02-01", "2023-12-01"]),
    ("Dec, Nov, Oct", ["2023-12-01", "2023-11-01", "2023-10-01"]),
]


@pytest.mark.parametrize(("text", "starts"), YEARS[:4] + YEARS[5:])
def test_a_year_that_is_not_written_is_its_neighbours_or_the_latest_that_has_begun_for_all(
    text: str, starts: list[str]
) -> None:
    assert periods(text) == starts


def test_a_hinted_year_is_taken_where_none_is_written() -> None:
    assert periods("Q1 and Q2", hint=2019) == ["2019-01-01", "2019-04-01"]


def test_the_order_of_day_and_month_is_what_the_texts_dates_show() -> None:
    assert slashes_of("01/02/2024 and 15/02/2024") is Slashes.DAY
    assert slashes_of("01/02/2024 and 02/15/2024") is Slashes.MONTH
    assert slashes_of("01/02/2024") is slashes_of("15/02/2024 and 02/15/2024") is None
    assert periods("01/02/2024 and 15/02/2024") == ["2024-02-01", "2024-02-15"]
    assert found("- 01/02/2024: 5 kg\n- 03/02/2024: 6 kg").left_out == {"ambiguous_time": 2}


def test_days_are_of_the_zone_and_seconds_are_kept() -> None:
    read = found("Temperature: 5 °C on 3 May 2024, 6 °C on 4 May 2024.", zone=ZoneInfo("Asia/Tokyo"))
    assert [point.at.isoformat() for point in read.series[0].points] == [
        "2024-05-02T15:00:00+00:00",
        "2024-05-03T15:00:00+00:00",
    ]
    read = found("t,v\n2024-01-01T00:00:00Z,1\n2024-01-01T00:00:01.5+02:00,2")
    assert [(p.at.isoformat(), p.until) for p in read.series[0].points] == [
        ("2023-12-31T22:00:01.500000+00:00", None),
        ("2024-01-01T00:00:00+00:00", None),
    ]


def test_the_heading_or_title_gives_the_year() -> None:
    text = "Revenue was 3.1M in Q1 and 3.4M in Q2."
    wanted = {("revenue", None, None): [("2021-01-01", 3.1e6), ("2021-04-01", 3.4e6)]}
    assert values(found(text, heading="Results 2021")) == values(found(text, title="Annual report 2021")) == wanted
