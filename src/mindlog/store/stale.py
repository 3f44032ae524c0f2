"""The operations on groups that are to be reconciled again. Knows no thread and no queue.

A mark is made in the transaction that changes what a group rests on, so it survives a crash as the change does. It is
taken away by who has reconciled the group, unless it was made again meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from mindlog.store.connect import fetch
from mindlog.store.queries import q
from mindlog.store.transaction import Transaction

__all__ = ["mark_entities", "mark_memories", "members", "settle"]


def mark_memories(tx: Transaction, slots: Sequence[int], lsn: int) -> None:
    """Mark every group that has evidence from the memories."""
    if slots:
        tx.connection.execute(q.mark_stale, (lsn, json.dumps(list(slots))))


def mark_entities(tx: Transaction, entities: Sequence[int], lsn: int) -> None:
    """Mark every group that has a statement about one of the entities, on either side."""
    ids = json.dumps(list(entities))
    tx.connection.execute(q.mark_entities_stale, (lsn, ids, lsn, ids))


def settle(tx: Transaction, dataset: int, subject: int, family: str, lsn: int) -> None:
    """Take the mark of the group away, if it was made no later than the LSN."""
    tx.connection.execute(q.settle_group, (dataset, members(tx, dataset, subject), family, lsn))


def members(tx: Transaction, dataset: int, entity: int) -> str:
    """Return everything that is one with the entity, itself included, as a JSON list."""
    found = fetch(tx.connection, q.members_of, (f"[{entity}]", dataset))
    return json.dumps([member for _, member in found])
