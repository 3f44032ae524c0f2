"""The state of one encode call: what it was asked, what the stages leave for each other. Knows no concrete backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from mindlog.records import EncodeRequest, MemoryKind, NewMemory, Persisted, RequestKey

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mindlog.encode.validate import Limits
    from mindlog.errors import MindlogError
    from mindlog.models.embedder import Embedder, TextEmbedding
    from mindlog.records import Dataset

__all__ = ["EncodeJob", "EncodeStore", "EncodeTools", "Sink"]


class Sink(Protocol):
    """Where a finished memory goes: the store itself, or the gate of a batch."""

    async def persist(self, memory: NewMemory) -> Persisted:
        """Return after the commit, with what the store says of it."""
        ...


class EncodeStore(Sink, Protocol):
    """What encode needs of a store."""

    def reserve(self) -> int:
        """Hand out the next slot."""
        ...

    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset if it exists."""
        ...

    def peek(self, dataset: str, request: RequestKey | None, dedup_key: bytes | None) -> Persisted | None:
        """Say what `persist` would return without writing."""
        ...

    async def persist_many(self, memories: Sequence[NewMemory]) -> list[Persisted | MindlogError]:
        """Persist in order, one outcome each."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodeTools:
    """What the stages work with, the same for every call."""

    store: EncodeStore
    embedder: Embedder
    limits: Limits


@dataclass(slots=True, kw_only=True)
class EncodeJob:
    """One call. `result` is set by persist, or by validate when the answer was already there."""

    request: EncodeRequest
    tools: EncodeTools
    sink: Sink
    slot: int | None = None  # a batch takes its slots beforehand, so that they rise in the batch's order

    occurred_at: int | None = None
    kind: MemoryKind = MemoryKind.EPISODIC
    salience: float = 0.5
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    fingerprint: bytes = b""
    dedup_key: bytes | None = None
    request_key: RequestKey | None = None
    embedding: TextEmbedding | None = None
    states: NDArray[np.int8] | None = None
    result: Persisted | None = None
