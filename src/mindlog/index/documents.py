"""The documents of one dataset in the lexical index: which revision each is and whether it counts.

Owns their numbering and marks; knows no term. Guarded by its shelf's lock.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from mindlog.index.columns import Growing, grown

__all__ = ["Documents", "Mark"]


class Mark(IntEnum):
    """What a document counts for."""

    LIVE = 0
    HIDDEN = 1  #: forgotten, may come back: in no statistic and no hit
    GONE = 2  #: superseded or removed: dropped at the next tidying


class Documents:
    """Columns by document number. Views that were handed out stay as they are while documents are added."""

    def __init__(self) -> None:
        self._rows = Growing(np.int64)
        self._slots = Growing(np.int64)
        self._versions = Growing(np.int64)
        self._lengths = Growing(np.int32)
        self._marks: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._dead: NDArray[np.int64] | None = None
        self._gone = 0
        self._highest = -1
        self._rising = True
        self._order: Growing[np.int64] | None = None  # kept up while rows rise again after one that did not

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Catalog row of each document."""
        return self._rows.view()

    @property
    def slots(self) -> NDArray[np.int64]:
        """Slot of each document."""
        return self._slots.view()

    @property
    def versions(self) -> NDArray[np.int64]:
        """Version of each document."""
        return self._versions.view()

    @property
    def lengths(self) -> NDArray[np.int32]:
        """Content terms of each document."""
        return self._lengths.view()

    @property
    def gone(self) -> int:
        """How many are marked as gone."""
        return self._gone

    def extend(
        self,
        rows: NDArray[np.int64],
        slots: NDArray[np.int64],
        versions: NDArray[np.int64],
        lengths: NDArray[np.int32],
    ) -> None:
        """Append live documents."""
        if rows.size == 0:
            return
        start, end = len(self), len(self) + rows.size
        self._note_order(rows, start)
        self._marks = grown(self._marks, end, Mark.LIVE)
        self._slots.extend(slots)
        self._versions.extend(versions)
        self._lengths.extend(lengths)
        self._rows.extend(rows)

    def _note_order(self, rows: NDArray[np.int64], start: int) -> None:
        follows = bool(rows[0] > self._highest and np.all(np.diff(rows) > 0))
        self._rising = self._rising and follows
        self._highest = max(self._highest, int(rows.max()))
        if self._order is not None and follows and len(self._order) == start:
            self._order.extend(np.arange(start, start + rows.size))
        else:
            self._order = None

    def order(self) -> NDArray[np.int64] | None:
        """Return the documents by rising row, None if they are so already."""
        if self._rising:
            return None
        if self._order is None:
            self._order = Growing(np.int64)
            self._order.extend(np.argsort(self.rows, kind="stable"))
        return self._order.view()

    def find(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the document of each row, -1 where there is none."""
        return find_rows(self.rows, self.order(), rows)

    def mark(self, rows: NDArray[np.int64], mark: Mark) -> None:
        """Mark the documents of these rows; rows that are not here are passed over, what is gone stays gone."""
        docs = self.find(rows)
        docs = docs[docs >= 0]
        docs = docs[self._marks[docs] != Mark.GONE]
        self._marks[docs] = mark
        self._gone += docs.size if mark is Mark.GONE else 0
        self._dead = None

    def marks(self) -> NDArray[np.uint8]:
        """Return each document's mark, as it is now."""
        return self._marks[: len(self)].copy()

    def dead(self) -> NDArray[np.int64]:
        """Return the documents that are not live."""
        if self._dead is None:
            self._dead = np.flatnonzero(self._marks[: len(self)])
        return self._dead

    def without_gone(self) -> tuple[Documents, NDArray[np.int32]]:
        """Return the others, renumbered, and for each old number its new one (-1 for the gone)."""
        marks = self.marks()
        keep = marks != Mark.GONE
        rest = Documents()
        rest.extend(self.rows[keep], self.slots[keep], self.versions[keep], self.lengths[keep])
        rest._marks[: len(rest)] = marks[keep]
        rest._dead = None
        return rest, np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)


def find_rows(rows: NDArray[np.int64], order: NDArray[np.int64] | None, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each wanted row stands in `rows` (sorted by `order` if it is given), -1 where it does not."""
    if rows.size == 0:
        return np.full(wanted.size, -1, np.int64)
    places = np.minimum(np.searchsorted(rows, wanted, sorter=order), rows.size - 1)
    docs = places if order is None else order[places]
    return np.where(rows[docs] == wanted, docs, -1)
