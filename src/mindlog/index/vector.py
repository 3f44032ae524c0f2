"""The vector index: the vectors of all revisions, searched exactly, in segments on disk and a tail in memory.

Owns what is where and the background folding; knows no text and no store. One writer adds; any thread searches.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event, Lock

import numpy as np
from numpy.typing import NDArray

from mindlog.index import cascade
from mindlog.index.arena import Part, RowsOf, Tail, build
from mindlog.index.base import Candidates, IndexState
from mindlog.index.hnsw import Graph
from mindlog.index.kernels import Probe, dots
from mindlog.index.segments import Picked, SegmentStore

__all__ = ["VectorIndex"]

Floats = NDArray[np.float32]
TAIL_BYTES = 48 << 20  # float32 capacity of one tail; a full one is set aside for the next fold and another begins
_STALE_SHARE = 0.3  # a segment of which more is superseded is written anew
_UNFILTERED = 0.9  # of the graph's rows allowed: fewer, and the cascade is faster and misses nothing
_REFUSED_GROWTH = 1.25  # times as many rows before a graph is tried again
_TIER = 2  # a segment up to so many times the size of what is being folded is folded with it


class VectorIndex:
    """Vectors by catalog row. Every method but `fold` and `close` takes microseconds to milliseconds."""

    def __init__(
        self, segments: SegmentStore, parts: Sequence[Part], dimensions: int, lsn: int, refused: str | None
    ) -> None:
        self._segments = segments
        self._dimensions = dimensions
        self._lsn = lsn
        self._refused = refused
        self._rows_of: RowsOf = _nothing
        self._lock = Lock()  # for the layout; held for microseconds
        self._folding = Lock()
        self._graph: Graph | None = None
        self._refused_rows = 0  # how many there were when a graph was last found wanting
        # The parts that no longer change, and the tail: replaced together, so that no reader misses a window between.
        self._layout: tuple[tuple[Part, ...], Tail] = (tuple(parts), self._new_tail())

    @classmethod
    def open(cls, directory: Path, *, dimensions: int, model: str) -> VectorIndex:
        """Read the segments that are whole; what the others held is simply not covered. Creates the directory."""
        segments = SegmentStore(directory, dimensions, model)
        found, refused = segments.open()
        nowhere = [np.full(segment.windows.memories, -1, np.int64) for segment in found]
        parts = [Part.of(segment.windows, rows, segment.name) for segment, rows in zip(found, nowhere, strict=True)]
        lsn = min((segment.lsn for segment in found), default=0)
        return cls(segments, parts, dimensions, lsn, "; ".join(refused) or None)

    def attach(self, rows_of: RowsOf) -> None:
        """Tie the segments to catalog rows; `rows_of` also tells later which revisions are no longer current."""
        self._rows_of = rows_of
        parts, tail = self._layout
        self._layout = (tuple(part.attached(rows_of) for part in parts), tail)

    def known(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the revisions held, as slots and versions; superseded ones may be among them."""
        windows = [part.windows for part in self._parts()]
        slots = [np.empty(0, np.int64), *(w.slots for w in windows)]
        return np.concatenate(slots), np.concatenate([np.empty(0, np.uint32), *(w.versions for w in windows)])

    def covered(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for each row whether its vectors are here."""
        found = np.zeros(len(rows), np.bool_)
        for part in self._parts():
            found |= part.find(rows) >= 0
        return found

    def add(
        self,
        rows: NDArray[np.int64],
        slots: NDArray[np.int64],
        versions: NDArray[np.uint32],
        vectors: Sequence[Floats],
    ) -> None:
        """Make memories searchable. Rows rise over all calls; each memory has at least one window."""
        if not len(rows):
            return
        with self._lock:
            parts, tail = self._layout
            windows = sum(map(len, vectors))
            if not tail.has_room(len(rows), windows):
                parts = (*parts, tail.part()) if tail.count else parts
                tail = self._new_tail(max(windows, len(rows)))
            tail.add(rows, slots, versions, vectors)
            self._layout = (parts, tail)

    def load(
        self,
        rows: NDArray[np.int64],
        slots: NDArray[np.int64],
        versions: NDArray[np.uint32],
        vectors: Sequence[Floats],
    ) -> None:
        """Make memories searchable beside the writer: rows in any order, none of them here yet."""
        if not len(rows):
            return
        part = build(self._dimensions, rows, slots, versions, vectors)
        with self._lock:
            parts, tail = self._layout
            self._layout = ((*parts, part), tail)

    def search(self, query: Floats, allowed: NDArray[np.bool_], k: int) -> Candidates:
        """Return the k rows of the mask that are nearest by their best window; every one if there are fewer."""
        graph, parts = self._graph, self._parts()
        if graph is None or np.count_nonzero(allowed) < _UNFILTERED * graph.rows:
            return cascade.search(parts, query, allowed, k)
        near = graph.near(query, k)
        near = near[(near < len(allowed)) & allowed.take(near, mode="clip")]
        if len(near) < k:
            return cascade.search(parts, query, allowed, k)
        later = allowed.copy()
        later[: len(graph.covered)] &= ~graph.covered[: len(later)]
        fresh = cascade.search(parts, query, later, k)
        scores = cascade.exact_scores(parts, query, near)
        return cascade.top(np.concatenate((near, fresh.rows)), np.concatenate((scores, fresh.scores)), k)

    def search_roughly(self, query: Floats, allowed: NDArray[np.bool_], k: int) -> Candidates:
        """Return about the k nearest rows of the mask with about their cosines: see `cascade.search_roughly`."""
        return cascade.search_roughly(self._parts(), query, allowed, k)

    def scores(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        """Return the cosine of each row's best window, 0 for a row that is not here."""
        return cascade.exact_scores(self._parts(), query, rows)

    def window_counts(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many windows each row has, 0 for a row that is not here."""
        counts = np.zeros(len(rows), np.int64)
        for part in self._parts():
            memories = part.find(rows)
            here = memories >= 0
            starts = part.windows.starts
            counts[here] = starts[memories[here] + 1] - starts[memories[here]]
        return counts

    def window_of(self, query: Floats, row: int) -> int:
        """Return which of the row's windows is nearest, from 0; 0 too for a row that is not here."""
        for part in self._parts():
            memory = int(part.find(np.array([row]))[0])
            if memory >= 0:
                first, end = part.windows.starts[memory : memory + 2]
                return int(np.argmax(dots(part.windows.floats[first:end], Probe.of(query))))
        return 0

    @property
    def unfolded(self) -> int:
        """How many windows are in memory only."""
        return sum(part.windows.count for part in self._parts() if part.segment is None)

    def fold(self, lsn: int) -> bool:
        """Write what is in memory only into a segment, with small or stale segments; say whether anything was done.

        `lsn` is one up to which all changes have been added. Searches and additions go on meanwhile.
        """
        with self._folding:
            sources = self._sources()
            if sources:
                self._replace(sources, self._written(sources, lsn))
            self._lsn = lsn
            return bool(sources)

    checkpoint = fold

    def _sources(self) -> list[Part]:
        with self._lock:
            parts, tail = self._layout
            if tail.count:
                parts = (*parts, tail.part())
                self._layout = (parts, self._new_tail())
        sources = [part for part in parts if part.segment is None or part.stale(self._rows_of) > _STALE_SHARE]
        size = sum(part.windows.count for part in sources)
        for part in sorted(parts, key=lambda part: part.windows.count):
            if size and part not in sources and part.windows.count <= _TIER * size:
                sources.append(part)
                size += part.windows.count
        return sources

    def _written(self, sources: Sequence[Part], lsn: int) -> list[Part]:
        picked = [_current(part, self._rows_of) for part in sources]
        picked.sort(key=lambda some: int(some.windows.slots[some.memories[0]]) if len(some.memories) else -1)
        if not any(len(some.memories) for some in picked):
            return []
        segment = self._segments.write(picked, [part.segment for part in sources if part.segment], lsn)
        rows = self._rows_of(segment.windows.slots, segment.windows.versions)
        return [Part.of(segment.windows, rows, segment.name)]

    def _replace(self, sources: Sequence[Part], written: list[Part]) -> None:
        gone = {id(part) for part in sources}
        with self._lock:
            parts, tail = self._layout
            kept = [part for part in parts if id(part) not in gone]
            self._layout = ((*kept, *written), tail)
        for part in sources:
            if part.segment:
                self._segments.remove(part.segment)

    def wants_graph(self, current: NDArray[np.int64], threshold: int) -> bool:
        """Say whether `tend_graph` would do something. `current` are the rows of today."""
        if self._graph:
            return len(current) <= threshold or self._graph.is_worn(current)
        return len(current) > max(threshold, int(self._refused_rows * _REFUSED_GROWTH))

    def tend_graph(self, current: NDArray[np.int64], threshold: int, stop: Event) -> None:
        """Build the graph for large unfiltered searches if `current`, the rows of today, are more than the threshold.

        A graph that is worn is replaced, one that disagrees with the cascade is not used. Takes long; searches and
        additions go on.
        """
        if not self.wants_graph(current, threshold):
            return
        self._graph = None
        if len(current) <= threshold:
            return
        parts = self._parts()
        graph = Graph.build(parts, self._rows_of, self._dimensions, stop)
        if graph is not None and graph.agrees(parts):
            self._graph = graph
        elif graph is not None:
            self._refused_rows = len(current)

    @property
    def has_graph(self) -> bool:
        """Whether large unfiltered searches go by the graph."""
        return self._graph is not None

    def state(self) -> IndexState:
        """Return how the index is; whether rows are missing is the caller's to know."""
        rows = sum(part.windows.memories for part in self._parts())
        return IndexState(
            name="vectors", state="ready", rows=rows, tail=self.unfolded, checkpoint_lsn=self._lsn, detail=self._refused
        )

    def close(self) -> None:
        """Let go of the mapped files."""
        with self._folding, self._lock:
            self._graph = None
            self._layout = ((), Tail(self._dimensions, 1))

    def _new_tail(self, need: int = 1) -> Tail:
        return Tail(self._dimensions, max(need, TAIL_BYTES // (4 * self._dimensions)))

    def _parts(self) -> list[Part]:
        parts, tail = self._layout
        last = tail.part()
        return [*parts, last] if last.windows.count else list(parts)


def _nothing(slots: NDArray[np.int64], versions: NDArray[np.uint32]) -> NDArray[np.int64]:
    return np.full(len(slots), -1, np.int64)


def _current(part: Part, rows_of: RowsOf) -> Picked:
    """Pick the memories whose revision is current, by rising slot: after a restart rows rise with slots."""
    windows = part.windows
    rows = rows_of(windows.slots, windows.versions)
    memories = np.flatnonzero(rows >= 0)
    return Picked(windows, memories[np.argsort(windows.slots[memories], kind="stable")])
