"""Observations: sentences that name the series, its numbers and its times, and say nothing that may be chance."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.series.figures import autocorrelation, break_of, line_of
from mindlog.knowledge.series.find import find_series
from mindlog.knowledge.series.found import FoundPoint
from mindlog.knowledge.series.observe import ObservationKind, observe
from mindlog.knowledge.series.wording import amount_in_words
from tests.knowledge.series.made import AT, daily, monthly

K = ObservationKind
NOISE = np.random.default_rng(7)


def texts(points: list[FoundPoint], unit: str | None = "kW") -> dict[str, str]:
    return {observation.kind: observation.text for observation in observe("load", "Plant 1", unit, points)}


def test_one_point_has_a_level_and_none_has_nothing() -> None:
    assert [(o.kind, o.text) for o in observe("revenue", "Acme", "USD", monthly([3_104_233]))] == [
        (K.LEVEL, "Revenue of Acme was 3,104,233 USD in January 2020.")
    ]
    assert observe("revenue", "Acme", "USD", []) == []
    assert observe("revenue", None, None, monthly([math.nan])) == []


def test_two_points_have_a_level_and_a_change_and_no_more() -> None:
    said = texts(monthly([3.1, 3.4]))
    assert said == {
        "level": "Load of Plant 1 was 3.4 kW in February 2020.",
        "change": "Load of Plant 1 rose from 3.1 kW in January 2020 to 3.4 kW in February 2020, by 0.3 kW (9.68%).",
    }


def test_a_change_without_a_meaningful_ratio_has_none() -> None:
    assert texts(monthly([10, 20]), "°C")["change"].endswith("by 10 °C.")
    assert texts(monthly([10, 11]), "%")["change"].endswith("by 1 percentage point.")
    assert texts(monthly([0, 20]))["change"].endswith("by 20 kW.")
    assert texts(monthly([-5, 20]))["change"].endswith("by 25 kW.")
    assert "as it was in January 2020" in texts(monthly([5, 7, 5]))["change"]


def test_a_steady_rise_is_a_trend_and_no_break() -> None:
    said = texts(monthly([10 + 2 * i for i in range(24)]))
    assert said["trend"] == (
        "Load of Plant 1 had an upward trend from January 2020 to December 2021: about 2 kW per month over 24 readings."
    )
    assert "break" not in said


def test_a_step_is_a_break_and_no_trend() -> None:
    said = texts(monthly([*(10 + NOISE.normal(size=12)), *(15 + NOISE.normal(size=12))]))
    assert "shifted to a higher level in January 2021" in said["break"]
    assert "trend" not in said


def test_noise_has_neither_trend_nor_break_nor_season_but_in_one_of_twenty() -> None:
    rng = np.random.default_rng(11)
    kinds = [texts(monthly(rng.normal(size=36))).keys() for _ in range(200)]
    for kind in ("trend", "break", "season"):
        assert sum(kind in each for each in kinds) <= 20


def test_a_yearly_wave_is_a_season_with_its_high_and_low() -> None:
    wave = 5 + 10 * np.sin(np.arange(36) * np.pi / 6) + NOISE.normal(size=36)
    said = texts(monthly(wave), "°C")["season"]
    assert "repeated itself every year" in said
    assert "highest in April and lowest in October" in said


def test_a_season_needs_two_full_periods_without_a_gap() -> None:
    wave = [10 * math.sin(i * math.pi / 6) for i in range(36)]
    points = monthly(wave)
    assert "season" not in texts(points[:23])
    assert "season" not in texts([*points[:10], *points[11:]])


def test_a_week_shows_in_daily_readings() -> None:
    said = texts(daily([*([100] * 5 + [20, 10])] * 4), None)["season"]
    assert "repeated itself every week" in said
    assert "lowest on Sundays" in said


def test_extremes_are_named_with_their_times_and_only_where_there_is_something_between() -> None:
    assert texts(monthly([3, 9, 1]))["extremes"] == (
        "Load of Plant 1 was highest in February 2020 with 9 kW and lowest in March 2020 with 1 kW, from January 2020 to March 2020."
    )
    assert "extremes" not in texts(monthly([3, 9]))
    assert "extremes" not in texts(monthly([3, 3, 3]))


def test_a_year_beside_months_is_no_extreme_of_theirs() -> None:
    year = FoundPoint(
        at=datetime(2020, 1, 1, tzinfo=UTC),
        until=datetime(2021, 1, 1, tzinfo=UTC),
        value=500,
        written="",
        start=0,
        end=1,
    )
    assert "500" not in " ".join(texts([*monthly([3, 9, 1]), year]).values())


def test_days_are_named_in_the_zone_they_are_of() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    points = daily([1, 2], first=datetime(2024, 5, 1, tzinfo=tokyo).astimezone(UTC))
    (level, _) = observe("x", None, None, points, zone=tokyo)
    assert level.text == "X was 2 on 2024-05-02."


def test_what_is_observed_is_read_back_as_the_points_it_was_made_from() -> None:
    for observation in observe("revenue", "Acme", "USD", monthly([3_104_233, 2_900_000])):
        (read,) = find_series(observation.text, AT).series
        assert (read.name, read.entity, read.unit) == ("revenue", "Acme", "USD")
        assert {point.value for point in read.points} <= {3_104_233, 2_900_000}


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (3_104_233, "USD", "3,104,233 USD"), (-17.2, "°C", "-17.2 °C"), (15, "%", "15%"), (0.1 + 0.2, None, "0.3"), (-0.0, None, "0"),
        (1e12, None, "1,000,000,000,000"), (1e-7, None, "0.0000001"), (-1234.5, None, "-1,234.5"), (1e18, None, "1e+18"), (1, "pp", "1 percentage point"),
    ],
)  # fmt: skip
def test_an_amount_is_written_out(value: float, unit: str | None, words: str) -> None:
    assert amount_in_words(value, unit) == words


@given(st.floats(-1e14, 1e14).filter(lambda v: v == 0 or abs(v) > 1e-6))
def test_an_amount_in_words_is_its_value_to_twelve_digits(value: float) -> None:
    assert float(amount_in_words(value, None).replace(",", "")) == pytest.approx(value, rel=1e-11)


def test_the_formulas_give_what_their_sources_give() -> None:
    x = np.arange(10.0)
    line = line_of(x, 3 * x + 1)
    assert (line.slope, line.intercept) == (3, 1)
    assert line.p == pytest.approx(math.erfc((45 - 1) / math.sqrt(125) / math.sqrt(2)))  # S = 45, Var S = 10*9*25/18
    outlier = 3 * x + 1
    outlier[4] = 1000
    assert line_of(x, outlier).slope == pytest.approx(3, abs=0.01)
    shift = break_of(np.array([1.0] * 10 + [2.0] * 10))
    assert shift is not None
    assert (shift.at, shift.before, shift.after) == (10, 1, 2)
    assert shift.p == pytest.approx(2 * math.exp(-6 * 100**2 / (20**3 + 20**2)))  # K = 10 * 10
    assert autocorrelation(np.array([1.0, -1.0] * 10), 2) == pytest.approx(18 / 20)
    assert break_of(np.ones(12)) is None


VALUES = st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=1, max_size=60)


@given(VALUES, st.sampled_from(["USD", "%", "°C", None]), st.randoms())
def test_observations_are_few_and_the_same_in_any_order_of_points(values: list[float], unit: str | None, rng) -> None:
    points = monthly(values)
    said = observe("load", "Plant 1", unit, points)
    shuffled = list(points)
    rng.shuffle(shuffled)
    assert observe("load", "Plant 1", unit, shuffled) == said
    assert 1 <= len(said) <= 6
    assert len({observation.kind for observation in said}) == len(said)
    for observation in said:
        assert observation.text.startswith("Load of Plant 1 ")
        assert observation.text.endswith(".")
        assert "20" in observation.text  # names its time
        assert "nan" not in observation.text.lower()


def test_a_very_long_series_is_observed() -> None:
    said = texts(daily(np.arange(50_000) * 0.5, first=datetime(1900, 1, 1, tzinfo=UTC)))
    assert "about 0.5 kW per day" in said["trend"]
