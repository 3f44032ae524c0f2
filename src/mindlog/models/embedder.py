"""The seam every embedder stands behind: texts in, unit vectors of their windows (and token states) out.

Owns the words of that contract and the check that a result keeps it. Knows no runtime, no file and no network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from mindlog.errors import EmbedderFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["EmbedKind", "Embedder", "TextEmbedding", "check_embeddings"]

EmbedKind = Literal["document", "query"]

_UNIT_TOLERANCE = 1e-3


# Not frozen: one is made for every write, and freezing costs a write 1 to 2 µs each. Treated as a value all the same.
@dataclass(slots=True, kw_only=True, eq=False)
class TextEmbedding:
    """What one text became. Arrays are read-only: cached results are shared between callers.

    vectors: (windows, dimensions) float32, C-contiguous, every row of length 1; at least one row.
    windows: character span [start, end) of each row's window; in order, together covering the whole text.
    states: (tokens, state dimensions) int8, one row per token of all windows in order, without [CLS] and [SEP];
        each row is round(127 × unit vector), so a dot product divided by 127² is a cosine. None: no token states.
    state_spans: (tokens, 2) int32, the characters [start, end) of each state's token; None with no states.
    """

    vectors: NDArray[np.float32]
    windows: tuple[tuple[int, int], ...]
    states: NDArray[np.int8] | None = None
    state_spans: NDArray[np.int32] | None = None


class Embedder(Protocol):
    """Turns texts into vectors. A result depends on its own text (and kind) alone, never on its neighbours in a call."""

    @property
    def name(self) -> str:
        """The model's name, for people."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hex BLAKE3 of what decides the vectors: weights, tokenizer, pooling, window settings."""
        ...

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        """One embedding per text, in order.

        Raises:
            EmbedderFailed: the model refused, failed or answered with something that is no embedding.
            InvalidInput: a text is empty or not valid Unicode.
        """
        ...

    async def aclose(self) -> None:
        """Finish what was started and release threads and connections. Safe to call twice."""
        ...


def check_embeddings(embeddings: Sequence[TextEmbedding], *, count: int, dimensions: int) -> None:
    """Raise EmbedderFailed unless there are `count` embeddings of finite unit vectors with `dimensions` columns."""
    if len(embeddings) != count:
        raise EmbedderFailed(f"the embedder answered {len(embeddings)} vectors for {count} texts", retryable=False)
    for index, embedding in enumerate(embeddings):
        fault = _fault(embedding, dimensions)
        if fault:
            raise EmbedderFailed(f"the embedder's answer to text {index} {fault}", retryable=False)


def _fault(embedding: TextEmbedding, dimensions: int) -> str | None:
    vectors = embedding.vectors
    if vectors.ndim != 2 or vectors.shape[0] == 0 or vectors.shape[0] != len(embedding.windows):
        return f"has vectors of shape {vectors.shape} for {len(embedding.windows)} windows"
    if vectors.shape[1] != dimensions:
        return f"has {vectors.shape[1]} dimensions, expected {dimensions}"
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    if (np.abs(lengths - 1.0) <= _UNIT_TOLERANCE).all():
        return None
    if not np.isfinite(lengths).all():
        return "holds NaN or infinity"
    return f"holds a vector of length {float(lengths[np.abs(lengths - 1.0).argmax()]):.4g}, expected 1"
