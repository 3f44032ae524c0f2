"""Coordinates written in a text: decimal degrees, degrees with minutes and seconds, map links, each with its span.

What is out of range, contradicts itself or is only a pair of numbers is left out. Knows no place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import regex

__all__ = ["FoundCoordinates", "find_coordinates"]


@dataclass(frozen=True, slots=True)
class FoundCoordinates:
    """A point in degrees and the half-open range of characters that names it."""

    lat: float
    lon: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Angle:
    degrees: float  # with its sign
    axis: str | None  # "lat", "lon", or None if nothing tells
    decimals: int
    has_sign: bool  # the degree sign
    is_split: bool  # into minutes


_DIRECTIONS: Final = {"n": ("lat", 1), "s": ("lat", -1), "e": ("lon", 1), "w": ("lon", -1)}


def _angle(number: int) -> str:
    """Return the pattern of one angle; its groups end in the number."""
    direction = r"(?:[NSEW]|(?i:north|south|east|west))(?!\p{L})"
    return rf"""
        (?:(?P<before{number}>[NSEW]|(?i:north|south|east|west)\ )\ ?)?
        (?P<sign{number}>[-+−])? (?P<deg{number}>\d{{1,3}}(?:\.\d{{1,15}})?) (?![\d])
        (?:\ ?(?P<mark{number}>°|º|˚|deg\b|degrees\b))?
        (?:\ ?(?P<min{number}>\d{{1,2}}(?:\.\d{{1,10}})?)\ ?(?:['′’]|min\b)(?!['′’]))?
        (?:\ ?(?P<sec{number}>\d{{1,2}}(?:\.\d{{1,10}})?)\ ?(?:["″”“]|''|′′|’’|sec\b))?
        (?(before{number})|(?:\ ?(?P<after{number}>{direction}))?)"""


_PAIR: Final = regex.compile(
    rf"""(?<![\p{{L}}\d.,°'"−+-])(?P<open>[(\[])?\ ?{_angle(1)}
    (?:\s{{0,3}}[,;/|]\s{{0,3}}|\ {{1,3}}(?:and\ |by\ )?|(?<=[NSEW°'"′″]))
    {_angle(2)}(?![\d°]|\.\d)(?P<close>\ ?[)\]])?""",
    regex.VERBOSE,
)
_NUMBER = r"(?P<{name}>[-+−]?\d{{1,3}}(?:\.\d{{1,15}})?)(?![\d])"
_SAID: Final = regex.compile(
    r"(?<!\p{L})(?i:lat(?:itude)?)[\"']?\s{0,2}(?:[:=]|is|of)?\s{0,2}" + _NUMBER.format(name="lat") + r"\ ?°?"
    r"[\s,;&{}\"']{0,4}(?:and\s)?(?i:l(?:on|ng|ong)(?:itude)?)[\"']?\s{0,2}(?:[:=]|is|of)?\s{0,2}"
    + _NUMBER.format(name="lon")
    + r"(?:\ ?°)?"
)
_LINK: Final = regex.compile(
    r"(?:(?<![\p{L}\d])geo:|(?<=/)@|[?&](?:q|ll|query|center|mlat)=)"
    + _NUMBER.format(name="lat")
    + r"(?:,|%2C|&mlon=)"
    + _NUMBER.format(name="lon")
)
_WELL_KNOWN: Final = regex.compile(
    r"(?<!\p{L})POINT\ ?\(\s?" + _NUMBER.format(name="lon") + r"\s" + _NUMBER.format(name="lat") + r"\s?\)"
)
# A pair of bare numbers is a point only if it is written more finely than prices, scores and versions are.
_BARE_DECIMALS = 4
_BRACKETED_DECIMALS = 3
_DEGREE_DECIMALS = 2  # with the degree sign: "between 10° and 20°" is no point
_NEIGHBOUR: Final = regex.compile(r"\s{0,2}[,;x×]\s{0,2}[-+−]?\d")
_NEIGHBOUR_BEFORE: Final = regex.compile(r"\d\s{0,2}[,;x×]\s{0,2}$")


def find_coordinates(text: str) -> list[FoundCoordinates]:
    """Return the coordinates in the text in their order, none overlapping.

    A bare pair of numbers counts as latitude and longitude only with four decimals each (three in brackets) and not
    within a longer list. A pair that is no point ("95.1234, 10.5678") is left out, not turned round.
    """
    found: list[FoundCoordinates] = []
    taken = 0
    for point in sorted((*_labelled(text), *_pairs(text)), key=lambda each: (each.start, -each.end)):
        if point.start >= taken:
            found.append(point)
            taken = point.end
    return found


def _labelled(text: str) -> Iterator[FoundCoordinates]:
    for pattern in (_SAID, _LINK, _WELL_KNOWN):
        for match in pattern.finditer(text):
            lat, lon = (_number(match[name]) for name in ("lat", "lon"))
            yield from _point(lat, lon, match.start(), match.end())


def _pairs(text: str) -> Iterator[FoundCoordinates]:
    for match in _PAIR.finditer(text):
        first, second = _read(match, 1), _read(match, 2)
        if first is None or second is None:
            continue
        start, end = _bounds(match)
        if not _is_plain(text, match, (first, second)):
            continue
        if first.axis == "lon" or second.axis == "lat":
            first, second = second, first
        if first.axis != "lon" and second.axis != "lat" and (first.axis is None) == (second.axis is None):
            yield from _point(first.degrees, second.degrees, start, end)


def _bounds(match: regex.Match[str]) -> tuple[int, int]:
    """Return the span without the brackets around it and the blanks beside them."""
    inner = match[0].strip("([ ])")
    start = match.start() + match[0].index(inner)
    return start, start + len(inner)


def _is_plain(text: str, match: regex.Match[str], angles: tuple[_Angle, _Angle]) -> bool:
    """Say whether the pair is written as only points are."""
    if any(angle.axis for angle in angles):
        return any(angle.has_sign or angle.decimals for angle in angles)
    if all(angle.has_sign and (angle.is_split or angle.decimals >= _DEGREE_DECIMALS) for angle in angles):
        return True
    is_bracketed = bool(match["open"] and match["close"])
    least = _BRACKETED_DECIMALS if is_bracketed else _BARE_DECIMALS
    if any(angle.decimals < least for angle in angles):
        return False
    before = text[max(0, match.start() - 8) : match.start()]
    return not _NEIGHBOUR.match(text, match.end()) and not _NEIGHBOUR_BEFORE.search(before)


def _read(match: regex.Match[str], number: int) -> _Angle | None:
    """Return the angle, or None if its parts contradict each other."""
    parts = {name: match[f"{name}{number}"] for name in ("before", "sign", "deg", "mark", "min", "sec", "after")}
    direction = (parts["before"] or parts["after"] or "").strip().lower()
    axis, turn = _DIRECTIONS[direction[0]] if direction else (None, 1)
    if direction and parts["sign"]:
        return None
    minutes, seconds = float(parts["min"] or 0), float(parts["sec"] or 0)
    is_split = parts["min"] is not None or parts["sec"] is not None
    if minutes >= 60 or seconds >= 60 or (is_split and (not parts["mark"] or "." in parts["deg"])):
        return None
    size = float(parts["deg"]) + minutes / 60 + seconds / 3600
    sign = -1 if parts["sign"] in ("-", "−") else turn
    return _Angle(sign * size, axis, len(parts["deg"].partition(".")[2]), bool(parts["mark"]), is_split)


def _number(written: str) -> float:
    return float(written.replace("−", "-"))


def _point(lat: float, lon: float, start: int, end: int) -> Iterator[FoundCoordinates]:
    if -90 <= lat <= 90 and -180 <= lon <= 180:
        yield FoundCoordinates(lat, lon, start, end)
