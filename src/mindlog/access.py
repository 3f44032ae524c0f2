"""Who is asking, and what they may touch. Owns API key secrets and the caller's checks; knows no HTTP and no store.

A key's secret is `ml_sk_` and 43 characters; stores keep only its SHA-256 (256 random bits need no slow hash).
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from mindlog.errors import Forbidden
from mindlog.records import ApiKey, Scope

__all__ = ["LOCAL", "Caller", "hash_secret", "new_secret"]

PREFIX = "ml_sk_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller's scopes and datasets; `datasets` None means all."""

    scopes: frozenset[Scope]
    datasets: frozenset[str] | None = None
    key_id: str | None = None

    def sees(self, dataset: str) -> bool:
        """Whether the caller may touch the dataset at all."""
        return self.datasets is None or dataset in self.datasets

    def require(self, scope: Scope, dataset: str | None = None) -> None:
        """Raise `Forbidden` unless the caller has the scope and, if one is named, the dataset."""
        if scope not in self.scopes:
            raise Forbidden(f"this needs the scope {scope}")
        if dataset is not None and not self.sees(dataset):
            # The same answer whether the dataset exists or not.
            raise Forbidden(f"dataset: this key may not touch {dataset!r}", field="dataset")

    @classmethod
    def of(cls, key: ApiKey) -> Caller:
        """Return the caller behind a key. `admin` includes `write`, which includes `read`."""
        scopes = set(key.scopes)
        if Scope.ADMIN in scopes:
            scopes.add(Scope.WRITE)
        if Scope.WRITE in scopes:
            scopes.add(Scope.READ)
        return cls(scopes=frozenset(scopes), datasets=key.datasets, key_id=key.id)


LOCAL = Caller(scopes=frozenset(Scope))
"""Whoever runs the process: everything."""


def new_secret() -> str:
    """Return a new secret of 256 random bits."""
    return PREFIX + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> bytes:
    """Return the 32 bytes a store keeps of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
