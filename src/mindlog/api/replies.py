"""What the server answers: the reply bodies, and how records become them.

Every reply is built through its model, so the published schema and what is sent cannot differ.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from mindlog.api.activity import Minute
from mindlog.clock import iso
from mindlog.records import ApiKey, Dataset, EncodeResult, ForgetReceipt, Hit, Memory
from mindlog.wire import to_json

__all__ = [
    "ActivityPoint",
    "ActivityReply",
    "BatchFailed",
    "BatchReply",
    "BatchWritten",
    "DatasetPageReply",
    "DatasetReply",
    "DatasetSizeReply",
    "EncodeReply",
    "ForgetReply",
    "HealthReply",
    "HitReply",
    "ItemError",
    "KeyPageReply",
    "KeyReply",
    "LaneReply",
    "LiveReply",
    "MemoryPageReply",
    "MemoryReply",
    "NewKeyReply",
    "Problem",
    "ProblemField",
    "RecallReply",
    "ReceiptReply",
    "SettledReply",
    "Shown",
]

Kind = Literal["episodic", "semantic", "consolidated"]
ScopeName = Literal["read", "write", "admin"]
Instant = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""RFC 3339 in UTC with `Z`."""
MemoryName = Annotated[str, Field(json_schema_extra={"examples": ["mem_00000000000008000000004000"]})]


class Shown(BaseModel):
    """A reply with the fields of a record."""

    @classmethod
    def of(cls, record: object) -> Self:
        """Return the reply that shows a record."""
        return cls.model_validate(to_json(record))


class EncodeReply(BaseModel):
    """The ack: the memory is committed, on disk, and searchable."""

    memory_id: MemoryName
    lsn: int = Field(description="Position in the log.")
    was_deduplicated: bool = Field(description="The same text was there: this is that memory, and nothing was written.")
    was_replayed: bool = Field(description="This request id was answered before: this is that answer.")
    kind: Kind
    salience: float
    persisted_at: Instant
    auto_edges_added: int
    pending_stages: list[str] = Field(description="What is still to be derived from it.")
    embedding_model: str = Field(description="Fingerprint of the model that made its vector.")
    trace: dict[str, Any] | None = Field(
        None, description="With `wait=derived`: whether it settled, and each stage with what it produced."
    )

    @classmethod
    def of(cls, result: EncodeResult, **more: Any) -> Self:
        """Return the reply to a write."""
        return cls(
            memory_id=result.memory_id,
            lsn=result.lsn,
            was_deduplicated=result.was_deduplicated,
            was_replayed=result.was_replayed,
            kind=result.kind.value,
            salience=result.salience,
            persisted_at=iso(result.persisted_at),
            auto_edges_added=result.auto_edges_added,
            pending_stages=list(result.pending_stages),
            embedding_model=result.embedding_model,
            trace=None if result.trace is None else dict(result.trace),
            **more,
        )


class BatchWritten(EncodeReply):
    """One item of a batch that was kept, or was there already."""

    index: int
    status: int = Field(description="201 created; 200 deduplicated or replayed.")


class ItemError(BaseModel):
    """Why an item of a batch was not kept."""

    code: str
    detail: str
    field: str | None = None
    retryable: bool = False


class BatchFailed(BaseModel):
    """One item of a batch that was not kept."""

    index: int
    status: int = Field(description="The status this item would have had by itself.")
    error: ItemError


class BatchReply(BaseModel):
    """One outcome per item, in their order."""

    results: list[BatchWritten | BatchFailed]


class MemoryReply(BaseModel):
    """One revision of a memory."""

    memory_id: MemoryName
    is_current: bool = Field(description="False if a later revision exists.")
    text: str
    dataset: str
    agent: str | None
    session: str | None
    kind: Kind
    salience: float
    occurred_at: Instant
    created_at: Instant = Field(description="When its first revision was recorded.")
    recorded_at: Instant = Field(description="When this revision was recorded.")
    lsn: int
    metadata: dict[str, Any]
    document_id: str | None
    state: Literal["live", "forgotten"]

    @classmethod
    def of(cls, memory: Memory, **more: Any) -> Self:
        """Return the reply that shows a memory."""
        return cls(
            memory_id=str(memory.id),
            is_current=memory.is_current,
            text=memory.text,
            dataset=memory.dataset,
            agent=memory.agent,
            session=memory.session,
            kind=memory.kind.value,
            salience=memory.salience,
            occurred_at=iso(memory.occurred_at),
            created_at=iso(memory.created_at),
            recorded_at=iso(memory.recorded_at),
            lsn=memory.lsn,
            metadata=dict(memory.metadata),
            document_id=memory.document_id,
            state=memory.state.value,
            **more,
        )


class MemoryPageReply(BaseModel):
    """One page of memories, newest first."""

    data: list[MemoryReply]
    has_more: bool
    next_cursor: str | None


class ReceiptReply(BaseModel):
    """What a forget did; holds no content."""

    receipt_id: str
    mode: Literal["soft"]
    memory_ids: list[str]
    forgotten_at: Instant
    restorable_until: Instant


class ForgetReply(BaseModel):
    """The answer to a forget."""

    receipt: ReceiptReply

    @classmethod
    def of(cls, receipt: ForgetReceipt) -> Self:
        """Return the reply that carries the receipt."""
        return cls(
            receipt=ReceiptReply(
                receipt_id=receipt.receipt_id,
                mode=receipt.mode,
                memory_ids=list(receipt.memory_ids),
                forgotten_at=iso(receipt.forgotten_at),
                restorable_until=iso(receipt.restorable_until),
            )
        )


class LaneReply(BaseModel):
    """Where one lane put the memory."""

    rank: int = Field(description="From 1.")
    score: float = Field(description="On the lane's own scale.")


class HitReply(MemoryReply):
    """A found memory."""

    score: float
    lanes: dict[str, LaneReply] = Field(description="What each lane that found it said.")

    @classmethod
    def of_hit(cls, hit: Hit) -> Self:
        """Return the reply that shows a hit."""
        lanes = {name: LaneReply(rank=lane.rank, score=lane.score) for name, lane in hit.lanes.items()}
        return cls.of(hit.memory, score=hit.score, lanes=lanes)


class RecallReply(BaseModel):
    """Hits, best first."""

    hits: list[HitReply]
    context: str | None = Field(None, description="The packed context block, if a token budget was given.")
    trace: dict[str, Any] | None = Field(None, description="How the hits were found, if asked for.")
    time: dict[str, Any] | None = Field(
        None,
        description="What was understood of the time the cue names: `phrase`, `start`, `end`, `relative`, `unparsed`.",
    )


class DatasetSizeReply(BaseModel):
    """How much a dataset holds."""

    memories: int = Field(description="Without forgotten ones.")
    documents: int
    entities: int = Field(description="Of those that were merged, one. Also those that only forgotten memories name.")
    statements: int = Field(description="Superseded ones too, and those that rest on forgotten memories alone.")


class DatasetReply(BaseModel):
    """A dataset."""

    name: str
    timezone: str | None
    created_at: Instant
    size: DatasetSizeReply | None = Field(None, description="How much it holds, if `sizes` was asked for.")

    @classmethod
    def of(cls, dataset: Dataset) -> Self:
        """Return the reply that shows a dataset."""
        size = None if dataset.size is None else DatasetSizeReply(**asdict(dataset.size))
        return cls(name=dataset.name, timezone=dataset.timezone, created_at=iso(dataset.created_at), size=size)


class DatasetPageReply(BaseModel):
    """The datasets the caller may see, by name."""

    data: list[DatasetReply]
    has_more: bool = False
    next_cursor: str | None = None


class KeyReply(BaseModel):
    """An API key without its secret."""

    key_id: str
    name: str
    prefix: str = Field(description="The first characters of the secret, to tell keys apart.")
    scopes: list[ScopeName]
    datasets: list[str] | None = Field(description="The datasets it may touch; null for every one.")
    created_at: Instant
    last_used_at: Instant | None
    revoked_at: Instant | None

    @classmethod
    def of(cls, key: ApiKey, **more: Any) -> Self:
        """Return the reply that shows a key."""
        return cls(
            key_id=key.id,
            name=key.name,
            prefix=key.prefix,
            scopes=sorted(scope.value for scope in key.scopes),
            datasets=None if key.datasets is None else sorted(key.datasets),
            created_at=iso(key.created_at),
            last_used_at=_iso(key.last_used_at),
            revoked_at=_iso(key.revoked_at),
            **more,
        )


class NewKeyReply(KeyReply):
    """A new API key with its secret, which is shown this once."""

    secret: str


class KeyPageReply(BaseModel):
    """The API keys the caller may manage, newest first."""

    data: list[KeyReply]
    has_more: bool = False
    next_cursor: str | None = None


class LiveReply(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class HealthReply(BaseModel):
    """How the server is. `ready` is false only if writes or recall fail; `reasons` names whatever is not as it should be."""

    status: Literal["ok", "degraded", "failed"]
    ready: bool
    reasons: list[str]
    version: str
    store: dict[str, Any]
    indexes: list[dict[str, Any]]
    embedder: dict[str, Any]
    derive: dict[str, Any] = Field(description="Derivation runs by state, the age of the oldest, why they are paused.")
    remember: dict[str, Any] = Field(description="The same of the runs that remember documents.")
    query: dict[str, Any] = Field(description="Questions by state, and how many are not on record.")
    llm: dict[str, Any] = Field(description="The language model: provider, model, state and why.")


class ActivityPoint(BaseModel):
    """What happened in one minute."""

    at: Instant = Field(description="Its beginning.")
    writes: int = Field(
        description="Calls that write (memories, batches, edits, documents, pictures), refused ones too."
    )
    recalls: int
    queries: int
    runs: int = Field(description="Derivations and readings of documents that were begun.")

    @classmethod
    def of(cls, minute: Minute) -> Self:
        """Return the point that shows a minute."""
        return cls(
            at=iso(minute.at * 1_000_000),
            writes=minute.writes,
            recalls=minute.recalls,
            queries=minute.queries,
            runs=minute.runs,
        )


class ActivityReply(BaseModel):
    """Calls and runs by the minute, oldest first."""

    points: list[ActivityPoint]


class SettledReply(BaseModel):
    """Whether all that was written is read and derived."""

    settled: bool
    derives: bool = Field(description="Whether this server does what is to be done, so that asking again may help.")


class ProblemField(BaseModel):
    """One value at fault."""

    field: str
    detail: str


class Problem(BaseModel):
    """What went wrong (RFC 9457). Further members carry facts, for example `limit`."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["/docs#invalid_input"])
    title: str
    status: int
    detail: str
    code: str = Field(examples=["invalid_input"])
    request_id: str
    retryable: bool = Field(description="Whether the same request may succeed later.")
    field: str | None = Field(None, description="The value at fault.")
    limit: int | float | None = Field(None, description="The limit that value must keep.")
    errors: list[ProblemField] | None = Field(None, description="Every value at fault, if there are several.")


def _iso(at: int | None) -> str | None:
    return None if at is None else iso(at)
