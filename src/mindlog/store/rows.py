"""Between rows and records: the column orders of the named statements, blobs and JSON. Knows no connection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindlog.errors import InvalidInput, StoreDamaged
from mindlog.ids import MemoryId
from mindlog.records import ApiKey, Memory, MemoryKind, MemoryState, Revision, Scope
from mindlog.store.base import CatalogRow, LogRow
from mindlog.store.connect import Row

__all__ = [
    "api_key",
    "catalog_row",
    "checked_states",
    "checked_vectors",
    "from_json",
    "key_row",
    "log_row",
    "memory",
    "revision",
    "states_from",
    "to_json",
    "vectors_from",
]

_EMPTY: Mapping[str, Any] = MappingProxyType({})
_KINDS = {kind.value: kind for kind in MemoryKind}
_FLOAT32 = np.dtype("<f4")
_INT8 = np.dtype(np.int8)
_dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def to_json(value: Mapping[str, Any], field: str = "metadata") -> str:
    """Return compact JSON. `InvalidInput` on `field` for what JSON cannot carry."""
    if not value:
        return "{}"
    try:
        return _dumps(dict(value))
    except (TypeError, ValueError) as exc:
        raise InvalidInput(f"{field}: cannot be written as JSON: {exc}", field=field) from exc


def from_json(text: str) -> Mapping[str, Any]:
    """Return the object; empty ones are one shared read-only mapping."""
    return _EMPTY if text == "{}" else json.loads(text)


def checked_vectors(vectors: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """Return the vectors as contiguous little-endian float32 rows, or raise `InvalidInput`."""
    if vectors.ndim != 2 or vectors.shape[1] != dimensions or not vectors.shape[0]:
        raise InvalidInput(f"vector: has shape {vectors.shape}, the store holds rows of {dimensions}", field="vector")
    return np.ascontiguousarray(vectors, dtype=_FLOAT32)


def checked_states(states: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the token states as contiguous int8 rows, or raise `InvalidInput`."""
    if states.ndim != 2 or not states.shape[1]:
        raise InvalidInput(f"states: have shape {states.shape}, not (tokens, width)", field="states")
    return np.ascontiguousarray(states, dtype=_INT8)


def vectors_from(blob: bytes, dimensions: int) -> NDArray[np.float32]:
    """Return (windows, dimensions) rows. `StoreDamaged` if the blob is no whole number of them."""
    if not blob or len(blob) % (4 * dimensions):
        raise StoreDamaged(f"a vector of {len(blob)} bytes is not made of rows of {dimensions}")
    return np.frombuffer(blob, dtype=_FLOAT32).reshape(-1, dimensions)


def states_from(blob: bytes, width: int) -> NDArray[np.int8]:
    """Return (tokens, width) states. `StoreDamaged` if the blob is no whole number of them."""
    if width < 1 or len(blob) % width:
        raise StoreDamaged(f"token states of {len(blob)} bytes are not made of rows of {width}")
    return np.frombuffer(blob, dtype=_INT8).reshape(-1, width)


def memory(row: Row) -> Memory:
    """Return the memory of a row of `current_memories` and its like."""
    slot, version, current, dataset, agent, session, kind, salience, occurred_at, created_at, recorded_at = row[:11]
    lsn, metadata, document_id, forgotten_at, text = row[11:]
    return Memory(
        id=MemoryId(0, slot, version),
        is_current=version == current,
        text=text,
        dataset=dataset,
        agent=agent,
        session=session,
        kind=_KINDS[kind],
        salience=salience,
        occurred_at=occurred_at,
        created_at=created_at,
        recorded_at=recorded_at,
        lsn=lsn,
        metadata=from_json(metadata),
        document_id=document_id,
        state=MemoryState.LIVE if forgotten_at is None else MemoryState.FORGOTTEN,
    )


def revision(row: Row) -> Revision:
    """Return the revision of a row of `newest_revisions`."""
    found, characters = memory(row[:-1]), row[-1]
    facts = {field.name: getattr(found, field.name) for field in fields(Memory)}
    return Revision(**facts, characters=characters, is_cut=characters > len(found.text))


def catalog_row(row: Row) -> CatalogRow:
    """Return the facts of a row of `walk_catalog`."""
    slot, version, lsn, dataset, agent, session, kind, document_id, occurred_at, created_at, salience = row[:11]
    asks, metadata, forgotten_at = row[11:]
    return CatalogRow(
        slot=slot,
        version=version,
        lsn=lsn,
        dataset=dataset,
        agent=agent,
        session=session,
        kind=kind,
        document_id=document_id,
        occurred_at=occurred_at,
        created_at=created_at,
        salience=salience,
        asks=bool(asks),
        metadata=from_json(metadata),
        state=MemoryState.LIVE if forgotten_at is None else MemoryState.FORGOTTEN,
    )


def log_row(row: Row) -> LogRow:
    """Return the entry of a row of `read_log`."""
    lsn, at, kind, dataset, slot, version, payload = row
    return LogRow(lsn=lsn, at=at, type=kind, dataset=dataset, slot=slot, version=version, payload=from_json(payload))


def api_key(row: Row) -> ApiKey:
    """Return the key of a row of `load_keys`, without its first column."""
    identity, name, prefix, scopes, datasets, created_at, last_used_at, revoked_at = row
    return ApiKey(
        id=identity,
        name=name,
        prefix=prefix,
        scopes=frozenset(map(Scope, json.loads(scopes))),
        datasets=None if datasets is None else frozenset(json.loads(datasets)),
        created_at=created_at,
        last_used_at=last_used_at,
        revoked_at=revoked_at,
    )


def key_row(key: ApiKey, secret_hash: bytes) -> Row:
    """Return the row of `insert_key`."""
    scopes = json.dumps(sorted(key.scopes))
    datasets = None if key.datasets is None else json.dumps(sorted(key.datasets), ensure_ascii=False)
    times = (key.created_at, key.last_used_at, key.revoked_at)
    return (key.id, key.name, key.prefix, secret_hash, scopes, datasets, *times)
