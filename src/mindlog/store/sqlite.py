"""The store on SQLite: one directory, one process, one writer thread. Owns opening, closing and the writing half.

The operations themselves are in `persist`, `revise`, `admin` and `reindex`, those of derivation and the graph where
`runwrites` and `graphwrites` say; how they are committed in `writer`.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mindlog.clock import Clock, SystemClock
from mindlog.errors import MindlogError, StoreError, StoreReadOnly
from mindlog.records import ApiKey, Dataset, MemoryEdit, NewMemory, Persisted
from mindlog.store import admin, reindex, revise
from mindlog.store.askingreads import AskingReads
from mindlog.store.askingwrites import AskingWrites
from mindlog.store.base import ForgetOutcome, ModelStamp, StoreStats
from mindlog.store.connect import DATABASE, open_writer, translated
from mindlog.store.documentreads import DocumentReads
from mindlog.store.documentwrites import DocumentWrites
from mindlog.store.graphreads import GraphReads
from mindlog.store.graphwrites import GraphWrites
from mindlog.store.handover import Door, Queue
from mindlog.store.load import check_model, inspect_model, load_known, stamp_fresh
from mindlog.store.lock import DirectoryLock
from mindlog.store.migrate import migrate
from mindlog.store.persist import persist
from mindlog.store.runreads import DerivationReads
from mindlog.store.runwrites import DerivationWrites
from mindlog.store.writer import Listener, LogListener, Writer
from mindlog.store.writes import result

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SqliteStore", "Tuning"]

# Forgetting very many memories goes in transactions of this many, so that other writes get their turn.
_FORGET_CHUNK = 500
_PURGE_CHUNK = 500


class Tuning(Protocol):
    """The settings a store uses; `Settings` has them."""

    @property
    def write_queue(self) -> int:
        """Most writes of one event loop under way; beyond it callers wait."""
        ...

    @property
    def group_commit(self) -> int:
        """Most writes in one transaction."""
        ...

    @property
    def readers(self) -> int:
        """Read-only connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Defaults:
    write_queue: int = 8192
    group_commit: int = 512
    readers: int = 4


class SqliteStore(
    DerivationWrites, GraphWrites, DocumentWrites, AskingWrites, DerivationReads, GraphReads, DocumentReads, AskingReads
):
    """A store in a directory. Make one with `open`; the methods are those of `Store`."""

    def __init__(
        self,
        directory: Path,
        lock: DirectoryLock,
        connection: apsw.Connection,
        *,
        settings: Tuning,
        clock: Clock,
        read_deadline: float,
    ) -> None:
        path = directory / DATABASE
        self._clock = clock
        super().__init__(path, load_known(connection), settings.readers, read_deadline)
        self._path = path
        self._lock = lock
        self._queue = Queue()
        self._door = Door(self._queue, settings.write_queue)
        self._writer = Writer(connection, self._known, self._queue, clock, settings.group_commit, directory)
        self._writer.start()
        self._closing = threading.Lock()
        self._closed = False

    @classmethod
    def open(
        cls,
        directory: Path,
        *,
        model: ModelStamp,
        settings: Tuning | None = None,
        clock: Clock | None = None,
        read_deadline: float = 30.0,
        model_check: bool = True,
    ) -> SqliteStore:
        """Open the store in the directory, creating either if it is not there; a fresh one takes the model's stamp.

        `read_deadline` is the seconds a query may take. Raises `StoreLocked`, `StoreReadOnly`, `StoreFull`,
        `StoreDamaged`, `StoreNewer`, `MigrationChanged`, and `ModelMismatch` unless `model_check` is off.
        """
        _make_directory(directory)
        lock = DirectoryLock(directory)
        connection: apsw.Connection | None = None
        try:
            clock = clock or SystemClock()
            connection = open_writer(directory / DATABASE)
            with translated(directory):
                migrate(connection, clock.now())
                stamp_fresh(connection, model)
                if model_check:
                    check_model(connection, model, directory)
                _sync_directory(directory)
                tuning = settings or _Defaults()
                return cls(directory, lock, connection, settings=tuning, clock=clock, read_deadline=read_deadline)
        except BaseException:
            if connection is not None:
                connection.close()
            lock.release()
            raise

    @staticmethod
    def inspect_model(directory: Path) -> ModelStamp | None:
        """Return the model of the store in the directory, None if there is none; opens nothing for writing."""
        return inspect_model(directory)

    # -- memories ---------------------------------------------------------------------------------------------------
    def reserve(self) -> int:
        """Hand out the next slot; from any thread."""
        return next(self._known.slots)

    async def persist(self, memory: NewMemory) -> Persisted:
        """Commit the memory or return the one that was there; see `Store.persist`."""
        return result(await self._door.submit([partial(persist, memory=memory)]))

    async def persist_many(self, memories: Sequence[NewMemory]) -> list[Persisted | MindlogError]:
        """Persist each as `persist` does; one that fails does not touch the others."""
        if not memories:
            return []
        outcomes = await self._door.submit([partial(persist, memory=memory) for memory in memories])
        return [_outcome(outcome) for outcome in outcomes]

    async def edit(self, edit: MemoryEdit) -> Persisted:
        """Make the next revision; see `Store.edit`."""
        return await self._write(revise.edit, edit)

    async def forget(self, dataset: int, slots: Sequence[int]) -> ForgetOutcome:
        """Hide live memories; a very long list goes in several transactions, each whole."""
        return await self._in_chunks(slots, lambda chunk: self._write(revise.forget, dataset, chunk))

    async def restore(self, dataset: int, slots: Sequence[int], not_before: int) -> ForgetOutcome:
        """Undo forgets; a very long list goes in several transactions, each whole."""
        return await self._in_chunks(slots, lambda chunk: self._write(revise.restore, dataset, chunk, not_before))

    # -- datasets, keys, request ids ----------------------------------------------------------------------------------
    async def put_dataset(self, name: str, timezone: str | None) -> Dataset:
        """Create the dataset or set its zone."""
        return await self._write(admin.put_dataset, name, timezone)

    async def put_key(self, key: ApiKey, secret_hash: bytes) -> None:
        """Store a new API key by the hash of its secret."""
        await self._write(admin.put_key, key, secret_hash)

    async def revoke_key(self, key_id: str, at: int) -> ApiKey:
        """Revoke a key; `KeyNotFound` if there is none."""
        return await self._write(admin.revoke_key, key_id, at)

    async def touch_keys(self, used: Mapping[str, int]) -> None:
        """Record when keys were last used."""
        await self._write(admin.touch_keys, used)

    async def purge_requests(self, before: int) -> int:
        """Drop request ids older than the instant, a few a transaction; returns how many."""
        dropped = 0
        while True:
            count = await self._write(admin.purge_requests, before, _PURGE_CHUNK)
            dropped += count
            if count < _PURGE_CHUNK:
                return dropped

    # -- another model ------------------------------------------------------------------------------------------------
    async def replace_vectors(self, replacements: Sequence[reindex.Replacement], model: ModelStamp) -> int:
        """Store vectors of another model for (slot, version) revisions that are still current; returns how many."""
        return await self._write(reindex.replace_vectors, replacements, model)

    async def replace_questions(
        self, replacements: Sequence[tuple[int, NDArray[np.float32]]], model: ModelStamp
    ) -> None:
        """Store vectors of another model for questions, given by id."""
        await self._write(reindex.replace_questions, replacements, model)

    async def finish_reindex(self, model: ModelStamp) -> None:
        """Make the store the model's. Raises `StoreError` while any vector is of another."""
        await self._write(reindex.finish, model)

    # -- the store itself ---------------------------------------------------------------------------------------------
    def on_commit(self, listener: Listener) -> None:
        """Call the listener on the writer's thread after every commit and before its acks."""
        self._writer.listeners.append(listener)

    def on_log(self, listener: LogListener) -> None:
        """Call the listener on the writer's thread after every commit that added to the log, before its acks."""
        self._writer.log_listeners.append(listener)

    async def checkpoint(self) -> None:
        """Fold the write-ahead log into the database file and cut it."""
        result(await self._door.submit([self._writer.truncate_log], alone=True))

    def stats(self) -> StoreStats:
        """Return counts; from memory and the file system."""
        counts = self._known.counts
        return StoreStats(
            memories=counts.memories,
            forgotten=counts.forgotten,
            datasets=len(self._known.datasets),
            last_lsn=self._known.last_lsn,
            pending_derivations=counts.pending,
            queue=len(self._queue),
            file_bytes=_size(self._path),
            wal_bytes=_size(self._path.with_name(DATABASE + "-wal")),
        )

    def close(self) -> None:
        """Finish the writes under way, fold the log, release the lock. Blocks; safe to call twice, from any thread."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._writer.stop()
            self.close_reads()
            self._writer.close()
            self._lock.release()

    async def aclose(self) -> None:
        """Close without blocking the event loop."""
        await asyncio.to_thread(self.close)

    # -- helpers ------------------------------------------------------------------------------------------------------
    async def _in_chunks(self, slots: Sequence[int], write: Callable[[list[int]], Any]) -> ForgetOutcome:
        unique = list(dict.fromkeys(slots))
        chunks = [unique[start : start + _FORGET_CHUNK] for start in range(0, len(unique), _FORGET_CHUNK)] or [[]]
        done: list[ForgetOutcome] = [await write(chunk) for chunk in chunks]
        lsns = [part.lsn for part in done if part.lsn is not None]
        return ForgetOutcome(
            ids=tuple(identity for part in done for identity in part.ids),
            # The earliest, so that a grace period counted from it covers no more than it says.
            at=min(part.at for part in done),
            lsn=lsns[-1] if lsns else None,
        )


def _outcome(outcome: Any) -> Persisted | MindlogError:
    # An error that is not ours must not cost the other items of the batch their answers.
    if isinstance(outcome, BaseException) and not isinstance(outcome, MindlogError):
        error = StoreError(f"the write failed: {type(outcome).__name__}: {outcome}")
        error.__cause__ = outcome
        return error
    return outcome


def _make_directory(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as exc:
        raise StoreReadOnly(f"{directory} cannot be made: {exc.strerror}") from exc


def _sync_directory(directory: Path) -> None:
    # A new file's name is durable only when its directory is.
    for path in (directory, directory.absolute().parent):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
