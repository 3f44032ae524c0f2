"""An HNSW graph over the windows of a moment: built once, searched, thrown away. Never written to disk.

Owns what the graph covers and when it is worn out; knows nothing of filters or of what came after it was built.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindlog.index import cascade
from mindlog.index.arena import Part, RowsOf
from mindlog.index.kernels import Probe

__all__ = ["Graph"]

_AT_ONCE = 1024
_LEAST_NEAR = 128
_NEAR_PER_HIT = 6
_SAMPLE = 32
_SAMPLE_HITS = 10
_LEAST_RECALL = 0.95  # against the cascade; the exact scoring that follows only orders what the graph finds
_WORN = 0.25  # the share of rows that came or went since


class Graph:
    """Rows near a vector, approximately: the caller scores them and searches the rows that are not covered."""

    def __init__(self, index: Any, covered: NDArray[np.bool_]) -> None:
        self._index = index
        self.covered = covered  # by row
        self.rows = int(np.count_nonzero(covered))

    @classmethod
    def build(cls, parts: Sequence[Part], rows_of: RowsOf, dimensions: int, stop: Event) -> Graph | None:
        """Build a graph of the current revisions in the parts; None if `stop` was set meanwhile."""
        # Imported here: most stores never need it. onnxruntime goes first: after usearch it would crash the process, see
        # mindlog.models.runtime.
        import onnxruntime as _  # noqa: F401
        from usearch.compiled import MetricKind, ScalarKind
        from usearch.index import Index

        # The codes go in as they are: cosine does not see the scale each vector was quantised with.
        index = Index(ndim=dimensions, metric=MetricKind.Cos, dtype=ScalarKind.I8, multi=True)
        held = [np.empty(0, np.int64)]
        for part in parts:
            windows = part.windows
            rows = rows_of(windows.slots, windows.versions)
            owners = np.repeat(rows, np.diff(windows.starts))
            held.append(rows[rows >= 0])
            for start in range(0, windows.count, _AT_ONCE):
                if stop.is_set():
                    return None
                keys = owners[start : start + _AT_ONCE]
                codes = np.ascontiguousarray(windows.codes[start : start + _AT_ONCE][keys >= 0])
                index.add(keys[keys >= 0], codes, threads=1)
        rows = np.concatenate(held)
        covered = np.zeros(int(rows.max(initial=-1)) + 1, np.bool_)
        covered[rows] = True
        return cls(index, covered)

    def near(self, query: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        """Return rows near the vector, several times k of them, in no order; superseded ones may be among them."""
        count = max(_LEAST_NEAR, _NEAR_PER_HIT * k)
        found = self._index.search(Probe.of(query).codes[0], count, threads=1)
        return np.unique(np.asarray(found.keys).astype(np.int64))

    def is_worn(self, current: NDArray[np.int64]) -> bool:
        """Say whether so many rows came or went that a new graph is due. `current` are the rows of today."""
        known = int(np.count_nonzero(self.covered[current[current < len(self.covered)]]))
        return (len(current) - known) + (self.rows - known) > _WORN * self.rows

    def agrees(self, parts: Sequence[Part]) -> bool:
        """Compare the graph with the cascade on a sample of its own vectors."""
        hits = wanted = 0
        for part in parts:
            step = max(1, part.windows.count // _SAMPLE)
            for query in part.windows.floats[::step][:_SAMPLE]:
                exact = cascade.search(parts, query, self.covered, _SAMPLE_HITS).scores
                found = cascade.exact_scores(parts, query, self.near(query, _SAMPLE_HITS))
                wanted += len(exact)
                # By score, not by row: among equal vectors either is right.
                hits += min(len(exact), int(np.count_nonzero(found >= exact.min(initial=1))))
        return hits >= _LEAST_RECALL * wanted
