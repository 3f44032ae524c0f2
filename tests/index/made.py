"""Catalog rows, vectors and a store with memories, made for the index tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from mindlog.ids import MemoryId
from mindlog.records import MemoryEdit, MemoryKind, MemoryState, NewMemory
from mindlog.store.base import CatalogRow, ModelStamp
from mindlog.store.sqlite import SqliteStore

# For property tests on a busy machine: slowness is no failure.
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
DIMENSIONS = 32
MODEL = ModelStamp(name="made", fingerprint="f" * 16, dimensions=DIMENSIONS)


def row(slot: int, version: int = 1, **facts: Any) -> CatalogRow:
    given: dict[str, Any] = {
        "slot": slot,
        "version": version,
        "lsn": slot + version,
        "dataset": 1,
        "agent": None,
        "session": None,
        "kind": "episodic",
        "document_id": None,
        "occurred_at": 1000 + slot,
        "created_at": 1000 + slot,
        "salience": 0.5,
        "metadata": {},
        "state": MemoryState.LIVE,
    }
    return CatalogRow(**{**given, **facts})


def unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    found = np.asarray(vectors, np.float32)
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def clustered(rng: np.random.Generator, count: int, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    """Vectors as an embedder makes them: around topics, with all directions used."""
    topics = rng.standard_normal((max(1, count // 50), dimensions))
    return unit(topics[rng.integers(len(topics), size=count)] + 0.6 * rng.standard_normal((count, dimensions)))


def vector_of(text: str, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    seed = int.from_bytes(blake3(text.encode()).digest()[:4], "little")
    return unit(np.random.default_rng(seed).standard_normal((1, dimensions)))


def open_store(directory: Path) -> SqliteStore:
    return SqliteStore.open(directory, model=MODEL)


def memory(store: SqliteStore, text: str, **facts: Any) -> NewMemory:
    given: dict[str, Any] = {
        "slot": store.reserve(),
        "dataset": "d",
        "agent": None,
        "session": None,
        "text": text,
        "fingerprint": blake3(text.encode()).digest(),
        "dedup_key": None,
        "kind": MemoryKind.EPISODIC,
        "salience": 0.5,
        "occurred_at": None,
        "metadata": {},
        "document_id": None,
        "vectors": vector_of(text),
        "states": None,
    }
    return NewMemory(**{**given, **facts})


def edit(base: MemoryId, text: str, metadata: Mapping[str, Any] | None = None) -> MemoryEdit:
    return MemoryEdit(
        base=base,
        text=text,
        fingerprint=blake3(text.encode()).digest(),
        dedup_key=None,
        kind=MemoryKind.EPISODIC,
        salience=0.5,
        occurred_at=5000,
        metadata=metadata or {},
        vectors=vector_of(text),
        states=None,
    )
