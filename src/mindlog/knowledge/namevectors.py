"""The name vectors of datasets, kept in memory for whoever looks for names that mean the same. Fed by the store's ids.

Bounded: what is beyond the bound is not searched, and says so. Knows no entity but its id and no embedder.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mindlog.store.graph import GraphStore

__all__ = ["NameVectors"]

_MOST = 50_000  # names in memory, of all datasets: 77 MB at 384 dimensions


@dataclass(slots=True)
class _Names:
    ids: list[int] = field(default_factory=list[int])
    blocks: list[NDArray[np.float32]] = field(default_factory=list["NDArray[np.float32]"])
    is_too_large: bool = False

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        self.ids.extend(ids.tolist())
        self.blocks.append(vectors)
        # Names come one by one: blocks double in size, so that a search sees few and adding stays cheap.
        while len(self.blocks) > 1 and len(self.blocks[-2]) <= 2 * len(self.blocks[-1]):
            last = self.blocks.pop()
            self.blocks[-1] = np.concatenate((self.blocks[-1], last))


class NameVectors:
    """The names of the datasets that were asked for last. Safe to use from any thread; one dataset at a time is its caller's care."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._datasets: OrderedDict[int, _Names] = OrderedDict()
        self._guard = threading.Lock()

    def near(
        self, store: GraphStore, dataset: int, vectors: NDArray[np.float32], least: float, count: int
    ) -> list[list[tuple[int, float]]] | None:
        """Return for every vector (n, d) up to `count` entity ids with a cosine of at least `least`, best first.

        None if the dataset has more names than are kept.
        """
        with self._guard:
            names = self._caught_up(store, dataset)
            if names is None:
                return None
            ids, blocks = np.array(names.ids, dtype=np.int64), list(names.blocks)
        if not blocks:
            return [[] for _ in vectors]
        cosines = np.concatenate([block @ vectors.T for block in blocks])
        return [_best(ids, cosines[:, each], least, count) for each in range(len(vectors))]

    def _caught_up(self, store: GraphStore, dataset: int) -> _Names | None:
        names = self._datasets.setdefault(dataset, _Names())
        self._datasets.move_to_end(dataset)
        if names.is_too_large:
            return None
        ids, vectors = store.entity_vectors(dataset, names.ids[-1] if names.ids else 0, self._most - len(names.ids) + 1)
        if len(names.ids) + len(ids) > self._most:
            self._datasets[dataset] = _Names(is_too_large=True)
            return None
        if len(ids):
            names.add(ids, vectors)
        while sum(len(each.ids) for each in self._datasets.values()) > self._most:
            self._datasets.popitem(last=False)
        return names


def _best(ids: NDArray[np.int64], cosines: NDArray[np.float32], least: float, count: int) -> list[tuple[int, float]]:
    rows = np.flatnonzero(cosines >= least)
    rows = rows[np.lexsort((ids[rows], -cosines[rows]))][:count]
    return [(int(ids[row]), float(cosines[row])) for row in rows]
