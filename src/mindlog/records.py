"""The values that travel between layers: memories, writes, requests and results. Owns their shapes; knows no store or HTTP.

Instants are integer microseconds UTC (see `clock`). Vectors are float32 rows of length 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from mindlog.filters import Filters
from mindlog.ids import MemoryId

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DEFAULT_DATASET",
    "ApiKey",
    "Dataset",
    "DatasetSize",
    "EditRequest",
    "EncodeRequest",
    "EncodeResult",
    "ForgetReceipt",
    "Health",
    "Hit",
    "LaneScore",
    "Memory",
    "MemoryEdit",
    "MemoryKind",
    "MemoryPage",
    "MemoryState",
    "NewMemory",
    "Outcome",
    "Persisted",
    "RecallRequest",
    "RecallResult",
    "RequestKey",
    "Scope",
]

DEFAULT_DATASET = "default"


class MemoryKind(StrEnum):
    """What sort of memory it is."""

    EPISODIC = "episodic"  #: something said or seen at a time
    SEMANTIC = "semantic"  #: knowledge that holds beyond its moment
    CONSOLIDATED = "consolidated"  #: made from other memories


class MemoryState(StrEnum):
    """Whether reads see it."""

    LIVE = "live"
    FORGOTTEN = "forgotten"  #: soft: hidden, restorable within the grace period


class Scope(StrEnum):
    """What an API key may do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Outcome(StrEnum):
    """What a write came to."""

    CREATED = "created"
    DEDUPLICATED = "deduplicated"  #: the same text was there; nothing was written but the request id, if any
    REPLAYED = "replayed"  #: this request id was answered before; this is that answer


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSize:
    """How much a dataset holds: live memories, documents, entities (merged ones once), statements (superseded ones too)."""

    memories: int = 0
    documents: int = 0
    entities: int = 0
    statements: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """An isolated collection. `number` is its key inside the store; `timezone` gives naive times their zone.

    `size` is there only where it was asked for.
    """

    number: int
    name: str
    timezone: str | None
    created_at: int
    size: DatasetSize | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One revision of a memory as it is read."""

    id: MemoryId
    is_current: bool
    text: str
    dataset: str
    agent: str | None
    session: str | None
    kind: MemoryKind
    salience: float
    occurred_at: int
    created_at: int  # when the first revision was recorded
    recorded_at: int  # when this revision was recorded
    lsn: int
    metadata: Mapping[str, Any]
    document_id: str | None
    state: MemoryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision(Memory):
    """A revision as one of many: `text` is its opening, the whole has so many characters and is read by its id."""

    characters: int
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKey:
    """The caller's idempotency key with BLAKE3 (16 bytes) of the parameters it came with."""

    id: str
    params: bytes


# Not frozen: one is made for every write, and freezing costs a write 1 to 2 µs each. Treated as a value all the same.
@dataclass(slots=True, kw_only=True)
class NewMemory:
    """A validated memory on its way to the store."""

    slot: int  # reserved by `Store.reserve`
    dataset: str
    agent: str | None
    session: str | None
    text: str
    fingerprint: bytes  # BLAKE3 of the text, 32 bytes
    dedup_key: bytes | None  # BLAKE3 of (dataset, agent, session, fingerprint), 16 bytes; None: duplicates allowed
    kind: MemoryKind
    salience: float
    occurred_at: int | None  # None: the moment of the commit
    metadata: Mapping[str, Any]
    document_id: str | None
    vectors: NDArray[np.float32]  # (windows, d)
    states: NDArray[np.int8] | None  # (tokens, s)
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEdit:
    """A validated change of one memory: the whole next revision, made from `base`."""

    base: MemoryId  # must still be current
    text: str
    fingerprint: bytes
    dedup_key: bytes | None
    kind: MemoryKind
    salience: float
    occurred_at: int
    metadata: Mapping[str, Any]
    vectors: NDArray[np.float32] | None  # None: text unchanged, keep the stored ones
    states: NDArray[np.int8] | None


# Not frozen: one is made for every write, and freezing costs a write 1 to 2 µs each. Treated as a value all the same.
@dataclass(slots=True, kw_only=True)
class Persisted:
    """What the store says of a write. For a deduplicated one these are the facts of the memory that was there."""

    id: MemoryId
    outcome: Outcome
    was_deduplicated: bool  # of the original answer, if replayed
    lsn: int
    persisted_at: int
    kind: MemoryKind
    salience: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """An API key without its secret. `datasets` None means every dataset."""

    id: str
    name: str
    prefix: str
    scopes: frozenset[Scope]
    datasets: frozenset[str] | None
    created_at: int
    last_used_at: int | None
    revoked_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodeRequest:
    """One text to keep. Times may be RFC 3339 text or microseconds; `vector` is for callers with their own embeddings."""

    text: str
    dataset: str = DEFAULT_DATASET
    agent: str | None = None
    session: str | None = None
    occurred_at: str | int | None = None
    kind: str | None = None
    salience: float | None = None
    metadata: Mapping[str, Any] | None = None
    document_id: str | None = None
    request_id: str | None = None
    allow_duplicates: bool = False
    wait: Literal["ack", "derived"] = (
        "ack"  # derived: until every derivation stage has settled or the drain window is over
    )
    vector: Any = None  # d numbers, unit length or not; with embedding_model
    embedding_model: str | None = None  # the model fingerprint the vector was made with
    deduplicate: bool = False  # for writes that bring a vector, which are not deduplicated otherwise


# Not frozen: one is made for every write, and freezing costs a write 1 to 2 µs each. Treated as a value all the same.
@dataclass(slots=True, kw_only=True)
class EncodeResult:
    """The ack: the memory is committed and fsynced."""

    memory_id: str
    lsn: int
    was_deduplicated: bool
    was_replayed: bool
    kind: MemoryKind
    salience: float
    persisted_at: int
    auto_edges_added: int
    pending_stages: tuple[str, ...]
    embedding_model: str
    trace: Mapping[str, Any] | None = None  # with wait=derived: the stages, what each produced, which did not settle


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRequest:
    """A change of a memory. None keeps the value; `metadata` is a JSON merge patch (null removes a key)."""

    memory_id: str
    text: str | None = None
    kind: str | None = None
    salience: float | None = None
    occurred_at: str | int | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReceipt:
    """What a forget did: counts and ids, no content."""

    receipt_id: str
    mode: Literal["soft"]
    memory_ids: tuple[str, ...]
    forgotten_at: int
    restorable_until: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How the engine is. `ready` is false only if writes or recall fail; everything else is a number or a reason."""

    ready: bool
    status: Literal["ok", "degraded", "failed"]
    reasons: tuple[str, ...]
    store: Mapping[str, Any]
    indexes: tuple[Mapping[str, Any], ...]
    embedder: Mapping[str, Any]
    derive: Mapping[str, Any] = field(
        default_factory=dict[str, Any]
    )  # runs by state, age of the oldest, why it is paused
    remember: Mapping[str, Any] = field(default_factory=dict[str, Any])  # the same of documents
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])  # questions by state, how many are not on record
    llm: Mapping[str, Any] = field(default_factory=dict[str, Any])  # configured, provider, model, state, reason


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPage:
    """One page of a listing, newest first; `next_cursor` is None on the last."""

    data: tuple[Memory, ...]
    next_cursor: str | None

    @property
    def has_more(self) -> bool:
        """Whether another page follows."""
        return self.next_cursor is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A cue to find memories by."""

    cue: str
    dataset: str = DEFAULT_DATASET
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    as_of: int | None = None
    budget_tokens: int | None = None
    trace: bool = False
    explain_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneScore:
    """Where one lane put a memory: rank from 1, and the lane's own score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A found memory, its final score and what each lane that found it said."""

    memory: Memory
    score: float
    lanes: Mapping[str, LaneScore]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """Hits best first; `context` if a token budget was asked for; `trace` if asked for.

    time: what was understood of the time the cue names, None if it names none. `phrase`, `start` and `end` (microseconds, half
    open; None where it is open or of any year) and `relative` (to `as_of` or to now: then what lies in it comes first); and
    `unparsed`, the expressions that were seen and not understood.
    """

    hits: tuple[Hit, ...]
    context: str | None = None
    trace: Mapping[str, Any] | None = None
    time: Mapping[str, Any] | None = None
