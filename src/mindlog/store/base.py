"""The store's contract: what every backend promises. Owns the protocol and its row types; knows no SQL.

Writes are awaitable and return after the commit is on disk. Reads are plain calls on read-only connections: cheap ones
(`peek`, `dataset`) may run on the event loop, the rest belong in a thread. `mindlog.testing.conformance` is this
contract as tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mindlog.filters import Filters
from mindlog.ids import MemoryId
from mindlog.records import (
    ApiKey,
    Dataset,
    DatasetSize,
    Memory,
    MemoryEdit,
    MemoryState,
    NewMemory,
    Persisted,
    RequestKey,
    Revision,
)
from mindlog.store.asking import AskingStore
from mindlog.store.derivation import DerivationStore
from mindlog.store.documents import DocumentStore
from mindlog.store.graph import GraphStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mindlog.errors import MindlogError

__all__ = [
    "CatalogRow",
    "Change",
    "ForgetOutcome",
    "IndexText",
    "IndexVectors",
    "Listing",
    "LogRow",
    "ModelStamp",
    "Store",
    "StoreStats",
]


# Not frozen: one is made for every write, and freezing costs a write 1 to 2 µs each. Treated as a value all the same.
@dataclass(slots=True, kw_only=True)
class CatalogRow:
    """A current revision's facts without its text and vectors: what filters and session order need."""

    slot: int
    version: int
    lsn: int
    dataset: int  # Dataset.number
    agent: str | None
    session: str | None
    kind: str
    document_id: str | None
    occurred_at: int
    created_at: int
    salience: float
    metadata: Mapping[str, Any]
    state: MemoryState
    asks: bool = False  # whether the text ends with a question, by `spoken.asks`


# Not frozen: one is made for every write, and freezing costs a write 1 to 2 µs each. Treated as a value all the same.
@dataclass(slots=True, kw_only=True)
class Change:
    """One committed change as the indexes see it, in LSN order.

    A new or edited memory carries its text and vectors; `text` None with the row's state tells of a forget or restore.
    An edit that keeps the text carries text and vectors all the same.
    """

    row: CatalogRow
    text: str | None
    vectors: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexVectors:
    """The stored vectors of one current revision."""

    slot: int
    version: int
    vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexText:
    """The text of one current revision with the speaker it is indexed under."""

    slot: int
    version: int
    agent: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Which memories to list: newest slot first, below `before_slot`.

    entities: only those that name one of these, by any ids of it; None does not narrow.
    """

    dataset: int
    filters: Filters
    limit: int
    before_slot: int | None = None
    entities: tuple[int, ...] | None = None
    include_forgotten: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetOutcome:
    """What a soft forget or a restore touched (already forgotten or live memories are not counted)."""

    ids: tuple[MemoryId, ...]
    at: int
    lsn: int | None  # of the last change, None if nothing changed


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """One entry of the log."""

    lsn: int
    at: int
    type: str  # memory_encoded, memory_edited, memory_forgotten, memory_restored, dataset_created, ..
    dataset: int | None
    slot: int | None
    version: int | None
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStamp:
    """The embedding model a store's vectors were made with."""

    name: str
    fingerprint: str
    dimensions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """Counts for health and metrics. `queue` is writes waiting now."""

    memories: int
    forgotten: int
    datasets: int
    last_lsn: int
    pending_derivations: int
    queue: int
    file_bytes: int
    wal_bytes: int


class Store(DerivationStore, GraphStore, DocumentStore, AskingStore, Protocol):
    """A durable store of one shard or more."""

    # -- writes: awaited until committed and fsynced ------------------------------------------------------------------
    def reserve(self) -> int:
        """Hand out the next slot. Slots rise; one that was ever persisted is never handed out again."""
        ...

    async def persist(self, memory: NewMemory) -> Persisted:
        """Commit the memory, its idempotency row, log row and derivation row, or return the memory that was there.

        Checked inside the transaction, in this order: the request id (same parameters: REPLAYED with the stored answer;
        other parameters: `IdempotencyConflict`), then `dedup_key` (DEDUPLICATED; the request id is remembered for it).
        """
        ...

    async def persist_many(self, memories: Sequence[NewMemory]) -> list[Persisted | MindlogError]:
        """Persist each as `persist` does; one that fails does not touch the others. Order is kept."""
        ...

    async def edit(self, edit: MemoryEdit) -> Persisted:
        """Make the next revision. `VersionConflict` if `base` is not current, `MemoryNotFound` if gone or forgotten."""
        ...

    async def forget(self, dataset: int, slots: Sequence[int]) -> ForgetOutcome:
        """Hide live memories of the dataset and release their dedup keys. Unknown slots are passed over."""
        ...

    async def restore(self, dataset: int, slots: Sequence[int], not_before: int) -> ForgetOutcome:
        """Undo forgets made at or after `not_before`; a dedup key taken meanwhile stays with its new owner."""
        ...

    async def put_dataset(self, name: str, timezone: str | None) -> Dataset:
        """Create the dataset or set its zone."""
        ...

    async def put_key(self, key: ApiKey, secret_hash: bytes) -> None:
        """Store a new API key by the hash of its secret."""
        ...

    async def revoke_key(self, key_id: str, at: int) -> ApiKey:
        """Revoke a key; `KeyNotFound` if there is none."""
        ...

    async def touch_keys(self, used: Mapping[str, int]) -> None:
        """Record when keys were last used."""
        ...

    async def purge_requests(self, before: int) -> int:
        """Drop request ids older than `before`; returns how many."""
        ...

    async def checkpoint(self) -> None:
        """Fold the write-ahead log into the database file."""
        ...

    # -- reads --------------------------------------------------------------------------------------------------------
    def peek(self, dataset: str, request: RequestKey | None, dedup_key: bytes | None) -> Persisted | None:
        """Say what `persist` would return without writing, or None if it would create. Microseconds; never decides."""
        ...

    def memory(self, slot: int, version: int | None = None) -> Memory | None:
        """Return the current revision, or the one asked for (`is_current` says which); None if there is none."""
        ...

    def revisions(self, slot: int, limit: int, characters: int) -> list[Revision]:
        """Return the newest `limit` revisions, newest first, the current one too, each with the opening of its text."""
        ...

    def memories(self, slots: Sequence[int]) -> list[Memory]:
        """Return the current revisions that exist, in the order of `slots`."""
        ...

    def memory_as_of(self, slot: int, at: int) -> Memory | None:
        """Return the revision that was current at the instant, by `recorded_at`."""
        ...

    def list_memories(self, listing: Listing) -> list[Memory]:
        """Return up to `limit` current revisions, newest slot first; every filter holds exactly."""
        ...

    def states(self, slots: Sequence[int]) -> dict[int, NDArray[np.int8]]:
        """Return the token states that are stored, by slot."""
        ...

    def vectors(self, slots: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return the stored vectors by slot."""
        ...

    def catalog(self, after_slot: int = -1) -> Iterator[CatalogRow]:
        """Walk every current revision by rising slot, forgotten ones too."""
        ...

    def index_vectors(self, slots: Sequence[int] | None = None) -> Iterator[IndexVectors]:
        """Walk the stored vectors of the slots (all if None) by rising slot."""
        ...

    def index_texts(self, slots: Sequence[int] | None = None) -> Iterator[IndexText]:
        """Walk the texts of the slots (all if None) by rising slot."""
        ...

    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset; from memory."""
        ...

    def datasets(self) -> list[Dataset]:
        """Return every dataset by name."""
        ...

    def dataset_sizes(self) -> dict[int, DatasetSize]:
        """Return how much each dataset holds, by number; one of which nothing is kept is not there.

        Entities and statements are counted as they are stored: also those that rest on forgotten memories alone.
        """
        ...

    def api_keys(self) -> list[ApiKey]:
        """Return every API key, newest first."""
        ...

    def key_by_hash(self, secret_hash: bytes) -> ApiKey | None:
        """Return the key whose secret has this hash; from memory."""
        ...

    def log(self, from_lsn: int, limit: int) -> list[LogRow]:
        """Return log entries from the LSN on, in order."""
        ...

    def stats(self) -> StoreStats:
        """Return counts."""
        ...

    @property
    def model(self) -> ModelStamp:
        """The embedding model this store belongs to."""
        ...

    @property
    def last_lsn(self) -> int:
        """The LSN of the last commit."""
        ...

    def on_commit(self, listener: Callable[[Sequence[Change]], None]) -> None:
        """Call the listener after every commit of memories and before its acks, with the changes in LSN order, on one thread.

        It is called without any where a derivation that was held back is due now.
        """
        ...

    async def aclose(self) -> None:
        """Finish the writes under way, checkpoint, release the lock. Safe to call twice."""
        ...
