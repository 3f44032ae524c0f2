"""The operations that change memories that are there: edit, forget, restore. Knows no thread and no queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mindlog.errors import MemoryNotFound, VersionConflict
from mindlog.ids import MemoryId
from mindlog.records import MemoryEdit, MemoryState, Outcome, Persisted
from mindlog.spoken import asks
from mindlog.store.base import CatalogRow, Change, ForgetOutcome
from mindlog.store.claims import reopen_superseded
from mindlog.store.connect import fetch
from mindlog.store.queries import q
from mindlog.store.rows import catalog_row, checked_states, checked_vectors, to_json, vectors_from
from mindlog.store.stale import mark_memories
from mindlog.store.transaction import Transaction

__all__ = ["edit", "forget", "restore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Current:
    row: CatalogRow
    forgotten_at: int | None
    recorded_at: int
    dedup_key: bytes | None


def _current(tx: Transaction, slot: int) -> _Current | None:
    tx.flush()  # the row may be one of this group's
    for row in fetch(tx.connection, q.memory_to_change, (slot,)):
        return _Current(row=catalog_row(row[:14]), forgotten_at=row[13], recorded_at=row[14], dedup_key=row[15])
    return None


def edit(tx: Transaction, change: MemoryEdit, due_at: int = 0) -> Persisted:
    """Archive the current revision and make the next one; see `Store.edit`. due_at: of the derivation of the new one."""
    base = change.base
    current = _current(tx, base.slot)
    if current is None or current.forgotten_at is not None:
        raise MemoryNotFound(f"memory_id: there is no memory {base}", field="memory_id")
    if base.version != current.row.version:
        newest = MemoryId(0, base.slot, current.row.version)
        raise VersionConflict(f"memory_id: {base} is not current, {newest} is", field="memory_id", current=str(newest))
    vectors = None if change.vectors is None else checked_vectors(change.vectors, tx.known.model.dimensions)
    states = None if change.states is None else checked_states(change.states)
    metadata = to_json(change.metadata)
    key = _moved_key(tx, base.slot, current.dedup_key, change.dedup_key)
    identity = MemoryId(0, base.slot, base.version + 1)
    row = replace(
        current.row,
        version=identity.version,
        lsn=tx.add_log("memory_edited", current.row.dataset, identity.slot, identity.version),
        kind=change.kind.value,
        occurred_at=change.occurred_at,
        salience=float(change.salience),
        asks=asks(change.text),
        metadata=change.metadata,
    )
    # A clock that was set back must not make the new revision older than the one it replaces.
    at = max(tx.at, current.recorded_at)
    tx.connection.execute(q.archive_revision, (base.slot,))
    facts = (row.version, row.lsn, row.lsn, row.kind, row.salience, row.occurred_at, at)
    tx.connection.execute(q.update_memory, (*facts, key, change.fingerprint, metadata, change.text, base.slot))
    kept = _put_embedding(tx, identity, vectors, states)
    mark_memories(tx, [row.slot], row.lsn)
    tx.runs.append((row.lsn, row.dataset, row.slot, row.version, at, due_at))
    tx.counts.pending += 1
    tx.changes.append(Change(row=row, text=change.text, vectors=kept))
    return Persisted(
        id=identity,
        outcome=Outcome.CREATED,
        was_deduplicated=False,
        lsn=row.lsn,
        persisted_at=at,
        kind=change.kind,
        salience=row.salience,
    )


def _moved_key(tx: Transaction, slot: int, old: bytes | None, new: bytes | None) -> bytes | None:
    """Return the dedup key the revision can hold: one that another memory holds stays there."""
    if old is not None and old != new:
        tx.release(old, slot)
    if new is None or tx.owner(new) not in (None, slot):
        return None
    tx.own(new, slot)
    return new


def _put_embedding(
    tx: Transaction, identity: MemoryId, vectors: NDArray[np.float32] | None, states: NDArray[np.int8] | None
) -> NDArray[np.float32]:
    if vectors is None:
        tx.connection.execute(q.keep_embedding, (identity.version, identity.slot))
        model, blob = fetch(tx.connection, q.revision_vectors, (identity.slot,))[0]
        return vectors_from(blob, tx.known.dimensions[model])
    width = None if states is None else states.shape[1]
    values = (identity.version, tx.known.model_id, width, vectors, states, identity.slot)
    tx.connection.execute(q.update_embedding, values)
    return vectors


def forget(tx: Transaction, dataset: int, slots: Sequence[int]) -> ForgetOutcome:
    """Hide the live memories among the slots; see `Store.forget`."""
    touched: list[CatalogRow] = []
    for slot in slots:
        current = _current(tx, slot)
        if current is None or current.row.dataset != dataset or current.forgotten_at is not None:
            continue
        row = replace(current.row, lsn=_log(tx, "memory_forgotten", current.row), state=MemoryState.FORGOTTEN)
        tx.connection.execute(q.forget_memory, (tx.at, row.lsn, slot))
        if current.dedup_key is not None:
            tx.release(current.dedup_key, slot)
        touched.append(row)
    mark_memories(tx, [row.slot for row in touched], tx.lsn)
    tx.counts.forgotten += len(touched)
    return _outcome(tx, touched)


def restore(tx: Transaction, dataset: int, slots: Sequence[int], not_before: int) -> ForgetOutcome:
    """Show again the memories forgotten at or after the instant; see `Store.restore`."""
    touched: list[CatalogRow] = []
    for slot in slots:
        current = _current(tx, slot)
        if current is None or current.row.dataset != dataset or current.forgotten_at is None:
            continue
        if current.forgotten_at < not_before:
            continue
        row = replace(current.row, lsn=_log(tx, "memory_restored", current.row), state=MemoryState.LIVE)
        key = _moved_key(tx, slot, None, current.dedup_key)
        tx.connection.execute(q.restore_memory, (row.lsn, key, slot))
        reopen_superseded(tx, slot, row.version)
        touched.append(row)
    mark_memories(tx, [row.slot for row in touched], tx.lsn)
    tx.counts.forgotten -= len(touched)
    return _outcome(tx, touched)


def _log(tx: Transaction, kind: str, row: CatalogRow) -> int:
    return tx.add_log(kind, row.dataset, row.slot, row.version)


def _outcome(tx: Transaction, touched: Sequence[CatalogRow]) -> ForgetOutcome:
    tx.changes.extend(Change(row=row, text=None, vectors=None) for row in touched)
    ids = tuple(MemoryId(0, row.slot, row.version) for row in touched)
    return ForgetOutcome(ids=ids, at=tx.at, lsn=touched[-1].lsn if touched else None)
