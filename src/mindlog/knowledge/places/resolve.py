"""Which place a name means: people and kind first, then what the text and the dataset's other places say.

Pure. Signs add up as powers of ten; what is not clearly ahead of the others is given as a doubtful guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mindlog.knowledge.places.anchors import Anchors, KnownPlace, Sign, near_landmarks
from mindlog.knowledge.places.evidence import Evidence, Named, kind_of_words, lies_in, read_evidence
from mindlog.knowledge.places.place import Entry, Place, PlaceKind, same_place

if TYPE_CHECKING:
    from mindlog.knowledge.places.gazetteer import Gazetteer

__all__ = ["CONFIDENT", "Candidate", "KnownPlace", "Resolution", "resolve_places"]

CONFIDENT: Final = 0.85
"""The chance from which the best candidate is taken for the place."""

_SAID = 6.0  # "Paris, Texas"
_NAMED = {PlaceKind.COUNTRY: 1.8, PlaceKind.REGION: 2.5}  # elsewhere in the text
_KIND = 2.0  # "the state of Georgia"
_OWN_NAME = 0.7  # what a place loses that is only also called so, if another goes by the name ...
_OWN_NAME_SIZE = 1.2  # ... that is not smaller by more than this
_UNLISTED = 3.7  # the chance that no listed place is meant: that of a town of 5 000
_CITY_SHARE = 0.15  # a city with so much of its region's people is meant by the name that both have
_MOST_CANDIDATES = 8
_MOST_KNOWN = 500


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place the name can mean, its chance among all (0 to 1) and what speaks for it."""

    place: Place
    chance: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What became of a name. `place` is the best guess, to be relied on only if `confident`; None if nothing has the name."""

    name: str
    place: Place | None
    confident: bool
    reason: str
    candidates: tuple[Candidate, ...]  # the likeliest first, at most 8


@dataclass(frozen=True, slots=True)
class _Scored:
    entry: Entry
    score: float
    signs: tuple[str, ...]  # what the text and the dataset say for it

    @property
    def place(self) -> Place:
        return self.entry.place


def resolve_places(
    names: Sequence[tuple[str, str]], known: Sequence[KnownPlace], gazetteer: Gazetteer
) -> list[Resolution]:
    """Resolve each (name, text it stands in), in order. The sure ones among them help with the others.

    `known`: the dataset's resolved places, of which the first 500 count. Some milliseconds a name: off the loop.
    """
    read = [_Name.read(name, text, gazetteer) for name, text in names]
    base = Anchors.of(known[:_MOST_KNOWN], gazetteer)
    first = [each.resolution(base) for each in read]
    sure = {each.place for each in first if each.confident and each.place is not None}
    if not sure:
        return first
    more = base.with_places(sure)
    return [
        done if done.confident or not done.candidates else each.resolution(more)
        for each, done in zip(read, first, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Name:
    """A name with its entries and what its text says."""

    name: str
    entries: list[Entry]
    evidence: Evidence

    @classmethod
    def read(cls, name: str, text: str, gazetteer: Gazetteer) -> _Name:
        entries, evidence = gazetteer.find(name), read_evidence(name, text, gazetteer)
        plain, kind = kind_of_words(name)
        has_kind = any(entry.place.kind is kind for entry in entries)
        if kind and not has_kind and (others := gazetteer.find(plain)):
            return cls(name, others, replace(evidence, kind=kind))
        return cls(name, entries or gazetteer.find(plain), evidence)

    def resolution(self, anchors: Anchors) -> Resolution:
        scored = _without_namesakes(self._scored(anchors), self.evidence.kind)
        if not scored:
            return Resolution(
                name=self.name, place=None, confident=False, reason="no place of that name is known", candidates=()
            )
        scored.sort(key=lambda each: -each.score)
        chances = _chances([each.score for each in scored])
        candidates = tuple(
            Candidate(each.place, chance, _candidate_reason(each))
            for each, chance in zip(scored[:_MOST_CANDIDATES], chances, strict=False)
        )
        elsewhere = self._said_elsewhere(scored)
        is_sure = candidates[0].chance >= CONFIDENT and elsewhere is None
        reason = _why(scored) if is_sure else elsewhere or _doubt(candidates)
        return Resolution(
            name=self.name, place=scored[0].place, confident=is_sure, reason=reason, candidates=candidates
        )

    def _scored(self, anchors: Anchors) -> list[_Scored]:
        own = max((entry.prior for entry in self.entries if not entry.is_alternate), default=0.0)
        known = anchors.signs(self.name, [entry.place for entry in self.entries])
        scored: list[_Scored] = []
        for entry, signs in zip(self.entries, known, strict=True):
            is_called_otherwise = entry.is_alternate and own >= entry.prior - _OWN_NAME_SIZE
            all_signs = (*self._from_text(entry.place), *signs)
            score = entry.prior - _OWN_NAME * is_called_otherwise + sum(sign.worth for sign in all_signs)
            scored.append(_Scored(entry, score, tuple(sign.words for sign in all_signs if sign.words)))
        return scored

    def _from_text(self, place: Place) -> list[Sign]:
        signs: list[Sign] = []
        if said := _holding(self.evidence.said_in, place):
            signs.append(Sign(_SAID, f"the text says {said[0].words}"))
        named = [(area, each) for each in self.evidence.areas for area in each.places if lies_in(place, area)]
        if named:
            area, words = max(named, key=lambda each: _NAMED[each[0].kind])
            signs.append(Sign(_NAMED[area.kind], f"the text names {words.words}"))
        if self.evidence.kind is place.kind:
            signs.append(Sign(_KIND, f"the text calls it a {place.kind}"))
        return signs + near_landmarks(place, [each for named in self.evidence.landmarks for each in named.places])

    def _said_elsewhere(self, scored: Sequence[_Scored]) -> str | None:
        said = self.evidence.said_in
        if not said or not self.evidence.is_said_surely or any(_holding(said, each.place) for each in scored):
            return None
        return f"the text says {said[0].words}, where no place of that name is known"


def _holding(named: Sequence[Named], place: Place) -> list[Named]:
    return [each for each in named if any(lies_in(place, area) and area != place for area in each.places)]


def _without_namesakes(scored: list[_Scored], kind: PlaceKind | None) -> list[_Scored]:
    """Leave out what only shares its name with what it lies in: Luxembourg's capital, the state around New York."""
    return [each for each in scored if not any(_gives_way(each, other, kind) for other in scored)]


def _gives_way(each: _Scored, other: _Scored, kind: PlaceKind | None) -> bool:
    mine, theirs = each.place, other.place
    if mine is theirs or not same_place(mine, theirs):
        return False
    if kind in (mine.kind, theirs.kind):
        return kind is theirs.kind
    if PlaceKind.COUNTRY in (mine.kind, theirs.kind):
        return theirs.kind is PlaceKind.COUNTRY
    city, region = (mine, theirs) if mine.kind is PlaceKind.CITY else (theirs, mine)
    return (city.population >= _CITY_SHARE * region.population) is (theirs is city)


def _chances(scores: Sequence[float]) -> list[float]:
    powers = [10.0 ** (score - scores[0]) for score in scores]
    whole = sum(powers) + 10.0 ** (_UNLISTED - scores[0])
    return [power / whole for power in powers]


def _candidate_reason(each: _Scored) -> str:
    people = f"{each.place.population:,} people".replace(",", " ")
    return "; ".join((*each.signs, people))


def _why(scored: Sequence[_Scored]) -> str:
    if scored[0].signs:
        return "; ".join(scored[0].signs)
    if len(scored) == 1:
        return "the only place of that name"
    return f"by far the likeliest of {len(scored)} places of that name"


def _doubt(candidates: Sequence[Candidate]) -> str:
    unlisted = 1 - sum(each.chance for each in candidates)
    others = [_full_name(each.place) for each in candidates[1:3] if each.chance >= unlisted]
    return f"may as well be {' or '.join(others)}" if others else "a small place that nothing else points to"


def _full_name(place: Place) -> str:
    parts = [place.name, place.admin1 if place.kind is PlaceKind.CITY else None, place.country]
    return ", ".join(part for part in parts if part)
