"""What a text says about where a name lies: the words around the name, and the areas and large cities it names.

Owns reading the text; how much each sign counts is for `resolve` to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import regex

from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.places.place import Place, PlaceKind
from mindlog.knowledge.places.spotting import Spotted, spotted, spotted_at

if TYPE_CHECKING:
    from mindlog.knowledge.places.gazetteer import Gazetteer

__all__ = ["AREAS", "Evidence", "Named", "kind_of_words", "lies_in", "read_evidence"]

AREAS: Final = (PlaceKind.COUNTRY, PlaceKind.REGION)
"""The kinds of place that others lie in."""

_AROUND = 600  # characters that are read before and after each occurrence
_MOST_OCCURRENCES = 3
_MOST_STEPS = 3  # of a chain: Springfield, Sangamon County, Illinois
_LARGE = 5.5  # prior of a city that is a landmark for what is near it
_SHORT = 3  # an abbreviation such as ON or ME counts only right after the name

_KIND_WORDS: Final = {
    **dict.fromkeys(("country", "nation", "republic"), PlaceKind.COUNTRY),
    **dict.fromkeys(("state", "province", "region", "prefecture", "oblast", "canton"), PlaceKind.REGION),
    **dict.fromkeys(("city", "town", "village", "suburb", "municipality"), PlaceKind.CITY),
}
_KIND_BEFORE: Final = regex.compile(rf"(?<!\p{{L}})(?i:({'|'.join(_KIND_WORDS)})\s+of\s+)(?:the\s+)?$")
_KIND_AFTER: Final = regex.compile(rf"\s(?i:({'|'.join(_KIND_WORDS)}))(?!\p{{L}})")
_STEP: Final = regex.compile(r"(?:['’]s)?(?:(?P<sure>\s?\(\s?|\s+in\s+(?:the\s+)?)|\s?,\s+(?:in\s+)?|\s?,)")
_UNKNOWN: Final = regex.compile(r"\p{Lu}[\p{L}\p{M}'’.\-]*(?:\ \p{Lu}[\p{L}\p{M}'’.\-]*){0,3}(?=,)")
_LIST_GOES_ON: Final = regex.compile(r"\s?,|\s+(?:and|or|&|und|et|y)\s")


@dataclass(frozen=True, slots=True)
class Named:
    """Words of the text and the places they can mean."""

    words: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a text says about one name."""

    said_in: tuple[Named, ...] = ()  # areas right after the name: "Paris, Texas"
    is_said_surely: bool = False  # and they are no mere next item of a list
    areas: tuple[Named, ...] = ()  # countries and regions named elsewhere
    landmarks: tuple[Named, ...] = ()  # large cities named elsewhere
    kind: PlaceKind | None = None  # "the state of Georgia"


def read_evidence(name: str, text: str, gazetteer: Gazetteer) -> Evidence:
    """Return what the text says about the name; nothing if the name is not in it. Reads the surroundings of three places."""
    spots = list(_occurrences(name, text))
    chains = [_chain(text, end, gazetteer) for _, end in spots]
    said = tuple(named for chain, _ in chains for named in chain)
    areas: dict[str, Named] = {}
    landmarks: dict[str, Named] = {}
    own = {name_key(name), *(name_key(each.words) for each in said)}
    for window in _windows(spots, text) or [text[:_AROUND]]:
        for found in spotted(window, gazetteer):
            words = found.span.of(window)
            if name_key(words) not in own:
                _file(words, found, gazetteer, areas, landmarks)
    kinds = (_kind_around(text, start, end) for start, end in spots)
    return Evidence(
        said,
        any(is_sure for _, is_sure in chains),
        tuple(areas.values()),
        tuple(landmarks.values()),
        next((kind for kind in kinds if kind), None),
    )


def kind_of_words(name: str) -> tuple[str, PlaceKind | None]:
    """Return the name without a word for its kind ("the state of", "Province") and the kind it gives."""
    plain = regex.sub(r"^(?i:the)\s+", "", name.strip())
    if (match := regex.match(rf"(?i:({'|'.join(_KIND_WORDS)}))\s+of\s+(?:the\s+)?", plain)) and match.end() < len(
        plain
    ):
        return plain[match.end() :], _KIND_WORDS[match[1].lower()]
    head, _, last = plain.rpartition(" ")
    return (head, _KIND_WORDS[last.lower()]) if head and last.lower() in _KIND_WORDS else (plain, None)


def lies_in(place: Place, area: Place) -> bool:
    """Say whether a place lies in a country or region, or is it."""
    if place.country != area.country or area.kind not in AREAS:
        return False
    return area.kind is PlaceKind.COUNTRY or (place.kind is not PlaceKind.COUNTRY and place.admin1 == area.admin1)


def _occurrences(name: str, text: str) -> Iterator[tuple[int, int]]:
    lowered = text.lower()
    # Lower case is longer for a few letters: then case counts, since the positions must be those of the text.
    hay, needle = (lowered, name.lower()) if len(lowered) == len(text) else (text, name)
    count, at = 0, hay.find(needle) if needle else -1
    while at >= 0 and count < _MOST_OCCURRENCES:
        end = at + len(needle)
        if not _is_cased(hay[at - 1 : at]) and not _is_cased(hay[end : end + 1]):
            count += 1
            yield at, end
        at = hay.find(needle, end)


def _is_cased(character: str) -> bool:
    """Say whether a name cannot end next to it: a letter of a script that writes spaces between words."""
    return character.lower() != character.upper()


def _windows(spots: list[tuple[int, int]], text: str) -> list[str]:
    bounds: list[tuple[int, int]] = []
    for start, end in spots:
        low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
        if bounds and low <= bounds[-1][1]:
            bounds[-1] = (bounds[-1][0], high)
        else:
            bounds.append((low, high))
    return [text[low:high] for low, high in bounds]


def _chain(text: str, end: int, gazetteer: Gazetteer) -> tuple[list[Named], bool]:
    """Return the areas in the steps after the name ("Springfield, Sangamon County, Illinois"), and whether surely."""
    found: list[Named] = []
    is_sure = False
    for _ in range(_MOST_STEPS):
        step = _STEP.match(text, end)
        if step is None:
            break
        named = _area_at(text, step.end(), gazetteer)
        unknown = None if named else _UNKNOWN.match(text, step.end())
        if named:
            found.append(named)
            end = step.end() + len(named.words)
            is_sure = is_sure or bool(step["sure"]) or not _LIST_GOES_ON.match(text, end)
        elif unknown:
            end = unknown.end()
        else:
            break
    return found, is_sure


def _area_at(text: str, start: int, gazetteer: Gazetteer) -> Named | None:
    spot = spotted_at(text, start, gazetteer)
    if spot is None:
        return None
    words = spot.span.of(text)
    areas = _areas(words, gazetteer)
    return Named(words, areas) if areas else None


def _areas(words: str, gazetteer: Gazetteer) -> tuple[Place, ...]:
    return tuple(entry.place for entry in gazetteer.find(words) if entry.place.kind in AREAS)


def _file(
    words: str, found: Spotted, gazetteer: Gazetteer, areas: dict[str, Named], landmarks: dict[str, Named]
) -> None:
    place = found.entry.place
    if place.kind in AREAS:
        if len(words) > _SHORT or place.kind is PlaceKind.COUNTRY or not words.isascii():
            areas.setdefault(name_key(words), Named(words, _areas(words, gazetteer)))
    elif place.kind is PlaceKind.CITY and found.entry.prior >= _LARGE:
        landmarks.setdefault(name_key(words), Named(words, (place,)))


def _kind_around(text: str, start: int, end: int) -> PlaceKind | None:
    match = _KIND_BEFORE.search(text, max(0, start - 40), start) or _KIND_AFTER.match(text, end)
    return _KIND_WORDS[match[1].lower()] if match else None
