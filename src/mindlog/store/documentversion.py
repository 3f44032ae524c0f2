"""The operations that make a run's texts those of its document. Knows no thread and no queue."""

from __future__ import annotations

from mindlog.store import revise
from mindlog.store.connect import fetch
from mindlog.store.queries import q
from mindlog.store.rememberclaims import check_held
from mindlog.store.transaction import Transaction

__all__ = ["set_chunks", "switch_document"]


def set_chunks(tx: Transaction, run: int, owner: str, chunks: int) -> None:
    """Record how many chunks there are; see `DocumentStore.set_chunks`."""
    check_held(tx, run, owner)
    tx.connection.execute(q.put_chunks, (chunks, run))


def switch_document(tx: Transaction, run: int, owner: str, limit: int) -> int:
    """Make the run's texts the document's and forget up to `limit` memories that only earlier runs have; returns how many.

    Call it until it returns less. A memory that somebody has edited since an earlier run kept it is theirs, and stays.
    """
    dataset, document, _ = check_held(tx, run, owner)
    tx.flush()  # a text that keeps a memory may be of this group
    tx.connection.execute(q.switch_document, (run, tx.at, document))
    slots = [slot for (slot,) in fetch(tx.connection, q.outdated_slots, (document, run, limit))]
    return len(revise.forget(tx, dataset, slots).ids)
