"""The operations on datasets, API keys and request ids. Knows no thread and no queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mindlog.errors import KeyNotFound
from mindlog.records import ApiKey, Dataset
from mindlog.store.queries import q
from mindlog.store.rows import key_row, to_json
from mindlog.store.transaction import Transaction

__all__ = ["purge_requests", "put_dataset", "put_key", "revoke_key", "touch_keys"]


def put_dataset(tx: Transaction, name: str, timezone: str | None) -> Dataset:
    """Create the dataset or set its zone; nothing is written if it is so already."""
    dataset = tx.dataset(name)
    if dataset is None:
        dataset = tx.create_dataset(name, timezone)
        tx.add_log("dataset_created", dataset.number, None, None, to_json({"name": name, "timezone": timezone}))
    elif dataset.timezone != timezone:
        dataset = replace(dataset, timezone=timezone)
        tx.connection.execute(q.update_dataset, (timezone, dataset.number))
        tx.datasets[name] = dataset
        tx.add_log("dataset_updated", dataset.number, None, None, to_json({"name": name, "timezone": timezone}))
    return dataset


def put_key(tx: Transaction, key: ApiKey, secret_hash: bytes) -> None:
    """Add an API key."""
    tx.connection.execute(q.insert_key, key_row(key, secret_hash))
    tx.api_keys[secret_hash] = key


def _keys(tx: Transaction) -> dict[str, tuple[bytes, ApiKey]]:
    merged = {**tx.known.keys, **tx.api_keys}
    return {key.id: (secret_hash, key) for secret_hash, key in merged.items()}


def revoke_key(tx: Transaction, key_id: str, at: int) -> ApiKey:
    """Revoke the key; the first revocation stands. Raises `KeyNotFound`."""
    found = _keys(tx).get(key_id)
    if found is None:
        raise KeyNotFound(f"key_id: there is no API key {key_id!r}", field="key_id")
    secret_hash, key = found
    if key.revoked_at is None:
        key = replace(key, revoked_at=at)
        tx.connection.execute(q.revoke_key, (at, key_id))
        tx.api_keys[secret_hash] = key
    return key


def touch_keys(tx: Transaction, used: Mapping[str, int]) -> None:
    """Move the keys' last use forward; unknown keys are passed over."""
    keys = _keys(tx)
    for key_id, at in used.items():
        if key_id not in keys:
            continue
        secret_hash, key = keys[key_id]
        if key.last_used_at is None or key.last_used_at < at:
            tx.connection.execute(q.touch_key, (at, key_id))
            tx.api_keys[secret_hash] = replace(key, last_used_at=at)


def purge_requests(tx: Transaction, before: int, limit: int) -> int:
    """Drop the request ids older than the instant among the `limit` oldest; returns how many."""
    tx.flush()
    tx.connection.execute(q.purge_requests, (limit, before))
    return tx.connection.changes()
