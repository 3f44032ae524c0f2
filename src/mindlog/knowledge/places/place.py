"""What a place is, and how likely a name means it when nothing else is known. Knows no file and no text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from mindlog.knowledge.places.near import haversine_km

__all__ = ["Entry", "Place", "PlaceKind", "prior", "same_place"]


class PlaceKind(StrEnum):
    """What sort of place it is. The order is that of the stored codes."""

    CONTINENT = "continent"
    COUNTRY = "country"
    REGION = "region"  #: a first-level part of a country: a state, a province
    CITY = "city"  #: a town, village or part of a city


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place on the map. Coordinates in degrees (WGS 84); those of a city are its centre."""

    name: str
    country: str  # two letters (ISO 3166); empty for a continent
    admin1: str | None  # the English name of the region it lies in; a region's own name
    lat: float
    lon: float
    population: int
    kind: PlaceKind
    source: str  # where its coordinates are from


@dataclass(frozen=True, slots=True)
class Entry:
    """A place that a name can mean. `is_alternate`: the name is not the one the place goes by in English."""

    place: Place
    is_alternate: bool
    is_capital: bool  # of a country

    @property
    def prior(self) -> float:
        """How likely it is meant, as a power of ten."""
        place = self.place
        return prior(place.kind, place.population, is_capital=self.is_capital, is_alternate=self.is_alternate)


# In powers of ten of people. A region is named less often than a town of as many people, a capital more often.
_OF_KIND = {PlaceKind.CONTINENT: 0.0, PlaceKind.COUNTRY: 0.1, PlaceKind.REGION: -0.5, PlaceKind.CITY: 0.0}
_CAPITAL = 0.7
_ALTERNATE = -0.5
_ROUND_A_CITY_KM = 100.0  # a region around a city that is a region itself: Kyiv, Buenos Aires
_SMALLEST = 100  # people: many small places are listed with none


def prior(kind: PlaceKind, population: int, *, is_capital: bool, is_alternate: bool) -> float:
    """Return how likely the place is meant, as a power of ten."""
    score = math.log10(population + _SMALLEST) + _OF_KIND[kind]
    return score + _CAPITAL * is_capital + _ALTERNATE * is_alternate


def same_place(place: Place, other: Place) -> bool:
    """Say whether one lies in the other or both are one: New York and the state, Luxembourg and its capital."""
    if place.kind is other.kind or place.country != other.country:
        return False
    if PlaceKind.COUNTRY in (place.kind, other.kind):
        return True
    apart = haversine_km(place.lat, place.lon, other.lat, other.lon)
    return place.admin1 == other.admin1 or apart <= _ROUND_A_CITY_KM
