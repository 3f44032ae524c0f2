"""Cells of the globe (H3): the column that a search for what is near reads before it measures distances.

A cover is never too small: whatever is in the circle is in one of its cells. It may hold more, so distances decide.
Knows no store and no place.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Final

from mindlog.knowledge.places.near import check_circle, check_point, haversine_km

__all__ = ["CELL_RESOLUTION", "REACH_KM", "cell_of", "cover", "cover_ranges"]

CELL_RESOLUTION: Final = 5
"""Of the stored cells: some 250 square kilometres each, two million of them."""

REACH_KM: Final = (1451.0, 556.0, 210.0, 79.0, 29.0, 11.0)
"""By resolution: no point of a stored cell is farther from the centre of the cell's ancestor there.

The children of a cell stick out of it, so this is more than a cell's own radius. Measured at the corners of all
2 016 842 stored cells (1436.3, 550.5, 207.6, 78.2, 28.7, 10.9), with a margin.
"""

_MOST_KM = 300  # a cover of single cells has at most some 1 900 of them then
_FINENESS = 2  # a cover's cells reach at most this part of its radius, if there are cells so small


def cell_of(lat: float, lon: float) -> int:
    """Return the cell of a point, as a number below 2**63.

    Raises:
        InvalidInput: there is no such point.
    """
    check_point(lat, lon)
    return _h3().latlng_to_cell(lat, lon, CELL_RESOLUTION)


def cover(lat: float, lon: float, km: float) -> set[int] | None:
    """Return the cells that surely hold every point at most `km` away, or None if they are too many to name.

    Raises:
        InvalidInput: the centre or the radius is none.
    """
    check_circle(lat, lon, km)
    if km > _MOST_KM:
        return None
    return {cell for cell, _ in _touched(lat, lon, km, CELL_RESOLUTION)}


def cover_ranges(lat: float, lon: float, km: float) -> list[tuple[int, int]]:
    """Return a cover as ranges of cell numbers, both ends in, in order: for any radius some dozens, at most a few hundred.

    A cell's descendants are neighbours as numbers, so that a large circle is covered by large cells.

    Raises:
        InvalidInput: the centre or the radius is none.
    """
    check_circle(lat, lon, km)
    finest = next((each for each, reach in enumerate(REACH_KM) if reach * _FINENESS <= km), CELL_RESOLUTION)
    return _joined(sorted(_descendants(cell, at) for cell, at in _touched(lat, lon, km, finest)))


def _touched(lat: float, lon: float, km: float, finest: int) -> Iterator[tuple[int, int]]:
    """Yield (cell, resolution) down to the finest resolution for what may hold a point of the circle."""
    h3 = _h3()
    waiting = [(cell, 0) for cell in h3.get_res0_cells()]
    while waiting:
        cell, at = waiting.pop()
        if haversine_km(lat, lon, *h3.cell_to_latlng(cell)) > km + REACH_KM[at]:
            continue
        if at == finest:
            yield cell, at
        else:
            waiting.extend((child, at + 1) for child in h3.cell_to_children(cell))


# A cell's number: its resolution in the bits from 52 on, below it three bits for each step from resolution 1 to 15.
_RESOLUTION_BIT = 52
_STEP_BITS = 3
_STEPS = 15


def _descendants(cell: int, at: int) -> tuple[int, int]:
    """Return the least and the greatest number that a stored cell under this cell can have."""
    free, unused = _STEP_BITS * (_STEPS - at), _STEP_BITS * (_STEPS - CELL_RESOLUTION)
    low = cell & ~(0xF << _RESOLUTION_BIT) | CELL_RESOLUTION << _RESOLUTION_BIT
    low = low >> free << free | (1 << unused) - 1
    return low, low | (1 << free) - 1


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for low, high in ranges:
        # Between two neighbours lie only numbers that no cell has: those whose unused steps are not all set.
        if joined and low - joined[-1][1] <= 1 << _STEP_BITS * (_STEPS - CELL_RESOLUTION):
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


@functools.cache
def _h3() -> Any:
    from h3.api import basic_int

    return basic_int
