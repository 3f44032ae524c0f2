"""What a write would be answered, and when work is due: one connection kept for it, cheap enough for an event loop."""

from __future__ import annotations

import threading
from pathlib import Path

from mindlog.errors import Closed
from mindlog.records import Persisted, RequestKey
from mindlog.store.answers import deduplicated, replay, stored_answer
from mindlog.store.connect import fetch, open_reader, translated
from mindlog.store.known import Known
from mindlog.store.queries import q
from mindlog.store.runstages import with_columns

__all__ = ["NEXT_DUE", "Peek"]

NEXT_DUE = with_columns(q.next_due)


class Peek:
    """Looks answers up by an index or from memory; never waits for another read than its own kind."""

    def __init__(self, path: Path, known: Known) -> None:
        self._directory = path.parent
        self._known = known
        self._mutex = threading.Lock()
        self._connection = open_reader(path)
        self._closed = False

    def __call__(self, dataset: str, request: RequestKey | None, dedup_key: bytes | None) -> Persisted | None:
        """See `Store.peek`. Raises `IdempotencyConflict` as `persist` would."""
        found = self._known.datasets.get(dataset)
        owner = None if dedup_key is None else self._known.owners.get(dedup_key)
        if self._closed:
            raise Closed
        if found is None or (request is None and owner is None):
            return None
        with self._mutex, translated(self._directory):
            if self._closed:
                raise Closed
            answer = self._look(found.number, request, owner)
        # A commit the listeners have not heard of yet cannot be found yet: such an answer has to queue behind it.
        return answer if answer is None or answer.lsn <= self._known.told_lsn else None

    def next_due(self) -> int | None:
        """Return when the next open derivation is due; None if none is, or those that are open are held back."""
        return self._due(NEXT_DUE)

    def next_remember(self) -> int | None:
        """Return when the next open remember is due, of those that are the first of their dataset; None if none is open."""
        return self._due(q.next_remember)

    def _due(self, sql: str) -> int | None:
        with self._mutex, translated(self._directory):
            if self._closed:
                raise Closed
            return fetch(self._connection, sql)[0][0]

    def _look(self, dataset: int, request: RequestKey | None, owner: int | None) -> Persisted | None:
        if request is not None:
            for row in fetch(self._connection, q.find_request, (dataset, request.id)):
                return replay(request, row[0], stored_answer(row))
        if owner is not None:
            for row in fetch(self._connection, q.memory_facts, (owner,)):
                return deduplicated(owner, row)
        return None

    def close(self) -> None:
        """Close the connection. Safe to call twice."""
        with self._mutex:
            self._closed = True
            self._connection.close()
