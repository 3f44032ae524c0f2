from __future__ import annotations

import math
from bisect import bisect_right
from itertools import pairwise

import h3.api.basic_int as h3
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mindlog.errors import InvalidInput
from mindlog.knowledge.places.cells import CELL_RESOLUTION, REACH_KM, cell_of, cover, cover_ranges
from mindlog.knowledge.places.near import EARTH_KM, haversine_km

LAT, LON = st.floats(-90, 90), st.floats(-180, 180)


def moved(lat: float, lon: float, bearing: float, km: float) -> tuple[float, float]:
    """The point so far away in that direction (radians)."""
    up, angle = math.radians(lat), km / EARTH_KM
    other = math.asin(
        max(-1, min(1, math.sin(up) * math.cos(angle) + math.cos(up) * math.sin(angle) * math.cos(bearing)))
    )
    along = math.atan2(
        math.sin(bearing) * math.sin(angle) * math.cos(up), math.cos(angle) - math.sin(up) * math.sin(other)
    )
    return math.degrees(other), (lon + math.degrees(along) + 180) % 360 - 180


def holds(ranges: list[tuple[int, int]], cell: int) -> bool:
    at = bisect_right(ranges, (cell, 1 << 63)) - 1
    return at >= 0 and ranges[at][0] <= cell <= ranges[at][1]


@settings(deadline=None, max_examples=150)
@given(LAT, LON, st.floats(0, 300), st.floats(0, 2 * math.pi), st.floats(0, 1))
@example(89.99, 10.0, 50.0, 1.0, 1.0)
@example(-90.0, 0.0, 120.0, 2.0, 1.0)
@example(0.0, 180.0, 80.0, math.pi / 2, 1.0)
@example(0.0, -179.999, 30.0, 3 * math.pi / 2, 1.0)
def test_every_point_of_the_circle_is_in_the_cover(
    lat: float, lon: float, km: float, bearing: float, part: float
) -> None:
    point = moved(lat, lon, bearing, km * part)
    cells = cover(lat, lon, km)
    assert cells is not None
    assert haversine_km(lat, lon, *point) > km + 1e-6 or cell_of(*point) in cells


@settings(deadline=None, max_examples=150)
@given(LAT, LON, st.floats(0, 20_100), st.floats(0, 2 * math.pi), st.floats(0, 1))
@example(89.0, 0.0, 3_000.0, 1.0, 1.0)
@example(0.0, 180.0, 900.0, math.pi / 2, 1.0)
def test_every_point_of_a_circle_of_any_size_is_in_the_ranges(
    lat: float, lon: float, km: float, bearing: float, part: float
) -> None:
    point = moved(lat, lon, bearing, km * part)
    ranges = cover_ranges(lat, lon, km)
    assert haversine_km(lat, lon, *point) > km + 1e-6 or holds(ranges, cell_of(*point))
    assert len(ranges) <= 400
    assert all(low <= high for low, high in ranges)
    assert all(before[1] < after[0] for before, after in pairwise(ranges))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(LAT, LON), max_size=60), LAT, LON, st.floats(0, 20_100))
def test_cells_and_distances_together_find_what_brute_force_finds(
    points: list[tuple[float, float]], lat: float, lon: float, km: float
) -> None:
    near = {point for point in points if haversine_km(lat, lon, *point) <= km}
    cells, ranges = cover(lat, lon, km), cover_ranges(lat, lon, km)
    by_cells = {p for p in points if (cells is None or cell_of(*p) in cells) and haversine_km(lat, lon, *p) <= km}
    by_ranges = {p for p in points if holds(ranges, cell_of(*p)) and haversine_km(lat, lon, *p) <= km}
    assert by_cells == near
    assert by_ranges == near


@settings(deadline=None, max_examples=300)
@given(LAT, LON, st.integers(0, CELL_RESOLUTION))
def test_no_corner_of_a_cell_is_beyond_the_reach_of_its_ancestors(lat: float, lon: float, resolution: int) -> None:
    cell = cell_of(lat, lon)
    centre = h3.cell_to_latlng(h3.cell_to_parent(cell, resolution))
    assert all(haversine_km(*centre, *corner) < REACH_KM[resolution] for corner in h3.cell_to_boundary(cell))


def test_the_pentagons_keep_to_the_reach_too() -> None:
    for resolution, reach in enumerate(REACH_KM):
        for pentagon in h3.get_pentagons(resolution):
            centre = h3.cell_to_latlng(pentagon)
            cells = h3.cell_to_children(pentagon, CELL_RESOLUTION)
            if resolution == 0:
                cells = [cell for cell in cells if cell % 16 == 15][::50]
            assert all(haversine_km(*centre, *corner) < reach for cell in cells for corner in h3.cell_to_boundary(cell))


def test_a_cover_is_little_larger_than_its_circle() -> None:
    cells = cover(48.8566, 2.3522, 100)
    assert cells is not None
    assert 130 <= len(cells) <= 300
    assert all(haversine_km(48.8566, 2.3522, *h3.cell_to_latlng(cell)) <= 100 + REACH_KM[-1] for cell in cells)
    assert len(cover_ranges(48.8566, 2.3522, 1_000)) <= 100


def test_a_large_circle_has_no_cover_of_single_cells() -> None:
    assert cover(48.8566, 2.3522, 301) is None


def test_the_whole_globe_is_a_handful_of_ranges() -> None:
    ranges = cover_ranges(0, 0, 20_100)
    assert len(ranges) <= 122
    assert all(holds(ranges, cell_of(*point)) for point in ((90, 0), (-90, 0), (0, 180), (35.7, 139.7)))


def test_the_cell_of_a_point_is_a_stored_one() -> None:
    assert h3.get_resolution(cell_of(48.8566, 2.3522)) == CELL_RESOLUTION
    assert cell_of(10, 180) == cell_of(10, -180)
    assert cell_of(48.8566, 2.3522) < 1 << 63


def test_a_point_off_the_globe_has_no_cell() -> None:
    with pytest.raises(InvalidInput):
        cell_of(91, 0)
    with pytest.raises(InvalidInput):
        cover(0, 0, -1)
