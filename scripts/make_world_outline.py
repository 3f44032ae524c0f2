"""Draw the map of the admin UI: where land ends, and where one country does.

Usage: python scripts/make_world_outline.py COUNTRIES.json admin_ui/src/views/places/world.ts

COUNTRIES.json is `countries-50m.json` of the npm package world-atlas 2.0.2 (`npm pack world-atlas@2.0.2`): Natural
Earth 4.1 at 1:50 million, which is in the public domain. Lines are made coarser and tiny islands left out until the
whole is small enough to be part of a page.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

SHA256 = "04342cdc1e3016bcd7db1630de95684d67b79fe3c8c460321e87aef469502394"
STEPS_PER_DEGREE = 16
COARSENESS = 0.07  # degrees that a line may be off
LEAST_AREA = 0.05  # square degrees of an island
SOUTH = -60  # what lies wholly beyond is Antarctica
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

Point = tuple[float, float]

MODULE = """\
// Land and borders of countries: Natural Earth 4.1 at 1:50 million (public domain), from the npm package world-atlas 2.0.2.
// Made by scripts/make_world_outline.py; read by land.ts. Disputed borders are drawn as that source draws them.

export const STEPS_PER_DEGREE = {steps};
/** Closed lines around land; some go on past the edge of the map. Each is its number of points, then longitude and latitude in steps, each less the one before. */
export const LAND =
{land};
/** Lines between two countries, in the same form. */
export const BORDERS =
{borders};
"""


def arcs(world: dict[str, Any]) -> list[list[Point]]:
    """Return the lines of a topology, (longitude, latitude) in degrees."""
    (scale_x, scale_y), (left, top) = world["transform"]["scale"], world["transform"]["translate"]
    found: list[list[Point]] = []
    for steps in world["arcs"]:
        x = y = 0
        line: list[Point] = []
        for step_x, step_y in steps:
            x, y = x + step_x, y + step_y
            line.append((x * scale_x + left, y * scale_y + top))
        found.append(line)
    return found


def coarse(line: list[Point]) -> list[Point]:
    """Return the line with the fewest of its points that keep it within COARSENESS (Douglas and Peucker)."""
    kept = {0, len(line) - 1}
    spans = [(0, len(line) - 1)]
    while spans:
        first, last = spans.pop()
        away, at = max(((_off(line[i], line[first], line[last]), i) for i in range(first + 1, last)), default=(0.0, 0))
        if away > COARSENESS:
            kept.add(at)
            spans += [(first, at), (at, last)]
    return [line[i] for i in sorted(kept)]


def rings(world: dict[str, Any], lines: list[list[Point]]) -> Iterator[list[Point]]:
    """Yield the closed lines around land (and inland seas) that are large enough and not Antarctica's."""
    for geometry in world["objects"]["land"]["geometries"]:
        for polygon in geometry["arcs"]:
            for ring in polygon:
                points = _unbroken([point for at in ring for point in _way(lines, at)[:-1]])
                if max(y for _, y in points) > SOUTH and abs(_area(points)) >= LEAST_AREA:
                    yield points


def borders(world: dict[str, Any], lines: list[list[Point]]) -> Iterator[list[Point]]:
    """Yield the lines that two countries share."""
    used: Counter[int] = Counter()
    for geometry in world["objects"]["countries"]["geometries"]:
        used.update({at if at >= 0 else ~at for at in _flat(geometry.get("arcs", []))})
    return (lines[at] for at, times in sorted(used.items()) if times > 1)


def packed(lines: Iterable[list[Point]]) -> str:
    """Return the lines as digits; a point that falls on the one before is left out."""
    parts: list[str] = []
    for line in lines:
        steps = [(round(x * STEPS_PER_DEGREE), round(y * STEPS_PER_DEGREE)) for x, y in line]
        steps = [steps[0], *(after for before, after in pairwise(steps) if after != before)]
        if len(steps) < 2:
            continue
        moves = ((b[0] - a[0], b[1] - a[1]) for a, b in pairwise([(0, 0), *steps]))
        parts.append(_digits(len(steps) << 1) + "".join(_signed(x) + _signed(y) for x, y in moves))
    return "".join(parts)


def _way(lines: list[list[Point]], at: int) -> list[Point]:
    return lines[at] if at >= 0 else lines[~at][::-1]


def _unbroken(ring: list[Point]) -> list[Point]:
    """The ring, going on past 180 degrees instead of jumping to the other edge of the map."""
    points, turn = [ring[0]], 0
    for (before, _), (x, y) in pairwise(ring):
        turn += 360 * ((x - before < -180) - (x - before > 180))
        points.append((x + turn, y))
    return points


def _flat(nested: list[Any]) -> Iterator[int]:
    for each in nested:
        if isinstance(each, list):
            yield from _flat(each)
        else:
            yield each


def _area(points: list[Point]) -> float:
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*points, points[0]])) / 2


def _off(point: Point, start: Point, end: Point) -> float:
    """How far the point is from the straight way between two others, degrees."""
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    length = along_x**2 + along_y**2
    to_x, to_y = point[0] - start[0], point[1] - start[1]
    share = min(1.0, max(0.0, (to_x * along_x + to_y * along_y) / length)) if length else 0.0
    return ((to_x - share * along_x) ** 2 + (to_y - share * along_y) ** 2) ** 0.5


def _signed(value: int) -> str:
    return _digits(value << 1 if value >= 0 else (-value << 1) | 1)


def _digits(value: int) -> str:
    """Five bits a digit, the lowest first; a digit from 32 on says that more follow."""
    digits = ""
    while value > 31:
        digits += DIGITS[32 | value & 31]
        value >>= 5
    return digits + DIGITS[value]


def _quoted(text: str) -> str:
    return '  "' + text + '"'


def main(source: Path, target: Path) -> None:
    """Write the module."""
    content = source.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        sys.exit(f"{source} is not countries-50m.json of world-atlas 2.0.2")
    world = json.loads(content)
    lines = [coarse(line) for line in arcs(world)]
    land, between = packed(rings(world, lines)), packed(borders(world, lines))
    text = MODULE.format(steps=STEPS_PER_DEGREE, land=_quoted(land), borders=_quoted(between))
    target.write_text(text, encoding="utf-8")
    print(f"{len(land)} characters of land, {len(between)} of borders")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
