"""The verbs of datasets, API keys and the engine as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "NewKey",
    "PutDataset",
    "create_key",
    "datasets",
    "health",
    "keys",
    "put_dataset",
    "revoke_key",
    "settled",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PutDataset:
    """A dataset to create or to give a zone."""

    name: str
    timezone: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """An API key to create."""

    name: str
    scopes: tuple[str, ...]
    datasets: tuple[str, ...] | None


def datasets(*, sizes: bool = False) -> bool:
    """Return the datasets, by name; `sizes`: with how many memories, documents, entities and statements each holds."""
    return sizes


def put_dataset(name: str, *, timezone: str | None = None) -> PutDataset:
    """Create a dataset, or set the IANA zone that its naive times are taken in."""
    return PutDataset(name=name, timezone=timezone)


def create_key(name: str, *, scopes: Iterable[str], datasets: Iterable[str] | None = None) -> NewKey:
    """Create an API key with scopes (`read`, `write`, `admin`) and datasets (None: all); returns it with its secret.

    The secret is shown this once and never stored.
    """
    return NewKey(name=name, scopes=tuple(scopes), datasets=None if datasets is None else tuple(datasets))


def keys() -> None:
    """Return the API keys, newest first, without their secrets."""


def revoke_key(key_id: str) -> str:
    """Revoke an API key at once.

    Raises:
        KeyNotFound: there is no such key.
    """
    return key_id


def health() -> None:
    """Say how the engine is: whether it is ready, and why not."""


def settled(timeout: float | None = None) -> float | None:
    """Wait until all that was written is derived; False if `timeout` seconds passed first, or nobody derives there.

    What failed and is to be tried again later is not waited for.
    """
    return timeout
