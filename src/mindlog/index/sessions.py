"""Who stands next to whom: the order of live rows inside each session, by (occurred_at, slot).

Owns the links to the previous and next row; knows no text and no score. One writer; readers may see a link change
under them and get neighbours of a moment before or after.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from mindlog.index.columns import grown

__all__ = ["SessionOrder"]

_Key = tuple[int, int]


class SessionOrder:
    """Rows of each (dataset, session) in time order, linked both ways. -1 is the end."""

    def __init__(self) -> None:
        self._order: dict[_Key, array[int]] = {}
        self._at: NDArray[np.int64] = np.empty(0, np.int64)
        self._slot: NDArray[np.int64] = np.empty(0, np.int64)
        self._previous: NDArray[np.int32] = np.empty(0, np.int32)
        self._next: NDArray[np.int32] = np.empty(0, np.int32)

    def load(
        self,
        rows: NDArray[np.int64],
        dataset: NDArray[np.int32],
        session: NDArray[np.int32],
        at: NDArray[np.int64],
        slot: NDArray[np.int64],
    ) -> None:
        """Start from many rows at once: equal-length columns, each row in a session."""
        if not len(rows):
            return
        self._reserve(int(rows.max()) + 1)
        self._at[rows], self._slot[rows] = at, slot
        order = np.lexsort((slot, at, session, dataset))
        ranked, ds, ss = rows[order], dataset[order], session[order]
        same = (ds[1:] == ds[:-1]) & (ss[1:] == ss[:-1])
        self._next[ranked[:-1][same]] = ranked[1:][same]
        self._previous[ranked[1:][same]] = ranked[:-1][same]
        starts = np.flatnonzero(np.concatenate(([True], ~same)))
        for start, part in zip(starts.tolist(), np.split(ranked.astype(np.intc), starts[1:]), strict=True):
            self._order[int(ds[start]), int(ss[start])] = array("i", part.tobytes())

    def insert(self, row: int, key: _Key, at: int, slot: int) -> None:
        """Put a row into its session, at its place in time: at the end in constant time."""
        self._reserve(row + 1)
        self._at[row], self._slot[row] = at, slot
        order = self._order.setdefault(key, array("i"))
        place = self._place(order, row)
        before = order[place - 1] if place else -1
        after = order[place] if place < len(order) else -1
        order.insert(place, row)
        self._previous[row], self._next[row] = before, after
        self._link(before, row)
        self._link(row, after)

    def remove(self, row: int, key: _Key) -> None:
        """Take a row out; its neighbours become each other's."""
        order = self._order[key]
        del order[self._place(order, row)]
        if not order:
            del self._order[key]
        self._link(int(self._previous[row]), int(self._next[row]))
        self._previous[row] = self._next[row] = -1

    def neighbours(self, rows: NDArray[np.int64], reach: int, bound: int) -> NDArray[np.int64]:
        """Return the rows around each row, `(len(rows), 2 * reach)`, -1 where there is none.

        First the `reach` before it, nearest first, then the `reach` after it, nearest first. Only rows below `bound`.
        """
        out = np.full((len(rows), 2 * reach), -1, np.int64)
        for first, links in ((0, self._previous), (reach, self._next)):
            current = rows
            for step in range(reach):
                current = _hop(links, current, bound)
                out[:, first + step] = current
        return out

    def _place(self, order: array[int], row: int) -> int:
        key = self._sort_key(row)
        if not order or self._sort_key(order[-1]) < key:
            return len(order)
        return bisect_left(order, key, key=self._sort_key)

    def _sort_key(self, row: int) -> tuple[int, int]:
        return int(self._at[row]), int(self._slot[row])

    def _link(self, before: int, after: int) -> None:
        if before >= 0:
            self._next[before] = after
        if after >= 0:
            self._previous[after] = before

    def _reserve(self, need: int) -> None:
        self._at, self._slot = grown(self._at, need), grown(self._slot, need)
        self._previous, self._next = grown(self._previous, need, -1), grown(self._next, need, -1)


def _hop(links: NDArray[np.int32], rows: NDArray[np.int64], bound: int) -> NDArray[np.int64]:
    if not len(links):
        return np.full(len(rows), -1, np.int64)
    there = links.take(rows, mode="clip").astype(np.int64)
    there[(rows < 0) | (rows >= len(links)) | (there >= bound)] = -1
    return there
