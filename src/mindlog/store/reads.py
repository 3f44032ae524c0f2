"""The reads of the store's contract, on its read connections or from memory. Knows no writer.

Every walk goes by pages: no snapshot is held while a caller thinks, so the write-ahead log can be folded meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from mindlog.records import ApiKey, Dataset, DatasetSize, Memory, Persisted, RequestKey, Revision
from mindlog.store import rows
from mindlog.store.base import CatalogRow, IndexText, IndexVectors, Listing, LogRow, ModelStamp
from mindlog.store.connect import Row, fetch
from mindlog.store.known import Known
from mindlog.store.memorylist import list_memories
from mindlog.store.peek import Peek
from mindlog.store.queries import q
from mindlog.store.reader import ReadPool

__all__ = ["Reads"]

_CATALOG_PAGE = 5000
# A page of texts or vectors ends when it holds this much.
_PAGE_BYTES = 8 << 20
# The overhead of a row, so that a page of tiny ones ends too.
_ROW_BYTES = 500


class Reads:
    """The reading half of a store; the methods are those of `Store`."""

    def __init__(self, path: Path, known: Known, readers: int, deadline: float) -> None:
        self._known = known
        self._pool = ReadPool(path, readers, deadline)
        self._peek = Peek(path, known)

    def close_reads(self) -> None:
        """Wait for the reads under way and accept no more. Safe to call twice."""
        self._pool.close()
        self._peek.close()

    def _all(self, sql: str, values: Sequence[Any]) -> list[Row]:
        with self._pool.connection() as connection:
            return fetch(connection, sql, values)

    @contextmanager
    def _snapshot(self) -> Generator[apsw.Connection]:
        """Lend a connection that sees one moment."""
        with self._pool.connection() as connection, connection:
            yield connection

    def peek(self, dataset: str, request: RequestKey | None, dedup_key: bytes | None) -> Persisted | None:
        """Say what `persist` would return, or raise, without writing; None if it would create."""
        return self._peek(dataset, request, dedup_key)

    # -- memories ---------------------------------------------------------------------------------------------------
    def memory(self, slot: int, version: int | None = None) -> Memory | None:
        """Return the current revision or the one asked for."""
        current = self.memories([slot])
        if version is None or (current and current[0].id.version == version):
            return current[0] if current else None
        found = self._all(q.old_revision, (slot, version))
        return rows.memory(found[0]) if found else None

    def revisions(self, slot: int, limit: int, characters: int) -> list[Revision]:
        """Return the newest revisions, each with the opening of its text."""
        return [rows.revision(row) for row in self._all(q.newest_revisions, (characters, slot, limit))]

    def memories(self, slots: Sequence[int]) -> list[Memory]:
        """Return the current revisions that exist, in the order of `slots`."""
        found = {row[0]: row for row in self._all(q.current_memories, (json.dumps(list(slots)),))}
        return [rows.memory(found[slot]) for slot in slots if slot in found]

    def memory_as_of(self, slot: int, at: int) -> Memory | None:
        """Return the revision that was current at the instant."""
        # The current one first: an edit between the two queries only adds to what the second one finds.
        with self._pool.connection() as connection:
            current = fetch(connection, q.current_memories, (f"[{slot}]",))
            old = fetch(connection, q.revision_as_of, (slot, at))
        newest = [rows.memory(row) for row in (*current, *old)]
        return next((memory for memory in newest if memory.recorded_at <= at), None)

    def list_memories(self, listing: Listing) -> list[Memory]:
        """Return a page, newest slot first."""
        with self._snapshot() as connection:
            return list_memories(connection, listing)

    # -- vectors and states -------------------------------------------------------------------------------------------
    def vectors(self, slots: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return the stored vectors by slot."""
        found = self._all(q.vectors_of, (json.dumps(list(slots)),))
        return {slot: self._vectors(blob, model) for slot, model, blob in found}

    def states(self, slots: Sequence[int]) -> dict[int, NDArray[np.int8]]:
        """Return the stored token states by slot."""
        found = self._all(q.states_of, (json.dumps(list(slots)),))
        return {slot: rows.states_from(blob, width) for slot, width, blob in found}

    def _vectors(self, blob: bytes, model: int) -> NDArray[np.float32]:
        return rows.vectors_from(blob, self._known.dimensions[model])

    # -- walks --------------------------------------------------------------------------------------------------------
    def catalog(self, after_slot: int = -1) -> Iterator[CatalogRow]:
        """Walk every current revision by rising slot."""
        while page := self._all(q.walk_catalog, (after_slot, _CATALOG_PAGE)):
            yield from map(rows.catalog_row, page)
            after_slot = page[-1][0]

    def index_vectors(self, slots: Sequence[int] | None = None) -> Iterator[IndexVectors]:
        """Walk the stored vectors by rising slot."""
        for slot, version, model, blob in self._walk(q.walk_vectors, q.walk_vectors_of, slots):
            yield IndexVectors(slot=slot, version=version, vectors=self._vectors(blob, model))

    def index_texts(self, slots: Sequence[int] | None = None) -> Iterator[IndexText]:
        """Walk the texts by rising slot."""
        for slot, version, agent, text in self._walk(q.walk_texts, q.walk_texts_of, slots):
            yield IndexText(slot=slot, version=version, agent=agent, text=text)

    def _walk(self, everything: str, some: str, slots: Sequence[int] | None) -> Iterator[Row]:
        sql, wanted = (everything, ()) if slots is None else (some, (json.dumps(list(slots)),))
        last = -1
        while page := self._page(sql, (last, *wanted)):
            yield from page
            last = page[-1][0]

    def _page(self, sql: str, values: Sequence[Any]) -> list[Row]:
        page: list[Row] = []
        left = _PAGE_BYTES
        with self._pool.connection() as connection:
            cursor: Any = connection.execute(sql, values)
            for row in cursor:
                page.append(row)
                left -= len(row[3]) + _ROW_BYTES
                if left < 0:
                    cursor.close()
                    break
        return page

    # -- the rest -----------------------------------------------------------------------------------------------------
    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset; from memory."""
        return self._known.datasets.get(name)

    def datasets(self) -> list[Dataset]:
        """Return every dataset by name."""
        return sorted(self._known.datasets.copy().values(), key=lambda dataset: dataset.name)

    def dataset_sizes(self) -> dict[int, DatasetSize]:
        """Return how much each dataset holds, by number."""
        return {
            number: DatasetSize(memories=memories - forgotten, documents=documents, entities=entities, statements=said)
            for number, memories, forgotten, documents, entities, said in self._all(q.dataset_sizes, ())
        }

    def api_keys(self) -> list[ApiKey]:
        """Return every API key, newest first."""
        return sorted(self._known.keys.copy().values(), key=lambda key: (key.created_at, key.id), reverse=True)

    def key_by_hash(self, secret_hash: bytes) -> ApiKey | None:
        """Return the key whose secret has this hash; from memory."""
        return self._known.keys.get(secret_hash)

    def log(self, from_lsn: int, limit: int) -> list[LogRow]:
        """Return log entries from the LSN on, in order."""
        return [rows.log_row(row) for row in self._all(q.read_log, (from_lsn, limit))]

    def stale_vectors(self, model: ModelStamp, limit: int, after_slot: int = -1) -> list[int]:
        """Return up to `limit` slots above `after_slot` whose vectors are not of the model, by rising slot."""
        return [slot for (slot,) in self._stale(q.stale_vectors, model, after_slot, limit)]

    def stale_questions(self, model: ModelStamp, limit: int, after_id: int = 0) -> list[tuple[int, str]]:
        """Return up to `limit` questions above `after_id` whose vectors are not of the model, as (id, text) by rising id."""
        return [(number, text) for number, text in self._stale(q.stale_questions, model, after_id, limit)]

    def _stale(self, sql: str, model: ModelStamp, after: int, limit: int) -> list[Row]:
        with self._pool.connection() as connection:
            ids = [row[0] for row in fetch(connection, q.load_models) if row[2] == model.fingerprint]
            return fetch(connection, sql, (ids[0] if ids else -1, after, limit))

    @property
    def model(self) -> ModelStamp:
        """The embedding model this store belongs to."""
        return self._known.model

    @property
    def last_lsn(self) -> int:
        """The LSN of the last commit."""
        return self._known.last_lsn
