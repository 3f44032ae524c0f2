"""What the index package shares: the shapes its parts pass to each other. Knows no store and no model.

A catalog *row* is an ordinal: each current revision takes the next one, an edit takes a new one and the old row dies.
Rows live in memory only; segments on disk name a revision by (slot, version).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Candidates", "IndexState"]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows with one lane's scores, best first; ties by rising row. Each row appears once."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """How an index is, for health: `rebuilding` still answers, from less than everything, and so does `degraded`, for good."""

    name: str
    state: Literal["ready", "rebuilding", "degraded", "failed"]
    rows: int
    tail: int
    checkpoint_lsn: int
    detail: str | None = None
