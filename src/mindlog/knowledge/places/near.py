"""Distances on the globe, and which points are near another. Knows no cell and no name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from mindlog.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["EARTH_KM", "check_circle", "check_point", "distances_km", "haversine_km", "within"]

EARTH_KM: Final = 6371.0088
"""The mean radius of the earth (IUGG). Distances are those on a sphere, within 0.6 % of those on the ellipsoid."""


def check_point(lat: float, lon: float) -> None:
    """Refuse what is no point: latitude outside -90 to 90, longitude outside -180 to 180, not a number.

    Raises:
        InvalidInput: the field is `lat` or `lon`.
    """
    if not -90 <= lat <= 90:
        raise InvalidInput(f"a latitude is -90 to 90 degrees, not {lat}", field="lat")
    if not -180 <= lon <= 180:
        raise InvalidInput(f"a longitude is -180 to 180 degrees, not {lon}", field="lon")


def check_circle(lat: float, lon: float, km: float) -> None:
    """Refuse what is no circle on the globe.

    Raises:
        InvalidInput: the field is `lat`, `lon` or `km`.
    """
    check_point(lat, lon)
    if not 0 <= km < math.inf:
        raise InvalidInput(f"a radius is a number of kilometres from 0 on, not {km}", field="km")


def haversine_km(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Return the great-circle distance of two points given in degrees."""
    up, along = math.radians(other_lat - lat), math.radians(other_lon - lon)
    across = math.cos(math.radians(lat)) * math.cos(math.radians(other_lat))
    half = math.sin(up / 2) ** 2 + across * math.sin(along / 2) ** 2
    return 2 * EARTH_KM * math.asin(math.sqrt(min(1.0, half)))


def distances_km(points: ArrayLike, lat: float, lon: float) -> NDArray[np.float64]:
    """Return the distance of each point (n, 2: latitude and longitude in degrees) from one."""
    degrees = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    up, along = np.radians(degrees[:, 0] - lat), np.radians(degrees[:, 1] - lon)
    across = math.cos(math.radians(lat)) * np.cos(np.radians(degrees[:, 0]))
    half = np.sin(up / 2) ** 2 + across * np.sin(along / 2) ** 2
    return 2 * EARTH_KM * np.arcsin(np.sqrt(np.minimum(1.0, half)))


def within(points: ArrayLike, lat: float, lon: float, km: float) -> list[tuple[int, float]]:
    """Return (position, kilometres) of every point (n, 2: degrees) at most `km` away, nearest first.

    Raises:
        InvalidInput: the centre or the radius is none.
    """
    check_circle(lat, lon, km)
    distances = distances_km(points, lat, lon)
    close = np.flatnonzero(distances <= km)
    ordered = close[np.argsort(distances[close], kind="stable")]
    return [(int(each), float(distances[each])) for each in ordered]
