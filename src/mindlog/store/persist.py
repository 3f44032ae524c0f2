"""The operation that makes a memory: what it checks and which rows it adds. Knows no thread and no queue."""

from __future__ import annotations

from mindlog.ids import MemoryId
from mindlog.records import Dataset, MemoryState, NewMemory, Outcome, Persisted
from mindlog.spoken import asks
from mindlog.store.base import CatalogRow, Change
from mindlog.store.rows import checked_states, checked_vectors, to_json
from mindlog.store.transaction import Transaction

__all__ = ["named_dataset", "persist"]


def persist(tx: Transaction, memory: NewMemory, due_at: int = 0) -> Persisted:
    """Create the memory, or return the one that was there; see `Store.persist`. due_at: of the derivation of a new one."""
    dataset = tx.dataset(memory.dataset)
    request = memory.request
    if dataset is not None and request is not None:
        earlier = tx.answer(dataset.number, request)
        if earlier is not None:
            return earlier
    if dataset is not None and memory.dedup_key is not None:
        owner = tx.owner(memory.dedup_key)
        if owner is not None:
            found = tx.facts(owner)
            if request is not None:
                tx.remember(dataset.number, request, found)
            return found
    return _create(tx, memory, due_at)


def _create(tx: Transaction, memory: NewMemory, due_at: int) -> Persisted:
    identity = MemoryId(0, memory.slot, 1)
    vectors = checked_vectors(memory.vectors, tx.known.model.dimensions)
    states = None if memory.states is None else checked_states(memory.states)
    metadata = to_json(memory.metadata)
    dataset = named_dataset(tx, memory.dataset).number
    slot, at = memory.slot, tx.at
    occurred_at = at if memory.occurred_at is None else memory.occurred_at
    kind, salience = memory.kind.value, float(memory.salience)
    lsn = tx.add_log("memory_encoded", dataset, slot, 1)
    owned = (
        memory.dedup_key,
        memory.fingerprint,
        memory.agent,
        memory.session,
        memory.document_id,
        metadata,
        memory.text,
    )
    tx.memories.append((slot, dataset, lsn, lsn, kind, salience, occurred_at, at, at, *owned))
    tx.embeddings.append((slot, tx.known.model_id, None if states is None else states.shape[1], vectors, states))
    tx.runs.append((lsn, dataset, slot, 1, at, due_at))
    tx.counts.memories += 1
    tx.counts.pending += 1
    row = CatalogRow(
        slot=slot,
        version=1,
        lsn=lsn,
        dataset=dataset,
        agent=memory.agent,
        session=memory.session,
        kind=kind,
        document_id=memory.document_id,
        occurred_at=occurred_at,
        created_at=at,
        salience=salience,
        asks=asks(memory.text),
        metadata=memory.metadata,
        state=MemoryState.LIVE,
    )
    tx.changes.append(Change(row=row, text=memory.text, vectors=vectors))
    persisted = Persisted(
        id=identity,
        outcome=Outcome.CREATED,
        was_deduplicated=False,
        lsn=lsn,
        persisted_at=at,
        kind=memory.kind,
        salience=salience,
    )
    _keep_answer(tx, memory, dataset, persisted)
    return persisted


def named_dataset(tx: Transaction, name: str) -> Dataset:
    """Return the dataset of the name; the first write of one makes it."""
    found = tx.dataset(name)
    if found is not None:
        return found
    dataset = tx.create_dataset(name)
    tx.add_log("dataset_created", dataset.number, None, None, to_json({"name": name}))
    return dataset


def _keep_answer(tx: Transaction, memory: NewMemory, dataset: int, persisted: Persisted) -> None:
    if memory.dedup_key is not None:
        tx.own(memory.dedup_key, memory.slot)
        tx.add_fresh(persisted)
    if memory.request is not None:
        tx.remember(dataset, memory.request, persisted)
