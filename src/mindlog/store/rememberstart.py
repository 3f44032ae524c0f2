"""The operation that takes a document in: its row, its source and the run that is to remember it. Knows no thread and no queue."""

from __future__ import annotations

from mindlog.errors import IdempotencyConflict
from mindlog.store.connect import fetch
from mindlog.store.documentrows import NewRemember, RememberStarted
from mindlog.store.persist import named_dataset
from mindlog.store.queries import q
from mindlog.store.rows import to_json
from mindlog.store.runstages import REMEMBER
from mindlog.store.transaction import Transaction

__all__ = ["start_remember"]


def start_remember(tx: Transaction, new: NewRemember) -> RememberStarted:
    """Commit document, source and run, or return the run that the request id has started; see `DocumentStore.start_remember`."""
    params = to_json(new.params, "params")
    earlier = _earlier(tx, new)
    if earlier is not None:
        return earlier
    dataset = named_dataset(tx, new.dataset).number
    document = _document(tx, dataset, new)
    payload = REMEMBER.payload(tx.lsn + 1, document_id=new.document_id)
    run = tx.add_log("remember_started", dataset, None, None, payload)
    asked = (new.request_id, new.request_params)
    tx.connection.execute(q.insert_remember, (run, dataset, document, new.user, params, tx.at, *asked))
    read = (new.title, new.kind, new.name, new.url, new.characters, new.content)
    tx.connection.execute(q.insert_source, (run, *read))
    return RememberStarted(run=run, document_id=new.document_id, was_replayed=False)


def _earlier(tx: Transaction, new: NewRemember) -> RememberStarted | None:
    dataset = tx.dataset(new.dataset)
    if dataset is None or new.request_id is None:
        return None
    for run, document_id, params in fetch(tx.connection, q.find_remember, (dataset.number, new.request_id)):
        if params != new.request_params:
            raise IdempotencyConflict(
                f"request_id: {new.request_id!r} was used with other parameters", field="request_id"
            )
        return RememberStarted(run=run, document_id=document_id, was_replayed=True)
    return None


def _document(tx: Transaction, dataset: int, new: NewRemember) -> int:
    for (number,) in fetch(tx.connection, q.find_document, (dataset, new.document_id)):
        return number
    tx.connection.execute(q.insert_document, (dataset, new.document_id, new.title, tx.at, tx.at))
    return tx.connection.last_insert_rowid()
