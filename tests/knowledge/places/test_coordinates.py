from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.places.coordinates import find_coordinates

WRITTEN = [
    ("at 48.8566, 2.3522 now", "48.8566, 2.3522", 48.8566, 2.3522),
    ("48.8566° N, 2.3522° E", "48.8566° N, 2.3522° E", 48.8566, 2.3522),
    ("33.8688° S, 151.2093° E.", "33.8688° S, 151.2093° E", -33.8688, 151.2093),
    ("48°51′24″N 2°21′03″E", "48°51′24″N 2°21′03″E", 48.856667, 2.350833),
    ("48°51′24″N2°21′03″W", "48°51′24″N2°21′03″W", 48.856667, -2.350833),
    ("(48°51'24\"N, 2°21'3\"E)", "48°51'24\"N, 2°21'3\"E", 48.856667, 2.350833),
    ("40°26.767'N 79°58.933'W", "40°26.767'N 79°58.933'W", 40.446117, -79.982217),
    ("N 48.8566 E 2.3522", "N 48.8566 E 2.3522", 48.8566, 2.3522),
    ("2.3522 E, 48.8566 N", "2.3522 E, 48.8566 N", 48.8566, 2.3522),
    ("51.5 N, 0.1 W", "51.5 N, 0.1 W", 51.5, -0.1),
    ("33.8688 south, 151.2093 east", "33.8688 south, 151.2093 east", -33.8688, 151.2093),
    ("lat: 48.85, lon: -2.35", "lat: 48.85, lon: -2.35", 48.85, -2.35),
    ("latitude 48.85 and longitude 2.35", "latitude 48.85 and longitude 2.35", 48.85, 2.35),
    ("geo:48.85,2.35", "geo:48.85,2.35", 48.85, 2.35),
    ("https://maps.example/@48.85,2.35,12z", "@48.85,2.35", 48.85, 2.35),
    ("POINT(2.35 48.85)", "POINT(2.35 48.85)", 48.85, 2.35),
    ("seen (40.748, −73.985) today", "40.748, −73.985", 40.748, -73.985),
]
NONE_THERE = [
    "95.1234, 10.5678",  # out of range, and not turned round
    "151.2093, -33.8688",
    "48°61'00\"N 2°00'00\"E",  # no such minute
    "-48.5 S, 20.1 E",  # two signs
    "95.5° N, 20.1° E",
    "lat: 91, lon: 2",
    "geo:48.85,200.5",
    "48.8 N, 50.1 N",
    "1.2345, 2.3456, 3.4567",  # a list
    "paid 12.50, 13.20",
    "scores of 3.45, 2.1",
    "12° N",
    "between 10° and 20° today",
    "rows 5 N 6 E",
    "version 10.1234, 11.1234.5",
]


@pytest.mark.parametrize(("text", "words", "lat", "lon"), WRITTEN)
def test_a_point_is_found_with_its_words(text: str, words: str, lat: float, lon: float) -> None:
    (found,) = find_coordinates(text)
    assert text[found.start : found.end] == words
    assert (found.lat, found.lon) == pytest.approx((lat, lon), abs=1e-6)


@pytest.mark.parametrize("text", NONE_THERE)
def test_what_is_no_point_is_left_out(text: str) -> None:
    assert find_coordinates(text) == []


def test_several_points_are_found_in_order() -> None:
    text = "From 48.8566, 2.3522 to 51.5074° N, 0.1278° W and then lat 40.7, lon -74."
    assert [(each.lat, each.lon) for each in find_coordinates(text)] == [
        (48.8566, 2.3522),
        (51.5074, -0.1278),
        (40.7, -74),
    ]


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_any_point_written_with_six_decimals_is_read_back(lat: float, lon: float) -> None:
    text = f"It is at {lat:.6f}, {lon:.6f} there."
    (found,) = find_coordinates(text)
    assert (found.lat, found.lon) == (float(f"{lat:.6f}"), float(f"{lon:.6f}"))
    assert text[found.start : found.end] == f"{lat:.6f}, {lon:.6f}"


@given(st.text(alphabet="0123456789.,-°'\"NSEW latlon()", max_size=80))
def test_whatever_is_found_is_on_the_globe_and_in_the_text(text: str) -> None:
    end = 0
    for each in find_coordinates(text):
        assert -90 <= each.lat <= 90
        assert -180 <= each.lon <= 180
        assert end <= each.start < each.end <= len(text)
        end = each.end
