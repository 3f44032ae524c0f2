"""What places that are known for sure say about others: nearness, shares of countries, a name that was met before.

Owns these weights, as powers of ten; reads no text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.places.evidence import AREAS, lies_in
from mindlog.knowledge.places.near import distances_km, haversine_km
from mindlog.knowledge.places.place import Place, PlaceKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mindlog.knowledge.places.gazetteer import Gazetteer

__all__ = ["Anchors", "KnownPlace", "Sign", "near_landmarks"]

_AGAIN = 3.0  # the dataset has resolved this name to this place before
_AGAIN_KM = 20.0
_INSIDE = 1.0  # a known place lies in the country or region
_NEAREST = (1.0, 0.5, 0.25)  # the nearest three known places, fading with the distance
_FADE_KM = 200.0
_OF_COUNTRY, _OF_REGION = 2.0, 1.0  # if all known places lie in the same
_FEW = 2  # known places that weigh against each share, since few tell little


class KnownPlace(NamedTuple):
    """A place that the dataset has resolved already. Degrees."""

    name: str
    lat: float
    lon: float
    population: int | None = None


class Sign(NamedTuple):
    """Something that speaks for a place: how much, as a power of ten, and the words for it (empty: not worth saying)."""

    worth: float
    words: str


@dataclass(frozen=True, slots=True)
class Anchors:
    """The known places: name keys, points (n, 2) and, where the gazetteer has them, the places themselves."""

    names: tuple[str, ...]
    keys: NDArray[np.str_]
    points: NDArray[np.float64]
    places: tuple[Place, ...]
    countries: Counter[str]
    regions: Counter[tuple[str, str | None]]

    @classmethod
    def of(cls, known: Sequence[KnownPlace], gazetteer: Gazetteer) -> Anchors:
        """Make them from the dataset's places."""
        places = [place for each in known if (place := _listed(each, gazetteer))]
        return cls._made([(each.name, each.lat, each.lon) for each in known], places)

    def with_places(self, more: Collection[Place]) -> Anchors:
        """Return these and more."""
        cities = [(place.name, place.lat, place.lon) for place in more if place.kind is PlaceKind.CITY]
        points = [(name, *point) for name, point in zip(self.names, self.points.tolist(), strict=True)]
        return self._made([*points, *cities], [*self.places, *more])

    def signs(self, name: str, places: Iterable[Place]) -> list[list[Sign]]:
        """Return for each place that the name can mean what speaks for it."""
        is_same = self.keys == name_key(name)
        same, others = self.points[is_same], self.points[~is_same]
        names = [each for each, skipped in zip(self.names, is_same.tolist(), strict=True) if not skipped]
        return [self._signs(place, same, others, names) for place in places]

    def _signs(
        self, place: Place, same: NDArray[np.float64], others: NDArray[np.float64], names: Sequence[str]
    ) -> list[Sign]:
        signs = [*_insides(place, self.places), *self._shares(place)]
        if len(same) and distances_km(same, place.lat, place.lon).min() <= _AGAIN_KM:
            return [*signs, Sign(_AGAIN, "the dataset has it")]
        return [*signs, _nearness(place, names, others)] if names else signs

    def _shares(self, place: Place) -> list[Sign]:
        if not self.places:
            return []
        country, region = self.countries[place.country], self.regions[place.country, place.admin1]
        whole = len(self.places) + _FEW
        words = f"{country} of {len(self.places)} known places are in the same country"
        return [Sign((_OF_COUNTRY * country + _OF_REGION * region) / whole, words if 2 * country > whole else "")]

    @classmethod
    def _made(cls, points: Sequence[tuple[str, float, float]], places: Sequence[Place]) -> Anchors:
        cities = [place for place in places if place.kind is PlaceKind.CITY]
        return cls(
            tuple(name for name, _, _ in points),
            np.array([name_key(name) for name, _, _ in points], dtype=np.str_),
            np.array([point for _, *point in points], dtype=np.float64).reshape(-1, 2),
            tuple(places),
            Counter(place.country for place in places),
            Counter((place.country, place.admin1) for place in cities),
        )


def near_landmarks(place: Place, landmarks: Sequence[Place]) -> list[Sign]:
    """Return what large cities that the text names say for a place."""
    if not landmarks:
        return []
    points = np.array([(each.lat, each.lon) for each in landmarks])
    return [_nearness(place, [each.name for each in landmarks], points), *_insides(place, landmarks)]


def _listed(known: KnownPlace, gazetteer: Gazetteer) -> Place | None:
    entry = gazetteer.first(name_key(known.name))
    if entry is None:
        return None
    apart = haversine_km(known.lat, known.lon, entry.place.lat, entry.place.lon)
    return entry.place if apart <= _AGAIN_KM else None


def _insides(place: Place, others: Sequence[Place]) -> list[Sign]:
    if place.kind not in AREAS:
        return []
    return [Sign(_INSIDE, f"{other.name} lies there") for other in others if lies_in(other, place) and other != place][
        :1
    ]


def _nearness(place: Place, names: Sequence[str], points: NDArray[np.float64]) -> Sign:
    distances = distances_km(points, place.lat, place.lon)
    nearest = np.argsort(distances)[: len(_NEAREST)].tolist()
    worth = sum(share * math.exp(-distances[each] / _FADE_KM) for share, each in zip(_NEAREST, nearest, strict=False))
    closest = nearest[0]
    is_near = distances[closest] <= _FADE_KM
    return Sign(worth, f"{distances[closest]:.0f} km from {names[closest]}" if is_near else "")
