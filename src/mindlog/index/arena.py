"""Vectors laid out for search: parts that never change, and the tail that grows at the end.

Owns the arrays and which windows belong to which row; knows no file and no search order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mindlog.index.kernels import quantise, signs

__all__ = ["Part", "RowsOf", "Tail", "Windows", "build", "empty_windows"]

RowsOf = Callable[[NDArray[np.int64], NDArray[np.uint32]], NDArray[np.int64]]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Windows:
    """The windows of some memories, memory by memory, in the three forms of the cascade.

    `starts` has one more item than there are memories: those of memory i are `starts[i]` up to `starts[i + 1]`.
    """

    slots: NDArray[np.int64]
    versions: NDArray[np.uint32]
    starts: NDArray[np.int64]
    bits: NDArray[np.uint64]
    codes: NDArray[np.int8]
    scales: Floats
    floats: Floats

    @property
    def memories(self) -> int:
        """How many memories."""
        return len(self.slots)

    @property
    def count(self) -> int:
        """How many windows."""
        return len(self.scales)

    def of(self, memories: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the windows of the memories, end to end, and how many each has."""
        first = self.starts[memories]
        lengths = self.starts[memories + 1] - first
        return np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum())), lengths


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Windows tied to catalog rows.

    rows: the row of each memory, -1 if its revision is no longer current. owners: the row of each window.
    base: the first row if each memory has one window and the rows are consecutive: then a mask is a slice.
    order: the memories with a row, by rising row; None if `rows` itself rises and has no -1. known: their rows.
    segment: the directory the windows are mapped from, None while they are in memory only.
    """

    windows: Windows
    rows: NDArray[np.int64]
    owners: NDArray[np.int64]
    base: int | None
    order: NDArray[np.int64] | None
    known: NDArray[np.int64]
    segment: str | None = None

    @classmethod
    def of(cls, windows: Windows, rows: NDArray[np.int64], segment: str | None = None) -> Part:
        """Tie windows to rows."""
        rising = bool((rows >= 0).all() and (np.diff(rows) > 0).all())
        single = windows.count == windows.memories
        consecutive = rising and single and len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1
        order = None if rising else _sorted_known(rows)
        return cls(
            windows=windows,
            rows=rows,
            owners=rows if single else np.repeat(rows, np.diff(windows.starts)),
            base=int(rows[0]) if consecutive else None,
            order=order,
            known=rows if order is None else rows[order],
            segment=segment,
        )

    def attached(self, rows_of: RowsOf) -> Part:
        """Return the part with its rows as they are now."""
        return Part.of(self.windows, rows_of(self.windows.slots, self.windows.versions), self.segment)

    def allowed(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Say for each window whether its row is in the mask; rows the mask does not reach are not."""
        if self.base is None:
            found = mask.take(self.owners, mode="clip") if len(mask) else np.zeros(len(self.owners), np.bool_)
            found &= (self.owners >= 0) & (self.owners < len(mask))
            return found
        found = mask[self.base : self.base + self.windows.count]
        if len(found) < self.windows.count:
            found = np.concatenate((found, np.zeros(self.windows.count - len(found), np.bool_)))
        return found

    def find(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the memory of each row, -1 for rows that are not here."""
        known = self.known
        if not len(known):
            return np.full(len(rows), -1, np.int64)
        place = rows - self.base if self.base is not None else np.searchsorted(known, rows)
        inside = (place >= 0) & (place < len(known))
        place = np.where(inside, place, 0)
        place = np.where(inside & (known[place] == rows), place, -1)
        return place if self.order is None else np.where(place >= 0, self.order[place], -1)

    def stale(self, rows_of: RowsOf) -> float:
        """Return the share of memories whose revision is no longer current."""
        rows = rows_of(self.windows.slots, self.windows.versions)
        return float(np.count_nonzero(rows < 0)) / max(1, len(rows))


def _sorted_known(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    known = np.flatnonzero(rows >= 0)
    return known[np.argsort(rows[known], kind="stable")]


def empty_windows(dimensions: int, memories: int, windows: int) -> Windows:
    """Return room for so many memories and windows. Untouched room costs address space, not memory."""
    return Windows(
        slots=np.empty(memories, np.int64),
        versions=np.empty(memories, np.uint32),
        starts=np.zeros(memories + 1, np.int64),
        bits=np.empty((-(-dimensions // 64), windows), np.uint64),
        codes=np.empty((windows, dimensions), np.int8),
        scales=np.empty(windows, np.float32),
        floats=np.empty((windows, dimensions), np.float32),
    )


class Tail:
    """Windows that come one batch after another, up to a capacity. One writer; `part()` is for any reader."""

    def __init__(self, dimensions: int, capacity: int) -> None:
        self._windows = empty_windows(dimensions, capacity, capacity)
        self._rows = np.empty(capacity, np.int64)
        self._owners = np.empty(capacity, np.int64)
        self._consecutive = True
        self._sizes = (0, 0)

    @property
    def count(self) -> int:
        """How many windows."""
        return self._sizes[1]

    def has_room(self, memories: int, windows: int) -> bool:
        """Say whether so many more fit."""
        capacity = len(self._rows)
        return self._sizes[0] + memories <= capacity and self._sizes[1] + windows <= capacity

    def add(
        self, rows: NDArray[np.int64], slots: NDArray[np.int64], versions: NDArray[np.uint32], vectors: Sequence[Floats]
    ) -> None:
        """Append memories. Rows must rise, over all calls."""
        lengths = np.array([len(v) for v in vectors], np.int64)
        floats = np.concatenate(vectors)
        m, w = self._sizes
        end, last = m + len(rows), w + len(floats)
        into = self._windows
        into.slots[m:end], into.versions[m:end], self._rows[m:end] = slots, versions, rows
        into.starts[m + 1 : end + 1] = w + np.cumsum(lengths)
        self._owners[w:last] = np.repeat(rows, lengths)
        into.floats[w:last] = floats
        into.codes[w:last], into.scales[w:last] = quantise(floats)
        into.bits[:, w:last] = signs(floats)
        # Before the sizes: whoever sees the new memories must see that they broke the run.
        self._consecutive = self._consecutive and end == last and bool(rows[-1] - self._rows[0] == end - 1)
        self._sizes = (end, last)

    def part(self) -> Part:
        """Return what has been added so far."""
        m, w = self._sizes
        held = self._windows
        base = int(self._rows[0]) if m and self._consecutive else None
        windows = replace(
            held,
            slots=held.slots[:m],
            versions=held.versions[:m],
            starts=held.starts[: m + 1],
            bits=held.bits[:, :w],
            codes=held.codes[:w],
            scales=held.scales[:w],
            floats=held.floats[:w],
        )
        rows = self._rows[:m]
        return Part(windows=windows, rows=rows, owners=self._owners[:w], base=base, order=None, known=rows)


def build(
    dimensions: int,
    rows: NDArray[np.int64],
    slots: NDArray[np.int64],
    versions: NDArray[np.uint32],
    vectors: Sequence[Floats],
) -> Part:
    """Return a part of exactly these memories, in any order of rows."""
    count = sum(map(len, vectors))
    tail = Tail(dimensions, max(count, len(rows), 1))
    tail.add(rows, slots, versions, vectors)
    return Part.of(tail.part().windows, rows)
