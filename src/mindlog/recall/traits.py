"""Facts of a text that ranking needs and no index keeps, worked out when first asked for and remembered by row."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from mindlog.index.catalog import View
from mindlog.store.base import Store

__all__ = ["Traits"]

_UNKNOWN = -1
_TAIL = 60  # characters: a turn that ends in a question is answered by the next one


class Traits:
    """Whether texts ask, one byte a row."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asks: NDArray[np.int8] = np.empty(0, np.int8)
        self._growing = Lock()

    def asks(self, view: View, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return 1 for each row whose text ends with a question, else 0."""
        known = self._sized(view.length)
        unknown = rows[known[rows] == _UNKNOWN]
        if unknown.size:
            row_of = dict(zip(view.slot[unknown].tolist(), unknown.tolist(), strict=True))
            for item in self._store.index_texts(list(row_of)):
                known[row_of[item.slot]] = "?" in item.text[-_TAIL:]
        return (known[rows] == 1).astype(np.float32)

    def _sized(self, length: int) -> NDArray[np.int8]:
        with self._growing:
            if len(self._asks) < length:
                grown = np.full(max(length, 2 * len(self._asks)), _UNKNOWN, np.int8)
                grown[: len(self._asks)] = self._asks
                self._asks = grown
            return self._asks
