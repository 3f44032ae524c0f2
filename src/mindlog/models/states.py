"""Token states made small for late interaction: projected on a fixed basis, scaled to unit length, kept as int8.

Owns that format. Knows no model and no scoring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mindlog.errors import ModelDamaged

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["LEVELS", "StateBasis"]

LEVELS = 127
"""A state's length: a dot product of two states divided by LEVELS² is their cosine."""


class StateBasis:
    """The (hidden, state dimensions) float32 matrix that token states are projected on."""

    def __init__(self, matrix: NDArray[np.float32]) -> None:
        self._matrix = np.ascontiguousarray(matrix, dtype=np.float32)

    @classmethod
    def load(cls, path: Path, *, hidden: int) -> StateBasis:
        """Read a basis file.

        Raises:
            ModelDamaged: it is not an array of `hidden` finite rows.
        """
        try:
            matrix = np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as exc:
            raise ModelDamaged(f"{path.name} is not a readable array: {exc}") from exc
        if matrix.ndim != 2 or matrix.shape[0] != hidden or not np.isfinite(matrix).all():
            raise ModelDamaged(f"{path.name} has shape {matrix.shape}, expected {hidden} finite rows")
        return cls(matrix)

    @property
    def dimensions(self) -> int:
        """Width of a compressed state."""
        return int(self._matrix.shape[1])

    def compress(self, states: NDArray[np.float32]) -> NDArray[np.int8]:
        """(tokens, hidden) float32 → (tokens, dimensions) int8: round(127 × projected / its length)."""
        projected = states @ self._matrix
        lengths = np.linalg.norm(projected, axis=1, keepdims=True)
        return np.rint(projected * (LEVELS / np.maximum(lengths, 1e-12))).astype(np.int8)
