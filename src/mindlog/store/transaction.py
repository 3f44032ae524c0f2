"""One group of writes on its way to a commit: its rows, its LSNs, and what it changes of the known state.

An operation checks first and raises `MindlogError` only before it changes anything, so a refused one leaves no trace
and needs no savepoint. The known state is changed after the commit, so a rollback cannot leave a lie. Knows no thread.
"""

from __future__ import annotations

import apsw

from mindlog.records import ApiKey, Dataset, Persisted, RequestKey
from mindlog.store.answers import deduplicated, replay, stored_answer
from mindlog.store.base import Change, ModelStamp
from mindlog.store.connect import Row, fetch
from mindlog.store.graphrows import QuestionsChange
from mindlog.store.known import Counts, Known
from mindlog.store.queries import q
from mindlog.store.rowwise import insert_rows

__all__ = ["Transaction"]


class Transaction:
    """A transaction that is open. `at` is its moment.

    texts: of documents, by their keys, as they are to be added. made_due: whether a derivation that was held back is due now.
    """

    def __init__(self, connection: apsw.Connection, known: Known, at: int) -> None:
        self.connection = connection
        self.known = known
        self.at = at
        self.lsn = known.last_lsn
        self.oldest_lsn = known.oldest_lsn
        self.changes: list[Change] = []
        self.questions: list[QuestionsChange] = []
        self.counts = Counts()
        self.memories: list[Row] = []
        self.embeddings: list[Row] = []
        self.log: list[Row] = []
        self.runs: list[Row] = []
        self.texts: dict[Row, Row] = {}
        self.made_due = False
        self.datasets: dict[str, Dataset] = {}
        self.api_keys: dict[bytes, ApiKey] = {}
        self.model: tuple[int, ModelStamp] | None = None
        self.new_models: dict[int, int] = {}
        self._owners: dict[bytes, int | None] = {}
        self._fresh: dict[int, Persisted] = {}
        self._requests: list[Row] = []
        self._answers: dict[tuple[int, str], tuple[bytes, Persisted]] = {}

    def take_lsn(self) -> int:
        """Return the next LSN; a rollback takes it back."""
        self.lsn += 1
        return self.lsn

    # -- datasets ---------------------------------------------------------------------------------------------------
    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset as this transaction sees it."""
        return self.datasets.get(name) or self.known.datasets.get(name)

    def create_dataset(self, name: str, timezone: str | None = None) -> Dataset:
        """Add a dataset."""
        taken = (dataset.number for dataset in (*self.known.datasets.values(), *self.datasets.values()))
        number = max(taken, default=0) + 1
        dataset = Dataset(number=number, name=name, timezone=timezone, created_at=self.at)
        self.connection.execute(q.insert_dataset, (number, name, timezone, self.at))
        self.datasets[name] = dataset
        return dataset

    # -- dedup keys -------------------------------------------------------------------------------------------------
    def owner(self, key: bytes) -> int | None:
        """Return the slot of the live memory that holds the dedup key."""
        return self._owners[key] if key in self._owners else self.known.owners.get(key)

    def own(self, key: bytes, slot: int) -> None:
        """Give the dedup key to a memory."""
        self._owners[key] = slot

    def release(self, key: bytes, slot: int) -> None:
        """Take the dedup key from a memory, if it holds it."""
        if self.owner(key) == slot:
            self._owners[key] = None

    # -- answers ----------------------------------------------------------------------------------------------------
    def add_fresh(self, persisted: Persisted) -> None:
        """Keep the answer of a memory whose row is not in the database yet."""
        self._fresh[persisted.id.slot] = persisted

    def facts(self, slot: int) -> Persisted:
        """Return what there is to say of a live memory, as a deduplicated write's answer."""
        fresh = self._fresh.get(slot)
        if fresh is None:
            return deduplicated(slot, fetch(self.connection, q.memory_facts, (slot,))[0])
        return deduplicated(slot, (fresh.id.version, fresh.lsn, fresh.persisted_at, fresh.kind, fresh.salience))

    def answer(self, dataset: int, request: RequestKey) -> Persisted | None:
        """Return the answer the request id had, None if it is new. Raises `IdempotencyConflict`."""
        pending = self._answers.get((dataset, request.id))
        if pending is not None:
            return replay(request, pending[0], pending[1])
        for row in fetch(self.connection, q.find_request, (dataset, request.id)):
            return replay(request, row[0], stored_answer(row))
        return None

    def remember(self, dataset: int, request: RequestKey, persisted: Persisted) -> None:
        """Keep the answer for the request id."""
        identity = persisted.id
        self._answers[(dataset, request.id)] = (request.params, persisted)
        asked = (dataset, request.id, request.params, self.at)
        said = (
            persisted.was_deduplicated,
            persisted.lsn,
            persisted.persisted_at,
            persisted.kind.value,
            persisted.salience,
        )
        self._requests.append((*asked, identity.slot, identity.version, *said))

    # -- writing ----------------------------------------------------------------------------------------------------
    def add_log(
        self, kind: str, dataset: int | None, slot: int | None, version: int | None, payload: str = "{}"
    ) -> int:
        """Add an entry to the log and return its LSN."""
        lsn = self.take_lsn()
        self.log.append((lsn, self.at, kind, dataset, slot, version, payload))
        return lsn

    def flush(self) -> None:
        """Write the rows collected so far, a table at a time: nothing is left to be written when it returns."""
        for sql, rows in (
            (q.insert_memory, self.memories),
            (q.insert_embedding, self.embeddings),
            (q.insert_log, self.log),
            (q.insert_encode_run, self.runs),
            (q.insert_request, self._requests),
        ):
            if rows:
                insert_rows(self.connection, sql, rows)
                rows.clear()
        if self.texts:
            insert_rows(self.connection, q.insert_text, [*self.texts.values()])
            self.texts.clear()
        self._fresh.clear()
        self._answers.clear()

    def publish(self) -> None:
        """Make the known state that of the commit."""
        known = self.known
        known.datasets.update(self.datasets)
        known.keys.update(self.api_keys)
        known.dimensions.update(self.new_models)
        for key, slot in self._owners.items():
            if slot is None:
                known.owners.pop(key, None)
            else:
                known.owners[key] = slot
        if self.model is not None:
            known.model_id, known.model = self.model
        known.counts.add(self.counts)
        known.oldest_lsn = self.oldest_lsn
        known.last_lsn = self.lsn
