"""Embeddings of recent texts, bounded in bytes, least recently used out first. Knows no model."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindlog.models.embedder import TextEmbedding

__all__ = ["CacheStats", "EmbeddingCache"]

# What an entry costs beside its arrays: key, record, window tuples, dictionary slot.
_ENTRY_BYTES = 600
_LARGEST_SHARE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """Counts since the start: texts found, computed, and shared with a computation already under way; and the size."""

    hits: int
    misses: int
    shared: int
    entries: int
    bytes: int


class EmbeddingCache:
    """Keyed by content hash, so no text is kept. Safe from any thread."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity = capacity_bytes
        self._entries: OrderedDict[bytes, TextEmbedding] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: bytes) -> TextEmbedding | None:
        """The embedding, now the most recently used; or None."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            return found

    def put(self, key: bytes, embedding: TextEmbedding) -> None:
        """Keep an embedding, unless it would take more than an eighth of the cache."""
        size = _size(embedding)
        if size * _LARGEST_SHARE > self._capacity:
            return
        with self._lock:
            self._drop(key)
            self._entries[key] = embedding
            self._bytes += size
            while self._bytes > self._capacity:
                self._drop(next(iter(self._entries)))

    def discard(self, key: bytes) -> None:
        """Drop an entry if it is there."""
        with self._lock:
            self._drop(key)

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0

    def size(self) -> tuple[int, int]:
        """Entries and bytes."""
        with self._lock:
            return len(self._entries), self._bytes

    def _drop(self, key: bytes) -> None:
        dropped = self._entries.pop(key, None)
        if dropped is not None:
            self._bytes -= _size(dropped)


def _size(embedding: TextEmbedding) -> int:
    states = 0 if embedding.states is None else embedding.states.nbytes
    return _ENTRY_BYTES + embedding.vectors.nbytes + states + 120 * (len(embedding.windows) - 1)
