"""Draw the land of the admin UI's map: the cells of a grid in which the gazetteer knows a place.

Usage: python scripts/make_world_outline.py admin_ui/src/views/places/world.ts

The gazetteer is the one that `make model` builds (GeoNames, CC BY 4.0). Where people are few a single place stands for
the land around it, so cells that are nearly surrounded by land are filled.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mindlog.knowledge.places.columns import load
from mindlog.knowledge.places.gazetteer import PACKED

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELLS_PER_DEGREE = 2
NORTH, SOUTH = 84, -58  # nobody lives beyond
ROUNDS = 2
NEEDED = 5  # of eight neighbours
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

MODULE = """\
// Land as the cells of a grid in which there is a known place (GeoNames, CC BY 4.0).
// Made by scripts/make_world_outline.py; read by land.ts.

export const CELLS_PER_DEGREE = {cells};
export const NORTH = {north};
export const COLUMNS = {columns};
/** Lengths of the runs, sea first, row after row from the north-west; the largest digit is followed by what is left of its run. */
export const RUNS =
  "{runs}";
"""


def land(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the grid, (rows from the north, columns from the west): whether a place (degrees) lies in the cell or around it."""
    rows, columns = (NORTH - SOUTH) * CELLS_PER_DEGREE, 360 * CELLS_PER_DEGREE
    grid = np.zeros((rows, columns), dtype=np.bool_)
    row = ((NORTH - lat) * CELLS_PER_DEGREE).astype(int)
    column = ((lon + 180) * CELLS_PER_DEGREE).astype(int) % columns
    is_inside = (row >= 0) & (row < rows)
    grid[row[is_inside], column[is_inside]] = True
    for _ in range(ROUNDS):
        grid |= _neighbours(grid) >= NEEDED
    return grid


def packed(grid: NDArray[np.bool_]) -> str:
    """Return the lengths of its runs, sea first, as digits."""
    cells = grid.ravel()
    ends = np.flatnonzero(np.diff(cells)) + 1
    lengths = np.diff(np.concatenate(([0], ends, [len(cells)]))).tolist()
    return "".join(_digits(length) for length in ([0, *lengths] if cells[0] else lengths))


def _digits(length: int) -> str:
    most = len(DIGITS) - 1
    return DIGITS[most] * (length // most) + DIGITS[length % most]


def _neighbours(grid: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count land among the eight cells around each; the map closes at the date line, not at the poles."""
    rows = np.pad(grid.astype(np.int64), ((1, 1), (0, 0)))
    three = rows + np.roll(rows, 1, axis=1) + np.roll(rows, -1, axis=1)
    return three[:-2] + three[1:-1] + three[2:] - grid


def main(target: Path) -> None:
    """Write the module."""
    columns, _ = load(PACKED)
    is_placed = np.isfinite(columns.lat) & np.isfinite(columns.lon)
    grid = land(columns.lat[is_placed], columns.lon[is_placed])
    text = MODULE.format(cells=CELLS_PER_DEGREE, north=NORTH, columns=grid.shape[1], runs=packed(grid))
    target.write_text(text, encoding="utf-8")
    print(f"{grid.sum()} of {grid.size} cells, {len(text)} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
