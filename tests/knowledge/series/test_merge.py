"""United points: duplicates are one, revisions are both kept, and no order of arrival matters."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import InvalidInput
from mindlog.knowledge.series.merge import Recorded, converted, current, merge, recorded, series_key, unite
from tests.knowledge.series.made import daily, kept, monthly, series

POINTS = st.lists(
    st.builds(kept, st.integers(0, 3), st.sampled_from([1.0, 2.0, 1.0 + 1e-15, 3.5]), st.integers(0, 4)), max_size=8
)


def test_the_same_value_for_the_same_time_is_a_duplicate() -> None:
    merged = merge([kept(0, 5, 10)], [kept(0, 5, 20)])
    assert (merged.added, merged.duplicates, merged.revisions) == (0, 1, 0)
    assert merged.points == (kept(0, 5, 20, first=10),)


def test_another_value_for_the_same_time_is_a_revision_and_the_later_is_current() -> None:
    merged = merge([kept(0, 5, 10)], [kept(0, 6, 20), kept(1, 7, 20)])
    assert (merged.added, merged.duplicates, merged.revisions) == (1, 0, 1)
    assert merged.points == (kept(0, 5, 10), kept(0, 6, 20), kept(1, 7, 20))
    assert current(merged.points) == (kept(0, 6, 20), kept(1, 7, 20))


def test_a_value_that_is_said_again_after_its_revision_is_current_again() -> None:
    merged = merge([kept(0, 5, 10), kept(0, 6, 20)], [kept(0, 5, 30)])
    assert [point.value for point in current(merged.points)] == [5]


def test_a_year_and_a_month_that_begin_at_once_are_two_times() -> None:
    (january,) = monthly([5])
    (day,) = daily([6], first=january.at)
    points = merge(recorded(series("x", None, [january]), 1), recorded(series("x", None, [day]), 1)).points
    assert len(current(points)) == 2


def test_a_series_is_known_by_name_entity_and_kind_of_unit() -> None:
    assert series_key("Net Revenue", "ACME", "USD") == series_key("net revenue", "Acme", "USD")
    assert series_key("speed", None, "km/h") == series_key("speed", None, "mph")
    keys = {series_key("a", None, unit) for unit in ("%", "pp", None, "USD", "EUR", "kg")}
    assert len(keys) == 6


def test_values_are_converted_only_inside_a_kind() -> None:
    warm = series("temperature", "°F", monthly([62.6, 32]))
    assert [point.value for point in converted(warm, "°C").points] == [17.0, 0.0]
    with pytest.raises(InvalidInput, match="unit"):
        converted(warm, "kg")
    with pytest.raises(InvalidInput):
        converted(series("x", None, monthly([1])), "%")


def test_the_chunks_of_a_document_unite_their_series_and_keep_their_evidence() -> None:
    one = series("Speed", "km/h", monthly([36, 72]))
    other = series("speed", "m/s", monthly([10, 25, 30])).moved(100)
    apart = series("speed", "kg", monthly([1]))
    united = unite([one, other, apart])
    assert [s.unit for s in united] == ["km/h", "kg"]
    assert [(p.value, p.start) for p in united[0].points] == [(36, 0), (72, 0), (90, 100), (108, 100)]


@given(POINTS, POINTS)
def test_merging_is_the_same_from_either_side(one: list[Recorded], other: list[Recorded]) -> None:
    assert merge(one, other).points == merge(other, one).points


@given(POINTS, POINTS, POINTS)
def test_merging_is_the_same_however_the_points_come_together(
    one: list[Recorded], two: list[Recorded], three: list[Recorded]
) -> None:
    results = {merge(merge(merge([], a).points, b).points, c).points for a, b, c in permutations([one, two, three])}
    assert results == {merge([], [*one, *two, *three]).points}


@given(POINTS)
def test_merging_again_adds_nothing(points: list[Recorded]) -> None:
    once = merge([], points)
    again = merge(once.points, points)
    assert again.points == once.points
    assert (again.added, again.revisions, again.duplicates) == (0, 0, len(points))


@given(POINTS, POINTS)
def test_every_new_point_is_counted_once_and_no_value_is_lost(held: list[Recorded], new: list[Recorded]) -> None:
    merged = merge(held, new)
    assert merged.added + merged.duplicates + merged.revisions == len(new)
    assert {(p.at, round(p.value, 9)) for p in merged.points} == {(p.at, round(p.value, 9)) for p in (*held, *new)}
    latest = current(merged.points)
    assert len({(p.at, p.until) for p in latest}) == len(latest)
    for point in latest:
        assert point.recorded_at == max(p.recorded_at for p in (*held, *new) if p.at == point.at)
