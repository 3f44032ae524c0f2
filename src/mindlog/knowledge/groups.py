"""A group of statements as it is known, and its new timeline with what to tell the log of it.

Stands between the store's rows and the pure rules of `timeline`; reads and writes nothing itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mindlog.knowledge.extraction import Tier, name_key
from mindlog.knowledge.timeline import Assertion, Fact, History, Target, lane, timeline
from mindlog.store.graphrows import EvidenceRow, Interval, StatementRow, Timeline

__all__ = ["Member", "assertion", "member", "new_timeline"]

_EVENTS = ("statement_added", "statement_superseded", "statement_contradicted", "statement_retracted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A statement of a group. Entities are roots.

    words: the folded name of the object, or the value's key. row: what is known of it, None if it is new. aside: the slot and
    version whose words for it count no longer. said: what is said for it now.
    """

    statement: int
    predicate: str
    object: int | None
    words: str
    row: StatementRow | None = None
    aside: tuple[int, int] | None = None
    said: tuple[Assertion, ...] = ()

    @property
    def assertions(self) -> tuple[Assertion, ...]:
        """Its live evidence."""
        known = () if self.row is None else self.row.evidence
        return *(assertion(each) for each in known if (each.slot, each.version) != self.aside), *self.said

    @property
    def believed(self) -> tuple[Interval, ...]:
        """When it is believed to hold so far."""
        return tuple(
            Interval(valid_from=each.valid_from, valid_to=each.valid_to, superseded_by=each.superseded_by)
            for each in (() if self.row is None else self.row.validities)
            if each.invalidated_at is None
        )

    @property
    def contradicts(self) -> tuple[int, ...]:
        """The statements it contradicts so far."""
        return () if self.row is None else self.row.contradicts


def assertion(row: EvidenceRow) -> Assertion:
    """Return a piece of evidence as the timeline sees it."""
    return Assertion(
        asserted_at=row.asserted_at,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        confidence=row.confidence,
        is_web=row.tier == Tier.WEB,
    )


def member(row: StatementRow, aside: tuple[int, int] | None = None) -> Member:
    """Return a known statement."""
    words = row.value_key if row.object is None else name_key(row.object_name or "")
    return Member(statement=row.id, predicate=row.predicate, object=row.object, words=words, row=row, aside=aside)


def new_timeline(
    subject: int, family: str, members: Sequence[Member], touched: Collection[int] | None = None
) -> Timeline:
    """Return what is to be believed of the group from now on, and the changes as events.

    touched: the statements whose evidence has changed, all if None. Of those that have nothing to do with them what is
    believed stays as it is and is not named.
    """
    targets = _targets(members)
    lanes = {each.statement: lane(each.predicate, targets[each.object, each.words]) for each in members}
    wanted = {lanes[statement] for statement in (lanes if touched is None else touched)}
    changing = [each for each in members if lanes[each.statement] in wanted]
    history = timeline([_fact(each, subject, targets) for each in changing])
    named = {each.statement for each in changing}
    untouched = {
        (each.statement, other)
        for each in members
        for other in each.contradicts
        if each.statement < other and each.statement not in named and other not in named
    }
    return Timeline(
        subject=subject,
        family=family,
        intervals=history.intervals,
        contradictions=tuple(sorted({*history.contradictions, *untouched})),
        events=tuple(_events(changing, history)),
    )


def _fact(each: Member, subject: int, targets: Mapping[tuple[int | None, str], Target]) -> Fact:
    # After a merge a statement may be about one thing twice; it says nothing until the merge is undone.
    assertions = () if each.object == subject else each.assertions
    target = targets[each.object, each.words]
    return Fact(
        statement=each.statement,
        predicate=each.predicate,
        target=target,
        assertions=assertions,
        is_value=each.object is None,
    )


def _targets(members: Iterable[Member]) -> dict[tuple[int | None, str], Target]:
    """Say of every object by what it is known; a value that spells one entity's name means that entity."""
    named: dict[str, set[int]] = {}
    for each in members:
        if each.object is not None:
            named.setdefault(each.words, set()).add(each.object)
    found: dict[tuple[int | None, str], Target] = {}
    for each in members:
        namesakes = named.get(each.words, set())
        number = each.object if each.object is not None else min(namesakes) if len(namesakes) == 1 else 0
        found[each.object, each.words] = (each.words, number)
    return found


def _events(members: Iterable[Member], history: History) -> list[tuple[str, int]]:
    """Return what changed, additions first."""
    paired = {statement for pair in _new_pairs(members, history) for statement in pair}
    changes: dict[str, list[int]] = {event: [] for event in _EVENTS}
    for each in sorted(members, key=lambda member: member.statement):
        before, intervals = each.believed, history.intervals[each.statement]
        if intervals and not before:
            changes["statement_added"].append(each.statement)
        if before and _is_superseded(intervals) and not _is_superseded(before):
            changes["statement_superseded"].append(each.statement)
        if each.statement in paired:
            changes["statement_contradicted"].append(each.statement)
        if before and not intervals:
            changes["statement_retracted"].append(each.statement)
    return [(event, statement) for event, statements in changes.items() for statement in statements]


def _new_pairs(members: Iterable[Member], history: History) -> set[tuple[int, int]]:
    known = {(each.statement, other) for each in members for other in each.contradicts}
    return {pair for pair in history.contradictions if pair not in known and pair[::-1] not in known}


def _is_superseded(intervals: Sequence[Interval]) -> bool:
    """Say whether its last interval was ended by another statement."""
    last = max(intervals, key=lambda each: (each.valid_from is not None, each.valid_from or 0), default=None)
    return last is not None and last.superseded_by is not None
