"""The operations on the texts of a held run of remember: kept, read, summarised, stored. Knows no thread and no queue.

A text is there once its memory is; done again, nothing changes. What waits in this group to be written is in `Transaction.texts`.
"""

from __future__ import annotations

import json

from mindlog.errors import InvalidInput, RevisionGone
from mindlog.ids import MemoryId
from mindlog.records import MemoryEdit, NewMemory
from mindlog.store import revise
from mindlog.store.connect import Row, fetch
from mindlog.store.documentrows import KeptText, NewText, SeriesWrite, TextKey, TextWrite
from mindlog.store.graphrows import GraphWrite
from mindlog.store.graphwrite import apply_graph
from mindlog.store.persist import persist
from mindlog.store.queries import q
from mindlog.store.rememberclaims import check_held
from mindlog.store.runrows import HELD_BACK
from mindlog.store.runstages import REMEMBER
from mindlog.store.runtext import storable, unicode
from mindlog.store.serieswrites import apply_series, check_series
from mindlog.store.transaction import Transaction

__all__ = ["adopt_text", "keep_text", "put_reading", "put_summary", "revise_text", "store_text"]

_NOTHING_MADE: Row = ("kept", None, None, None)


# -- kept ---------------------------------------------------------------------------------------------------------------
def keep_text(tx: Transaction, owner: str, memory: NewMemory, text: NewText) -> KeptText:
    """Commit the text with a new memory; see `DocumentStore.keep_text`."""
    check_held(tx, text.key.run, owner)
    return _there(tx, text.key) or _add(tx, text, persist(tx, memory, HELD_BACK).id)


def revise_text(tx: Transaction, owner: str, edit: MemoryEdit, text: NewText) -> KeptText:
    """Commit the text with the next revision of a memory; see `DocumentStore.revise_text`."""
    check_held(tx, text.key.run, owner)
    return _there(tx, text.key) or _add(tx, text, revise.edit(tx, edit, HELD_BACK).id)


def adopt_text(tx: Transaction, owner: str, memory_id: MemoryId, text: NewText, like: TextKey) -> KeptText:
    """Commit the text with a memory that is there; see `DocumentStore.adopt_text`."""
    dataset, _, _ = check_held(tx, text.key.run, owner)
    there = _there(tx, text.key)
    if there is not None:
        return there
    _check_live(tx, dataset, memory_id)
    found = fetch(tx.connection, q.text_made, (*_key(like), memory_id.slot, memory_id.version))
    return _add(tx, text, memory_id, found[0] if found else _NOTHING_MADE)


def _key(key: TextKey) -> Row:
    return (key.run, key.origin, key.position)


def _there(tx: Transaction, key: TextKey) -> KeptText | None:
    """Return the text if it is there, written or on its way."""
    waiting = tx.texts.get(_key(key))
    found = fetch(tx.connection, q.text_there, _key(key)) if waiting is None else [(*waiting[3:5], waiting[9])]
    for slot, version, state in found:
        return KeptText(memory_id=MemoryId(0, slot, version), state=state, was_there=True)
    return None


def _add(tx: Transaction, text: NewText, memory_id: MemoryId, made: Row = _NOTHING_MADE) -> KeptText:
    headings = unicode(json.dumps(text.headings, ensure_ascii=False)) if text.headings else None
    key = _key(text.key)
    where = (text.start, text.end, headings, text.source)
    tx.texts[key] = (*key, memory_id.slot, memory_id.version, *where, *made)
    return KeptText(memory_id=memory_id, state=made[0], was_there=False)


def _check_live(tx: Transaction, dataset: int, memory_id: MemoryId) -> None:
    tx.flush()  # the memory may be one of this group's
    found = fetch(tx.connection, q.live_memories, (f"[{memory_id.slot}]", dataset))
    if [row[1] for row in found] != [memory_id.version]:
        raise RevisionGone(f"memory_id: {memory_id} was edited or forgotten", field="memory_id")


# -- read ---------------------------------------------------------------------------------------------------------------
def put_reading(tx: Transaction, owner: str, key: TextKey, reading: str, error: str | None) -> None:
    """Keep what a text says; see `DocumentStore.put_reading`. Of one that is stored nothing changes."""
    _held_text(tx, owner, key)
    tx.connection.execute(q.put_reading, (unicode(reading), storable(error), *_key(key)))


def put_summary(tx: Transaction, owner: str, key: TextKey, summary: str, error: str | None) -> None:
    """Keep a text's summary; see `DocumentStore.put_summary`."""
    _held_text(tx, owner, key)
    tx.connection.execute(q.put_summary, (unicode(summary), storable(error), *_key(key)))


def _held_text(tx: Transaction, owner: str, key: TextKey) -> tuple[int, int | None, KeptText]:
    """Return dataset and chunks of the run, and the text, which is written then. Raises `LeaseLost` or `InvalidInput`."""
    dataset, _, chunks = check_held(tx, key.run, owner)
    text = _there(tx, key)
    if text is None:
        raise InvalidInput(f"key: there is no {key.origin} {key.position} in the run", field="key")
    if _key(key) in tx.texts:
        tx.flush()
    return dataset, chunks, text


# -- stored -------------------------------------------------------------------------------------------------------------
def store_text(tx: Transaction, write: TextWrite) -> dict[str, int]:
    """Commit what the text says and tell the log; see `DocumentStore.store_text`. One that is stored stays as it is."""
    dataset, chunks, text = _held_text(tx, write.owner, write.key)
    if text.state == "stored":
        return {}
    memory_id = text.memory_id
    for part in (write.graph, write.series):
        _check_revision(part, dataset, memory_id)
    if write.series is not None:
        check_series(write.series)
    _check_live(tx, dataset, memory_id)
    added: dict[str, int] = {}
    if write.graph is not None:
        added |= apply_graph(tx, write.graph)
    if write.series is not None:
        added |= apply_series(tx, write.series)
    tx.connection.execute(q.text_stored, _key(write.key))
    _release(tx, memory_id.slot)
    of = chunks if write.key.origin == "chunk" else None
    payload = REMEMBER.payload(write.key.run, origin=write.key.origin, position=write.key.position, of=of)
    tx.add_log("text_stored", dataset, memory_id.slot, memory_id.version, payload)
    return added


def _check_revision(part: GraphWrite | SeriesWrite | None, dataset: int, memory_id: MemoryId) -> None:
    if part is not None and (part.dataset, part.slot, part.version) != (dataset, memory_id.slot, memory_id.version):
        raise InvalidInput("slot: the write is of another revision than the text", field="slot")


def _release(tx: Transaction, slot: int) -> None:
    """Make the memory's derivation due, if it is held back."""
    tx.connection.execute(q.release_memory, (slot, HELD_BACK))
    tx.made_due |= tx.connection.changes() > 0
