"""Knowledge as the surfaces show it: rows of the store with their words, their status and ids in text form.

Knows the store's rows and the views; decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Literal, Protocol

from mindlog.ids import MemoryId, number_id
from mindlog.store.graphrows import EdgeRow, EntityNames, EntityRow, EvidenceRow, ProposalRow, StatementRow, ValidityRow
from mindlog.views import Edge, Entity, EntityDetail, EntityRef, Evidence, NameUse, Proposal, Statement, Validity

if TYPE_CHECKING:
    from mindlog.records import Dataset, Memory

__all__ = [
    "MemoryStore",
    "entity_id",
    "shown_detail",
    "shown_edges",
    "shown_entity",
    "shown_proposal",
    "shown_statements",
    "statement_id",
    "words_of",
]

_Status = Literal["current", "superseded", "ended", "future", "retracted", "contradicted"]


class MemoryStore(Protocol):
    """What this reads of a store."""

    def datasets(self) -> list[Dataset]:
        """Return every dataset."""
        ...

    def memory(self, slot: int, version: int | None = None) -> Memory | None:
        """Return one revision."""
        ...

    def memories(self, slots: Sequence[int]) -> list[Memory]:
        """Return the current revisions that exist."""
        ...


def entity_id(number: int) -> str:
    """Return an entity's id in text form."""
    return number_id("ent", number)


def statement_id(number: int) -> str:
    """Return a statement's id in text form."""
    return number_id("stm", number)


def shown_entity(row: EntityRow, dataset: str) -> Entity:
    """Return an entity of the dataset of that name as it is shown."""
    return Entity(
        entity_id=entity_id(row.id),
        dataset=dataset,
        name=row.name,
        kind=row.kind,
        is_speaker=row.is_speaker,
        aliases=row.aliases,
        merged=tuple(map(entity_id, row.merged)),
        memories=row.mentions,
        statements=row.statements,
        created_at=row.created_at,
    )


def shown_detail(row: EntityRow, names: EntityNames, dataset: str) -> EntityDetail:
    """Return an entity as it is shown by itself."""
    shown = shown_entity(row, dataset)
    return EntityDetail(
        **{field.name: getattr(shown, field.name) for field in fields(Entity)},
        names=tuple(NameUse(name=name, uses=names.uses.get(name, 0)) for name in row.aliases),
        merged_entities=tuple(
            EntityRef(entity_id=entity_id(each), name=names.own.get(each, row.name)) for each in row.merged
        ),
    )


def shown_statements(rows: Sequence[StatementRow], store: MemoryStore, at: int) -> tuple[Statement, ...]:
    """Return statements as they are shown at an instant of the world, with the words of their evidence. Reads."""
    revisions = _revisions(store, [each for row in rows for each in row.evidence])
    datasets = {each.number: each.name for each in store.datasets()} if rows else {}
    return tuple(_statement(row, datasets[row.dataset], at, revisions) for row in rows)


def shown_proposal(row: ProposalRow, dataset: str) -> Proposal:
    """Return a merge proposal as it is shown."""
    return Proposal(
        proposal_id=number_id("prp", row.id),
        dataset=dataset,
        entity=EntityRef(entity_id=entity_id(row.entity), name=row.entity_name),
        other=EntityRef(entity_id=entity_id(row.other), name=row.other_name),
        score=row.score,
        reason=row.reason,
        status=row.status,
        created_at=row.created_at,
        decided_at=row.decided_at,
    )


def shown_edges(rows: Sequence[EdgeRow], store: MemoryStore) -> tuple[Edge, ...]:
    """Return links between memories as they are shown, by the current revisions of both ends. Reads."""
    slots = sorted({slot for row in rows for slot in (row.source, row.target)})
    ids = {memory.id.slot: str(memory.id) for memory in store.memories(slots)}
    return tuple(
        Edge(
            source=ids[row.source],
            target=ids[row.target],
            kind=row.kind,
            weight=row.weight,
            made_by=row.made_by,
            created_at=row.created_at,
        )
        for row in rows
        if row.source in ids and row.target in ids
    )


def words_of(rows: Sequence[EvidenceRow], store: MemoryStore) -> dict[EvidenceRow, str]:
    """Return the words of pieces of evidence, cut from their memories. Reads."""
    revisions = _revisions(store, rows)
    return {row: _quote(row, revisions) for row in rows}


_Revisions = dict[tuple[int, int], "Memory"]


def _revisions(store: MemoryStore, rows: Iterable[EvidenceRow]) -> _Revisions:
    wanted = {(row.slot, row.version) for row in rows}
    found = {(each.id.slot, each.id.version): each for each in store.memories(sorted({slot for slot, _ in wanted}))}
    for slot, version in wanted - found.keys():
        # Edited since the row was read.
        memory = store.memory(slot, version)
        if memory is not None:
            found[slot, version] = memory
    return found


def _quote(row: EvidenceRow, revisions: _Revisions) -> str:
    memory = revisions.get((row.slot, row.version))
    return "" if memory is None else memory.text[row.start : row.end]


def _statement(row: StatementRow, dataset: str, at: int, revisions: _Revisions) -> Statement:
    target = None if row.object is None else EntityRef(entity_id=entity_id(row.object), name=row.object_name or "")
    return Statement(
        statement_id=statement_id(row.id),
        dataset=dataset,
        subject=EntityRef(entity_id=entity_id(row.subject), name=row.subject_name),
        predicate=row.predicate,
        object=target,
        value=row.value,
        value_type=row.value_type,
        text=row.text,
        confidence=row.confidence,
        status=_status(row, at),
        validities=tuple(map(_validity, row.validities)),
        evidence=tuple(_evidence(each, revisions) for each in row.evidence if (each.slot, each.version) in revisions),
        evidence_count=row.evidence_count,
        contradicts=tuple(map(statement_id, row.contradicts)),
        created_at=row.created_at,
    )


def _evidence(row: EvidenceRow, revisions: _Revisions) -> Evidence:
    return Evidence(
        memory_id=str(_memory_id(row, revisions)),
        start=row.start,
        end=row.end,
        quote=_quote(row, revisions),
        confidence=row.confidence,
        tier=row.tier,
        asserted_at=row.asserted_at,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        time_phrase=row.time_phrase,
    )


def _memory_id(row: EvidenceRow, revisions: _Revisions) -> MemoryId:
    return revisions[row.slot, row.version].id


def _validity(row: ValidityRow) -> Validity:
    return Validity(
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        superseded_by=None if row.superseded_by is None else statement_id(row.superseded_by),
        recorded_at=row.recorded_at,
        invalidated_at=row.invalidated_at,
    )


def _status(row: StatementRow, at: int) -> _Status:
    """Return how the statement stands at an instant of the world, by the beliefs the row brings."""
    begun = [each for each in row.validities if each.valid_from is None or each.valid_from <= at]
    if not row.validities:
        return "retracted"
    if not begun:
        return "future"
    if any(each.valid_to is None or at < each.valid_to for each in begun):
        return "contradicted" if row.contradicts else "current"
    last = max(begun, key=lambda each: each.valid_to or 0)
    return "ended" if last.superseded_by is None else "superseded"
