from __future__ import annotations

import h3.api.basic_int as h3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import InvalidInput
from mindlog.knowledge.places.near import EARTH_KM, distances_km, haversine_km, within

LAT, LON = st.floats(-90, 90), st.floats(-180, 180)


@pytest.mark.parametrize(
    ("one", "other", "km"),
    [
        ((48.8566, 2.3522), (51.5074, -0.1278), 343.56),
        ((0, 0), (0, 90), 10007.557),
        ((-90, 12), (0, 99), 10007.557),
        ((0, 179.9), (0, -179.9), 22.239),
        ((90, 0), (90, 77), 0),
        ((0, 0), (0, 180), 20015.115),
    ],
)
def test_distances_are_those_of_the_great_circle(
    one: tuple[float, float], other: tuple[float, float], km: float
) -> None:
    assert haversine_km(*one, *other) == pytest.approx(km, rel=1e-4, abs=1e-6)


@given(LAT, LON, LAT, LON)
def test_distance_is_symmetric_bounded_and_the_same_for_one_and_for_many(
    lat: float, lon: float, other_lat: float, other_lon: float
) -> None:
    distance = haversine_km(lat, lon, other_lat, other_lon)
    assert distance == pytest.approx(h3.great_circle_distance((lat, lon), (other_lat, other_lon)), rel=1e-5, abs=1e-3)
    assert 0 <= distance <= EARTH_KM * 3.1416
    assert distance == pytest.approx(haversine_km(other_lat, other_lon, lat, lon), abs=1e-3)
    assert distances_km([(other_lat, other_lon)], lat, lon)[0] == pytest.approx(distance, abs=1e-6)


@given(st.lists(st.tuples(LAT, LON), max_size=40), LAT, LON, st.floats(0, 20_100))
def test_within_gives_exactly_the_near_points_nearest_first(
    points: list[tuple[float, float]], lat: float, lon: float, km: float
) -> None:
    found = within(points, lat, lon, km)
    expected = {each for each, point in enumerate(points) if haversine_km(lat, lon, *point) <= km}
    doubtful = {each for each, point in enumerate(points) if abs(haversine_km(lat, lon, *point) - km) < 1e-6}
    assert {each for each, _ in found} - doubtful == expected - doubtful
    assert [distance for _, distance in found] == sorted(distance for _, distance in found)


@pytest.mark.parametrize(
    ("circle", "field"),
    [
        ((90.1, 0, 1), "lat"),
        ((float("nan"), 0, 1), "lat"),
        ((0, 180.5, 1), "lon"),
        ((0, 0, -1), "km"),
        ((0, 0, float("inf")), "km"),
        ((0, 0, float("nan")), "km"),
    ],
)
def test_what_is_no_circle_is_refused_and_its_field_named(circle: tuple[float, float, float], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        within([], *circle)
    assert refused.value.field == field
