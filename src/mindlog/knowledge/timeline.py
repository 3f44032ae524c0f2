"""The whole truth of a group of statements, computed from their live evidence: when each holds, what ended it, what contradicts it.

Pure, and the same for every order in which the evidence came: it looks at what was said and for when, never at ids or
arrival. Knows no store and no text. Instants are microseconds UTC.

The rules:

- An assertion holds from the time its words name; without one, from when it was said. Words that name only an end that
  was past when they were said ("until June") hold from an unknown beginning.
- A state has one object at a time: a later other object ends the earlier one. The same object again goes on, or begins
  anew if another came between. An older fact takes its place in time, whenever it is learned.
- An end that words name ends the state by itself.
- Two objects for one moment contradict each other and both hold, until a later assertion says which it is.
- Weak assertions (below `WEAK`) end nothing that stands on a strong one; they stand beside it as its contradiction.
- What only the web says counts where nobody else says anything: it ends nothing, moves nothing, and is not believed
  while another's word holds that excludes it, beside which it stands as a contradiction. Web texts are ordered among
  themselves by the same rules.
- What is fixed holds always, and another object contradicts it. What can have many objects excludes none, but the
  opposite of the same object. An event holds from when it happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from typing import Final

from mindlog.knowledge.families import Nature, nature
from mindlog.store.graphrows import Interval

__all__ = ["WEAK", "Assertion", "Fact", "History", "Lane", "Target", "lane", "timeline"]

WEAK: Final = 0.5
"""An assertion with less confidence ends nothing that a surer one has begun."""

Target = tuple[str, int]
"""What an object is known by inside its group: its folded words, then a number that tells namesakes apart."""

Lane = tuple[str, Target | None]
"""Which statements of a group can exclude each other."""

_Holder = tuple[str, Target]  # a predicate and its target: statements that say the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """One live piece of evidence."""

    asserted_at: int
    valid_from: int | None = None
    valid_to: int | None = None
    confidence: float = 1.0
    is_web: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement of the group with its live evidence. Of two that say the same a relation is named before a value."""

    statement: int
    predicate: str
    target: Target
    assertions: tuple[Assertion, ...]
    is_value: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """When each statement holds, in order of time (never: no interval), and the pairs that cannot both, lower id first."""

    intervals: Mapping[int, tuple[Interval, ...]]
    contradictions: tuple[tuple[int, int], ...]


def lane(predicate: str, target: Target) -> Lane:
    """Return what a statement shares with those of its group that it can exclude; others have nothing to do with it."""
    kind = nature(predicate)
    if kind is Nature.OPPOSED:
        return Nature.OPPOSED, target
    return predicate, None if kind in (Nature.STATE, Nature.FIXED) else target


def timeline(facts: Sequence[Fact]) -> History:
    """Return the history of one group: every statement of one subject in one family of predicates."""
    holders: dict[_Holder, list[Fact]] = {}
    for fact in facts:
        if fact.assertions:
            holders.setdefault((fact.predicate, fact.target), []).append(fact)
    courses = [_course(track) for track in _tracks(holders)]
    stands_for = {holder: min((fact.is_value, fact.statement) for fact in same)[1] for holder, same in holders.items()}
    intervals: dict[int, tuple[Interval, ...]] = {fact.statement: () for fact in facts}
    for course in courses:
        for holder, stretches in course.stretches.items():
            shown = tuple(stretch.interval(stands_for) for stretch in stretches)
            intervals.update((fact.statement, shown) for fact in holders[holder])
    pairs = {
        (min(left.statement, right.statement), max(left.statement, right.statement))
        for course in courses
        for one, other in course.contradictions
        for left in holders[one]
        for right in holders[other]
    }
    return History(intervals=intervals, contradictions=tuple(sorted(pairs)))


# -- tracks: the statements that exclude each other ---------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Track:
    nature: Nature
    said: tuple[tuple[_Holder, tuple[Assertion, ...]], ...]


def _tracks(holders: Mapping[_Holder, Sequence[Fact]]) -> Iterable[_Track]:
    lanes: dict[Lane, list[tuple[_Holder, tuple[Assertion, ...]]]] = {}
    for holder in sorted(holders):
        said = tuple(assertion for fact in holders[holder] for assertion in fact.assertions)
        lanes.setdefault(lane(*holder), []).append((holder, said))
    return [_Track(nature(said[0][0][0]), tuple(said)) for said in lanes.values()]


# -- courses: what becomes of a track -----------------------------------------------------------------------------------
@dataclass(slots=True)
class _Stretch:
    start: int | None
    is_strong: bool
    end: int | None = None
    ended_by: _Holder | None = None

    def interval(self, stands_for: Mapping[_Holder, int]) -> Interval:
        by = None if self.ended_by is None else stands_for[self.ended_by]
        return Interval(valid_from=self.start, valid_to=self.end, superseded_by=by)


@dataclass(slots=True)
class _Course:
    stretches: dict[_Holder, list[_Stretch]] = field(default_factory=dict[_Holder, list[_Stretch]])
    contradictions: set[tuple[_Holder, _Holder]] = field(default_factory=set[tuple[_Holder, _Holder]])

    def add(self, holder: _Holder, stretch: _Stretch) -> _Stretch:
        self.stretches.setdefault(holder, []).append(stretch)
        return stretch


def _course(track: _Track) -> _Course:
    own, web = _parted(track)
    if not own.said or not web.said:
        return _course_of(own if own.said else web)
    return _beside(_course_of(own), _course_of(web))


def _parted(track: _Track) -> tuple[_Track, _Track]:
    """Return what somebody says, and what only the web says: its words for what somebody says too are left out."""
    own = [(holder, tuple(each for each in said if not each.is_web)) for holder, said in track.said]
    kept = tuple(each for each in own if each[1])
    holders = {holder for holder, _ in kept}
    web = tuple(each for each in track.said if each[0] not in holders)
    return _Track(track.nature, kept), _Track(track.nature, web)


def _course_of(track: _Track) -> _Course:
    match track.nature:
        case Nature.FIXED | Nature.LASTING:
            return _always(track)
        case Nature.EVENT:
            return _since_it_happened(track)
        case _:
            return _Sweep(track).run()


def _always(track: _Track) -> _Course:
    course = _Course()
    for holder, _ in track.said:
        course.add(holder, _Stretch(None, is_strong=True))
    course.contradictions.update(combinations((holder for holder, _ in track.said), 2))
    return course


def _since_it_happened(track: _Track) -> _Course:
    course = _Course()
    for holder, said in track.said:
        first = min(each.asserted_at if each.valid_from is None else each.valid_from for each in said)
        course.add(holder, _Stretch(first, is_strong=True))
    return course


# -- the web beside others' words ---------------------------------------------------------------------------------------
_FIRST, _LAST = -(1 << 63), 1 << 63  # before and after every instant


def _beside(own: _Course, web: _Course) -> _Course:
    """Return the own course with the web's where it leaves time, and what they contradict each other in."""
    held = sorted(
        ((_span(stretch), holder) for holder, stretches in own.stretches.items() for stretch in stretches),
        key=lambda each: each[0],
    )
    own.contradictions |= web.contradictions
    for holder, stretches in web.stretches.items():
        for stretch in stretches:
            start, _ = _span(stretch)
            own.contradictions |= {_pair(holder, other) for (first, end), other in held if first <= start < end}
            for piece in _left(stretch, held):
                own.add(holder, piece)
    return own


def _left(stretch: _Stretch, held: Sequence[tuple[tuple[int, int], _Holder]]) -> Iterable[_Stretch]:
    """Yield the parts of a stretch that lie in none of those held; what cuts one off has ended it."""
    start, end = _span(stretch)
    for (first, last), holder in held:
        if last <= start or first >= end:
            continue
        if first > start:
            yield replace(stretch, start=None if start == _FIRST else start, end=first, ended_by=holder)
        start = max(start, last)
    if start < end:
        yield replace(stretch, start=None if start == _FIRST else start)


def _span(stretch: _Stretch) -> tuple[int, int]:
    return _FIRST if stretch.start is None else stretch.start, _LAST if stretch.end is None else stretch.end


@dataclass(frozen=True, slots=True)
class _Begin:
    at: int
    holder: _Holder
    confidence: float


@dataclass(frozen=True, slots=True)
class _End:
    at: int
    holder: _Holder
    confidence: float
    has_begin: bool  # the same words name the beginning too


class _Sweep:
    """Walks along the time of a track and opens and closes stretches."""

    def __init__(self, track: _Track) -> None:
        self._points = [point for holder, said in track.said for each in said for point in _points(holder, each)]
        self._course = _Course()
        self._open: dict[_Holder, _Stretch] = {}
        self._changed: int | None = None  # when something opened or closed last

    def run(self) -> _Course:
        """Return the stretches of every holder."""
        for at, points in groupby(sorted(self._points, key=lambda point: point.at), key=lambda point: point.at):
            here = list(points)
            ended = self._end(at, [point for point in here if isinstance(point, _End)])
            self._begin(at, [point for point in here if isinstance(point, _Begin)], ended)
        for holder, stretches in self._course.stretches.items():
            self._course.stretches[holder] = _joined(stretches)
        return self._course

    def _end(self, at: int, ends: list[_End]) -> list[tuple[_Holder, _Stretch]]:
        """Close what ends here, and add what is known by its end alone; returns both."""
        before, since = dict(self._open), self._changed
        ended: list[tuple[_Holder, _Stretch]] = []
        unknown: dict[_Holder, float] = {}
        for point in ends:
            stretch = self._open.get(point.holder)
            if stretch is not None and (point.confidence >= WEAK or not stretch.is_strong):
                self._close(point.holder, at, None)
                ended.append((point.holder, stretch))
            elif stretch is None and not point.has_begin:
                unknown[point.holder] = max(point.confidence, unknown.get(point.holder, 0.0))
        for holder in {each for each, _ in ended} & unknown.keys():
            del unknown[holder]
        # What is known by its end alone reaches back to the last change that is known, beside what was open then.
        for holder, confidence in unknown.items():
            self._contradict(holder, [*before, *unknown])
            ended.append((holder, self._course.add(holder, _Stretch(since, confidence >= WEAK, at))))
            self._changed = at
        return ended

    def _begin(self, at: int, begins: list[_Begin], ended: list[tuple[_Holder, _Stretch]]) -> None:
        """Open what begins here and close what it supersedes."""
        said: dict[_Holder, float] = {}
        for point in begins:
            said[point.holder] = max(point.confidence, said.get(point.holder, 0.0))
        if not said:
            return
        strong = {holder for holder, confidence in said.items() if confidence >= WEAK}
        strong = strong or (set() if any(each.is_strong for each in self._open.values()) else said.keys())
        winner = min(strong, key=lambda holder: (-said[holder], holder), default=None)
        if winner is not None:
            for holder in self._open.keys() - said.keys():
                self._close(holder, at, winner)
            for holder, stretch in ended:
                stretch.ended_by = winner if holder not in said else None
        for holder, confidence in said.items():
            self._hold(at, holder, confidence)

    def _hold(self, at: int, holder: _Holder, confidence: float) -> None:
        stretch = self._open.get(holder)
        if stretch is None:
            self._contradict(holder, self._open)
            self._open[holder] = self._course.add(holder, _Stretch(at, confidence >= WEAK))
            self._changed = at
        elif confidence >= WEAK:
            stretch.is_strong = True

    def _close(self, holder: _Holder, at: int, by: _Holder | None) -> None:
        stretch = self._open.pop(holder)
        self._changed = at
        stretch.end, stretch.ended_by = at, by
        if by is not None:  # what was undecided is decided now
            self._course.contradictions.discard(_pair(holder, by))

    def _contradict(self, holder: _Holder, others: Iterable[_Holder]) -> None:
        self._course.contradictions.update(_pair(holder, other) for other in others if other != holder)


def _points(holder: _Holder, said: Assertion) -> list[_Begin | _End]:
    start, end = said.valid_from, said.valid_to
    if start is None and (end is None or end > said.asserted_at):
        start = said.asserted_at
    if start is not None and end is not None and end <= start:
        end = None  # nothing ends before it begins
    points: list[_Begin | _End] = []
    if start is not None:
        points.append(_Begin(start, holder, said.confidence))
    if end is not None:
        points.append(_End(end, holder, said.confidence, has_begin=start is not None))
    return points


def _joined(stretches: list[_Stretch]) -> list[_Stretch]:
    """Return the stretches with those that touch made one."""
    joined = stretches[:1]
    for stretch in stretches[1:]:
        if stretch.start is not None and joined[-1].end == stretch.start:
            stretch.start = joined.pop().start
        joined.append(stretch)
    return joined


def _pair(one: _Holder, other: _Holder) -> tuple[_Holder, _Holder]:
    return (one, other) if one < other else (other, one)
