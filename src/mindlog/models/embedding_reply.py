"""Reads the body of an `/embeddings` answer into unit vectors and refuses what is none. Knows no transport."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ValidationError

from mindlog.errors import EmbedderFailed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_reply"]


class _Item(BaseModel):
    index: int
    embedding: list[float]


class _Reply(BaseModel):
    data: list[_Item]


def read_reply(body: bytes, *, count: int, dimensions: int | None) -> NDArray[np.float32]:
    """The (count, dimensions) float32 unit vectors in the order of the inputs; any dimensions if None.

    Raises:
        EmbedderFailed: not JSON of that shape, vectors missing or of another length, NaN, infinity or zero.
    """
    try:
        items = _Reply.model_validate_json(body).data
    except ValidationError as exc:
        raise _failure(f"is not an embedding list: {exc.errors()[0]['msg']}") from exc
    if sorted(item.index for item in items) != list(range(count)):
        raise _failure(f"has {len(items)} vectors for {count} texts, or their indexes do not match")
    lengths = {len(item.embedding) for item in items}
    expected = dimensions or min(lengths)
    if lengths != {expected} or not expected:
        raise _failure(f"has vectors of {sorted(lengths)} dimensions, expected {expected}")
    ordered = sorted(items, key=lambda item: item.index)
    return _unit_rows(np.array([item.embedding for item in ordered], dtype=np.float64))


def _unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    if not np.isfinite(rows).all():
        raise _failure("holds NaN or infinity")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-12).any():
        raise _failure("holds a vector without a usable length")
    return (rows / lengths).astype(np.float32)


def _failure(what: str) -> EmbedderFailed:
    return EmbedderFailed(f"the embedding endpoint's answer {what}", retryable=False)
