"""Names of known places in running text: capitalised runs, names in scripts without capitals, and names after "near".

Owns where a name can begin and end; which place it means is for `resolve` to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import regex

from mindlog.knowledge.extract.gazetteer import GIVEN_NAMES, ORGANIZATION_WORDS, ORGANIZATIONS
from mindlog.knowledge.extraction import Span, name_key
from mindlog.knowledge.places.place import Entry, PlaceKind
from mindlog.knowledge.wordlist import wordlist

if TYPE_CHECKING:
    from mindlog.knowledge.places.gazetteer import Gazetteer

__all__ = ["Spotted", "place_names", "spotted", "spotted_at"]

_TOKEN: Final = regex.compile(r"\p{L}\.(?:\p{L}\.)+|\p{L}[\p{L}\p{M}\p{N}'’.\-]*(?<![.'’\-])")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー々\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+")
_MOST_WORDS = 5
_MOST_CHARACTERS = 8  # of a name in a script without spaces
_MOST_TEXT = 5_000  # characters that are read
_LEAST_PEOPLE = 15_000
_LEAST_PEOPLE_LOOSE = 100_000  # where no capital and no space shows what is a name
_SHORT = 3  # a name of so few Latin letters counts only in capitals: UK, NYC

_CUE: Final = regex.compile(
    r"(?:^|[^\p{L}])(?i:in|near|nearby|around|at|from|to|of|outside|inside|close\ to|visit(?:ed|ing)?|via|between|and"
    r"|within\ [\d.,]+\ ?(?:km|kilomet(?:er|re)s?|miles?|mi)\ of|en|à|in|bei|nahe|cerca\ de|vers|près\ de)\s+(?:the\s+)?$"
)
_NEAR_CUE: Final = regex.compile(r"(?:^|[^\p{L}])(?i:in|near|around|at|from|to|outside|close\ to|of)\s+$")
_BEFORE = 40
_COMMON: Final = wordlist(
    """
a about after all also am an and another any april are as ask at august bar bath be because been before best big
bishop black book but by can car central christmas church city code college coming cool could country cross data day
deal december did do does during each east easter english even event ever every february field first for french friday
from german get give go god good great green had has have he hello help her here hi high his home hope hot house how i
if in is it its january join july june just king lake last let like list little long look love mad man many march
market may me media mobile monday more most moss mr mrs much my name nation near new nice no normal north not notes
november now october of off ok old on one open or orange order other our out over park part people please police port
queen read reading remember road rock russian same saturday school sea see september she should show since so some
south spanish split spring star state still street summer sunday sure table tell thank thanks that the their them then
there these they this those thursday time to today together tomorrow too town tuesday two under union united up us use
van very via village want was way we wednesday week well were west what when where which white who whose why will
winter with wood work world would yes yesterday yet you young your
"""
)
"""Words that begin sentences, or are commoner than the towns that are called so. US counts in capitals alone."""


@dataclass(frozen=True, slots=True)
class Spotted:
    """A name that some place has, with the likeliest place of that name."""

    span: Span
    entry: Entry
    is_spaced: bool  # in a script that writes spaces between words


def spotted(text: str, gazetteer: Gazetteer) -> Iterator[Spotted]:
    """Yield the longest known names that do not overlap, whatever their size."""
    taken = 0
    for start in _starts(text):
        if start >= taken and (found := spotted_at(text, start, gazetteer)):
            taken = found.span.end
            yield found


def spotted_at(text: str, start: int, gazetteer: Gazetteer) -> Spotted | None:
    """Return the longest known name that begins there."""
    run = _UNSPACED.match(text, start)
    ends = _unspaced_ends(run) if run else _spaced_ends(text, start)
    for end in ends:
        words = text[start:end]
        entry = gazetteer.first(name_key(words))
        if entry is not None and (run or _is_written_as_name(words)):
            return Spotted(Span(start, end), entry, run is None)
    return None


def place_names(text: str, gazetteer: Gazetteer) -> list[Span]:
    """Return where the text names places that are large enough to be meant, in order.

    A word that is common, or a person's name, or part of a longer name counts only after a word like "near". A country
    or region that only says where the place before it lies ("Paris, Texas") is left out.
    """
    text = text[:_MOST_TEXT]
    found: list[Spotted] = []
    for each in spotted(text, gazetteer):
        if _is_meant(text, each) and not (found and _qualifies(text, found[-1], each, gazetteer)):
            found.append(each)
    if not found and not any(word[0].isupper() and word.lower() not in _COMMON for word in _TOKEN.findall(text)):
        found = list(_after_near(text, gazetteer))
    return [each.span for each in found]


def _starts(text: str) -> Iterator[int]:
    for match in _TOKEN.finditer(text):
        run = _UNSPACED.match(text, match.start())
        if run is None:
            if not text[match.start()].islower():
                yield match.start()
        else:
            yield from range(match.start(), match.end())


def _unspaced_ends(run: regex.Match[str]) -> Iterator[int]:
    start, end = run.span()
    yield from range(min(end, start + _MOST_CHARACTERS), start + 1, -1)


def _spaced_ends(text: str, start: int) -> list[int]:
    """Return the ends of the words that may belong to a name that begins there, the longest first."""
    ends: list[int] = []
    position = start
    for _ in range(_MOST_WORDS):
        match = _TOKEN.match(text, position)
        if match is None or _UNSPACED.match(text, position):
            break
        # Only the last word of a name must be written as one: Rio de Janeiro.
        if not match[0][0].islower():
            ends.extend(_word_ends(match))
        if text[match.end() : match.end() + 1] not in (" ", "\u00a0"):
            break
        position = match.end() + 1
    return ends[::-1]


def _word_ends(match: regex.Match[str]) -> list[int]:
    ends = [match.end()]
    for tail in ("'s", "’s"):
        if match[0].endswith(tail):
            ends.insert(0, match.end() - len(tail))
    return ends


def _is_written_as_name(words: str) -> bool:
    return len(words) > _SHORT or not words.isascii() or words.isupper()


def _is_meant(text: str, found: Spotted) -> bool:
    place, words = found.entry.place, found.span.of(text).lower()
    if place.population < (_LEAST_PEOPLE if found.is_spaced else _LEAST_PEOPLE_LOOSE):
        return False
    if words in _COMMON:
        return found.span.of(text).isupper() and place.kind is PlaceKind.COUNTRY and not text.isupper()
    next_word = _next_word(text, found.span)
    if words in ORGANIZATIONS or next_word.lower() in ORGANIZATION_WORDS:
        return False
    if not found.is_spaced or _CUE.search(text, max(0, found.span.start - _BEFORE), found.span.start):
        return True
    neighbours = (next_word, _word_before(text, found.span))
    is_part = any(word[:1].isupper() and word.lower() not in _COMMON for word in neighbours)
    return not (is_part or words in GIVEN_NAMES)


def _next_word(text: str, span: Span) -> str:
    """Return the word one space after it, if there is one: Paris Hilton."""
    after = _TOKEN.match(text, span.end + 1) if text[span.end : span.end + 1] == " " else None
    return after[0] if after else ""


def _word_before(text: str, span: Span) -> str:
    """Return the word one space before it that may belong to a name: at Hotel Berlin."""
    before = text[max(0, span.start - _BEFORE) : span.start]
    words = [match for match in _TOKEN.finditer(before) if match.end() == len(before) - 1]
    if not words or not before.endswith(" "):
        return ""
    # The first word of a sentence is written like a name: Compare Paris and Rome.
    is_first = not before[: words[-1].start()].strip(" \"'(¿¡\n") or before[: words[-1].start()].rstrip()[-1] in ".!?"
    return "" if is_first and words[-1][0].lower() not in GIVEN_NAMES else words[-1][0]


def _qualifies(text: str, before: Spotted, found: Spotted, gazetteer: Gazetteer) -> bool:
    if (
        text[before.span.end : found.span.start].strip() not in (",", "(")
        or "\n" in text[before.span.end : found.span.start]
    ):
        return False
    areas = [entry.place for entry in gazetteer.find(found.span.of(text)) if entry.place.kind in _AREAS]
    inside = [entry.place for entry in gazetteer.find(before.span.of(text))]
    return any(
        place.country == area.country and (area.kind is PlaceKind.COUNTRY or area.admin1 == place.admin1)
        for area in areas
        for place in inside
        if place.kind not in (area.kind, PlaceKind.COUNTRY)
    )


_AREAS = (PlaceKind.COUNTRY, PlaceKind.REGION)


def _after_near(text: str, gazetteer: Gazetteer) -> Iterator[Spotted]:
    """Yield large places of a text without capitals: only right after "near", "in" and their like."""
    taken = 0
    for match in _TOKEN.finditer(text):
        start = match.start()
        if start < taken or not _NEAR_CUE.search(text, max(0, start - _BEFORE), start):
            continue
        found = spotted_at(text[start : start + _BEFORE].title(), 0, gazetteer)
        if found is None or found.entry.is_alternate or found.entry.place.population < _LEAST_PEOPLE_LOOSE:
            continue
        span = Span(start, start + found.span.end)
        if span.of(text).lower() not in _COMMON:
            taken = span.end
            yield replace(found, span=span)
