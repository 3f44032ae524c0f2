"""The answers to writes that create nothing: of a memory that was there, or of an earlier request. Knows no connection."""

from __future__ import annotations

from mindlog.errors import IdempotencyConflict
from mindlog.ids import MemoryId
from mindlog.records import MemoryKind, Outcome, Persisted, RequestKey
from mindlog.store.connect import Row

__all__ = ["deduplicated", "replay", "stored_answer"]


def deduplicated(slot: int, row: Row) -> Persisted:
    """Return the answer that points at the memory of the slot; the row is of `memory_facts`."""
    version, lsn, recorded_at, kind, salience = row
    return Persisted(
        id=MemoryId(0, slot, version),
        outcome=Outcome.DEDUPLICATED,
        was_deduplicated=True,
        lsn=lsn,
        persisted_at=recorded_at,
        kind=MemoryKind(kind),
        salience=salience,
    )


def stored_answer(row: Row) -> Persisted:
    """Return the answer of a row of `find_request`."""
    _, slot, version, was_deduplicated, lsn, persisted_at, kind, salience = row
    return Persisted(
        id=MemoryId(0, slot, version),
        outcome=Outcome.REPLAYED,
        was_deduplicated=bool(was_deduplicated),
        lsn=lsn,
        persisted_at=persisted_at,
        kind=MemoryKind(kind),
        salience=salience,
    )


def replay(request: RequestKey, params: bytes, earlier: Persisted) -> Persisted:
    """Return the earlier answer as a replay. Raises `IdempotencyConflict` if it was given to other parameters."""
    if params != request.params:
        raise IdempotencyConflict(f"request_id: {request.id!r} was used with other parameters", field="request_id")
    return Persisted(
        id=earlier.id,
        outcome=Outcome.REPLAYED,
        was_deduplicated=earlier.was_deduplicated,
        lsn=earlier.lsn,
        persisted_at=earlier.persisted_at,
        kind=earlier.kind,
        salience=earlier.salience,
    )
