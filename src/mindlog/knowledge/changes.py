"""What a memory changes in the graph: its statements with ids, the new timelines of the groups they touch, and the write.

Pure but for the ids it asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mindlog.knowledge.doubts import once
from mindlog.knowledge.extraction import EntityKind, name_key
from mindlog.knowledge.groups import Member, assertion, member, new_timeline
from mindlog.knowledge.resolve import Resolved
from mindlog.knowledge.stated import Identity, Stated
from mindlog.store.graphrows import (
    AliasRow,
    EvidenceRow,
    GraphWrite,
    MentionRow,
    Merge,
    NewEntity,
    NewStatement,
    Proposal,
    StatementRow,
    Timeline,
)

__all__ = ["Groups", "Revision", "Told", "counts", "graph_write", "tell", "timelines"]

Groups = Mapping[tuple[int, str], Sequence[StatementRow]]
"""The known statements by subject root and family."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """The memory that says it all."""

    dataset: int
    slot: int
    version: int
    occurred_at: int


@dataclass(slots=True, kw_only=True)
class Told:
    """A statement of the text under its id. row: it is known. shift: microseconds a verdict moved its time by."""

    stated: Stated
    id: int
    row: StatementRow | None
    shift: int = 0

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        return self.stated.text if self.row is None else self.row.text

    def new(self) -> NewStatement:
        """Return the statement as the store takes it."""
        subject, predicate, target, key = self.stated.identity
        kind = self.stated.value_type
        return NewStatement(
            id=self.id,
            subject=subject,
            predicate=predicate,
            family=self.stated.family,
            object=target,
            value=self.stated.value,
            value_key=key,
            value_type=None if kind is None else kind.value,
            text=self.text,
        )

    def is_duplicate(self, revision: Revision) -> bool:
        """Say whether other memories say it as well."""
        known = () if self.row is None else self.row.evidence
        return any((each.slot, each.version) != (revision.slot, revision.version) for each in known)

    def evidence(self, revision: Revision) -> list[EvidenceRow]:
        """Return the words it rests on."""
        return [
            EvidenceRow(
                statement=self.id,
                slot=revision.slot,
                version=revision.version,
                start=witness.span.start,
                end=witness.span.end,
                confidence=witness.confidence,
                tier=witness.tier.value,
                asserted_at=revision.occurred_at + (self.shift if witness.valid_from is None else 0),
                valid_from=None if witness.valid_from is None else witness.valid_from + self.shift,
                valid_to=witness.valid_to,
                time_phrase=witness.time_phrase,
            )
            for witness in self.stated.witnesses.values()
        ]


def tell(stated: Sequence[Stated], groups: Groups, reserve: Callable[[int], range]) -> list[Told]:
    """Return the statements with their ids: the known one's, or a new one."""
    rows: dict[Identity, StatementRow] = {}
    for row in sorted((row for group in groups.values() for row in group), key=lambda row: -row.id):
        rows[row.subject, row.predicate, row.object, row.value_key] = row
    new = [each for each in stated if each.identity not in rows]
    ids = dict(zip((each.identity for each in new), reserve(len(new)) if new else (), strict=True))
    return [
        Told(stated=each, id=ids[each.identity], row=None)
        if each.identity in ids
        else Told(stated=each, id=rows[each.identity].id, row=rows[each.identity])
        for each in stated
    ]


def timelines(told: Sequence[Told], groups: Groups, before: Collection[int], revision: Revision) -> list[Timeline]:
    """Return the new timelines of the groups that are told of, or were by the same memory: `before`, its statements so far."""
    aside = (revision.slot, revision.version)
    members = {key: {row.id: member(row, aside) for row in rows} for key, rows in groups.items()}
    for each in told:
        group = members.setdefault((each.stated.identity[0], each.stated.family), {})
        known = group.get(each.id) or _member(each)
        group[each.id] = replace(known, said=tuple(assertion(row) for row in each.evidence(revision)))
    touched = {*before, *(each.id for each in told)}
    return [
        new_timeline(subject, family, list(group.values()), touched & group.keys())
        for (subject, family), group in members.items()
        if not touched.isdisjoint(group)
    ]


def graph_write(
    found: Iterable[Resolved], told: Sequence[Told], changed: Sequence[Timeline], revision: Revision
) -> GraphWrite:
    """Return everything as one write."""
    things = once(found)
    return GraphWrite(
        dataset=revision.dataset,
        slot=revision.slot,
        version=revision.version,
        entities=tuple(_new_entity(each) for each in things if each.new is not None),
        aliases=tuple(
            AliasRow(entity=each.named_entity, key=key, name=name)
            for each in things
            for key, name in each.named.aliases.items()
        ),
        mentions=tuple(
            MentionRow(entity=entity, start=start, end=end)
            for entity, start, end in sorted(
                {(each.named_entity, span.start, span.end) for each in things for span in each.named.spans}
            )
        ),
        statements=tuple(each.new() for each in told if each.row is None),
        evidence=tuple(row for each in told for row in each.evidence(revision)),
        timelines=tuple(changed),
        proposals=tuple(_proposals(things)),
        merges=tuple(
            Merge(entity=each.named_entity, into=each.entity, reason="same bond") for each in things if each.is_merged
        ),
    )


def counts(found: Iterable[Resolved], told: Sequence[Told], write: GraphWrite, revision: Revision) -> dict[str, int]:
    """Return how much of what sort the write holds."""
    duplicates = sum(each.is_duplicate(revision) for each in told)
    events = Counter(event for changed in write.timelines for event, _ in changed.events)
    return {
        "entities_new": len(write.entities),
        "entities_matched": sum(each.row is not None and not each.is_merged for each in once(found)),
        "entities_merged": len(write.merges),
        "statements_added": len(told) - duplicates,
        "duplicates": duplicates,
        "superseded": events["statement_superseded"],
        "contradicted": events["statement_contradicted"],
        "retracted": events["statement_retracted"],
        "proposals": len(write.proposals),
    }


def _member(told: Told) -> Member:
    _, predicate, target, key = told.stated.identity
    words = key if told.stated.object is None else name_key(told.stated.object.name)
    return Member(statement=told.id, predicate=predicate, object=target, words=words)


def _new_entity(each: Resolved) -> NewEntity:
    return NewEntity(
        id=each.named_entity,
        name=each.named.name,
        key=each.named.key,
        kind=EntityKind(each.named.kind).value,
        is_speaker=each.is_speaker,
        vector=each.vector,
    )


def _proposals(things: Iterable[Resolved]) -> Iterable[Proposal]:
    for each in things:
        for doubt in each.doubts:
            low, high = sorted((each.entity, doubt.row.id))
            yield Proposal(entity=low, other=high, score=doubt.score, reason=doubt.reason)
