"""The catalog: every current revision's facts as columns in memory, and the exact row mask of any filter.

Owns row numbers and what a reader sees of them; knows no text, no vector and no SQL. One writer; readers take a `View`,
whose rows stay the same while the writer goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mindlog.filters import Filters
from mindlog.index.columns import Codes, grown
from mindlog.index.metadata import MetadataTable
from mindlog.index.rows import LIVE, Columns, Names
from mindlog.index.sessions import SessionOrder
from mindlog.records import MemoryState
from mindlog.store.base import CatalogRow

__all__ = ["Catalog", "Staged", "View"]

_LOAD_CHUNK = 4096
_FEW = 2
_OPEN = Filters()


@dataclass(frozen=True, slots=True)
class Staged:
    """Rows that were appended but are not visible yet.

    rows: the row of each change, -1 where the change made none (a forget, a restore, or one that was known).
    flips: (row, live) in order. replaced: the rows among them that a later revision takes the place of.
    """

    rows: NDArray[np.int64]
    flips: list[tuple[int, bool]]
    replaced: set[int]


@dataclass(frozen=True, slots=True)
class View:
    """The catalog as of one publication. Row numbers run from 0 below `length`."""

    length: int
    publication: int
    _columns: Columns
    _names: Names
    _metadata: MetadataTable
    _sessions: SessionOrder

    def mask(self, dataset: int, filters: Filters = _OPEN, as_of: int | None = None) -> NDArray[np.bool_]:
        """Say for each row whether it is live, in the dataset, recorded by `as_of`, and passes every filter."""
        columns, n = self._columns, self.length
        mask = columns.dataset[:n] == dataset
        mask &= columns.hidden_at[:n] > self.publication
        if as_of is not None:
            mask &= columns.created_at[:n] <= as_of
        if filters.is_open:
            return mask
        for part in self._parts(filters):
            mask &= part
        return mask

    def _parts(self, filters: Filters) -> Iterator[NDArray[np.bool_]]:
        columns, names, n = self._columns, self._names, self.length
        for wanted, column, codes in (
            (filters.session, columns.session, names.sessions),
            (filters.agent, columns.agent, names.agents),
            (filters.kind, columns.kind, names.kinds),
            (filters.document_id, columns.document, names.documents),
        ):
            if wanted is not None:
                yield _among(column[:n], codes, wanted)
        if filters.after is not None:
            yield columns.occurred_at[:n] >= filters.after
        if filters.before is not None:
            yield columns.occurred_at[:n] < filters.before
        if filters.metadata is not None:
            yield self._metadata.mask(filters.metadata, n)

    def is_live(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for each row whether reads see it."""
        return self._columns.hidden_at[rows] > self.publication

    def neighbours(self, rows: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
        """Return the rows around each in its session, `(len(rows), 2 * reach)`: see `SessionOrder.neighbours`."""
        return self._sessions.neighbours(rows, reach, self.length)

    def count(self, dataset: int) -> int:
        """Return how many live memories the dataset has."""
        return int(np.count_nonzero(self.mask(dataset)))

    def agents(self, dataset: int) -> list[tuple[str, int]]:
        """Return the agents of the dataset's live memories with how many each wrote, most first, then by name."""
        codes = self._columns.agent[: self.length][self.mask(dataset)]
        counts = np.bincount(codes[codes >= 0])
        found = [(self._names.agents.name(code) or "", int(counts[code])) for code in np.flatnonzero(counts).tolist()]
        return sorted(found, key=lambda item: (-item[1], item[0]))

    def agent_name(self, row: int) -> str | None:
        """Return the row's agent."""
        return self._names.agents.name(int(self._columns.agent[row]))

    def session_name(self, row: int) -> str | None:
        """Return the row's session."""
        return self._names.sessions.name(int(self._columns.session[row]))

    @property
    def slot(self) -> NDArray[np.int64]:
        """Slot of each row."""
        return self._columns.slot[: self.length]

    @property
    def version(self) -> NDArray[np.uint32]:
        """Version of each row."""
        return self._columns.version[: self.length]

    @property
    def lsn(self) -> NDArray[np.int64]:
        """LSN of each row's write, or of its last forget or restore if the catalog was loaded after that."""
        return self._columns.lsn[: self.length]

    @property
    def dataset(self) -> NDArray[np.int32]:
        """Dataset number of each row."""
        return self._columns.dataset[: self.length]

    @property
    def agent(self) -> NDArray[np.int32]:
        """Number of each row's agent, -1 for none."""
        return self._columns.agent[: self.length]

    @property
    def session(self) -> NDArray[np.int32]:
        """Number of each row's session, -1 for none."""
        return self._columns.session[: self.length]

    @property
    def occurred_at(self) -> NDArray[np.int64]:
        """When each row occurred, microseconds."""
        return self._columns.occurred_at[: self.length]

    @property
    def created_at(self) -> NDArray[np.int64]:
        """When each row's first revision was recorded, microseconds."""
        return self._columns.created_at[: self.length]

    @property
    def asks(self) -> NDArray[np.bool_]:
        """Whether each row's text ends with a question."""
        return self._columns.asks[: self.length]

    @property
    def salience(self) -> NDArray[np.float32]:
        """Salience of each row."""
        return self._columns.salience[: self.length]


class Catalog:
    """The rows of all current revisions, and of superseded ones until the catalog is loaded anew.

    Slots index an array, so they must be dense, as a store hands them out.
    """

    def __init__(self) -> None:
        self._names = Names()
        self._columns = Columns.empty()
        self._metadata = MetadataTable()
        self._sessions = SessionOrder()
        self._row_of: NDArray[np.int32] = np.empty(0, np.int32)
        self._length = 0
        self._publication = 1
        self._lsn = 0
        self._publish()

    @property
    def lsn(self) -> int:
        """The highest LSN among the rows."""
        return self._lsn

    def view(self) -> View:
        """Return the rows as last published."""
        return self._view

    def load(self, rows: Iterable[CatalogRow]) -> None:
        """Append and publish the current revisions of a store, each slot once. For an empty catalog."""
        source = iter(rows)
        while chunk := list(islice(source, _LOAD_CHUNK)):
            start = self._append(chunk)
            live = np.array([row.state == MemoryState.LIVE for row in chunk])
            self._columns.hidden_at[start : self._length][live] = LIVE
        columns, n = self._columns, self._length
        linked = np.flatnonzero((columns.hidden_at[:n] == LIVE) & (columns.session[:n] >= 0))
        self._sessions.load(
            linked, columns.dataset[linked], columns.session[linked], columns.occurred_at[linked], columns.slot[linked]
        )
        self._publish()

    def stage(self, changes: Sequence[CatalogRow]) -> Staged:
        """Append the new revisions among the changes, unseen by readers until `publish`. All of them or none.

        A change that is known (its version or a later one is here, in the same state) does nothing.
        """
        known: dict[int, tuple[int, int]] = {}
        fresh: list[CatalogRow] = []
        rows = np.full(len(changes), -1, np.int64)
        flips: list[tuple[int, bool]] = []
        replaced: set[int] = set()
        for i, change in enumerate(changes):
            row, version = known.get(change.slot) or self._current(change.slot)
            if change.version < version:
                continue
            if change.version > version:
                if row >= 0:
                    flips.append((row, False))
                    replaced.add(row)
                row = rows[i] = self._length + len(fresh)
                fresh.append(change)
                known[change.slot] = (row, change.version)
            flips.append((int(row), change.state == MemoryState.LIVE))
        self._append(fresh)
        return Staged(rows, flips, replaced)

    def publish(self, staged: Staged) -> None:
        """Make a staged batch visible to the next view, whole."""
        self._publication += 1
        for row, live in staged.flips:
            self._show(row) if live else self._hide(row)
        self._publish()

    def rows(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the current row of each slot, -1 where there is none."""
        table = self._row_of
        if not len(table):
            return np.full(len(slots), -1, np.int64)
        found = table.take(slots, mode="clip").astype(np.int64)
        found[(slots < 0) | (slots >= len(table))] = -1
        return found

    def rows_of(self, slots: NDArray[np.int64], versions: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the row of each revision that is current, -1 for any other; staged ones count."""
        found = self.rows(slots)
        columns = self._columns
        if len(columns.version):
            found[columns.version.take(found, mode="clip") != versions] = -1
        return found

    def current(self) -> NDArray[np.int64]:
        """Return the rows of all current revisions, forgotten ones too, in rising order."""
        table = self._row_of
        rows = table[table >= 0]  # before the length: the writer raises that first
        found = np.zeros(self._length, np.bool_)
        found[rows] = True
        return np.flatnonzero(found)

    def dataset_of(self, row: int) -> int:
        """Return the number of the row's dataset; staged rows count."""
        return int(self._columns.dataset[row])

    def forgotten(self) -> NDArray[np.int64]:
        """Return the rows of current revisions that reads do not see."""
        rows = self.current()
        return rows[self._columns.hidden_at[rows] != LIVE]

    def strays(self) -> NDArray[np.int64]:
        """Return rows that are live without being current: what a publication that failed halfway left."""
        rows = np.flatnonzero(self._columns.hidden_at[: self._length] == LIVE)
        return rows[self.rows(self._columns.slot[rows]) != rows]

    def _current(self, slot: int) -> tuple[int, int]:
        row = int(self._row_of[slot]) if slot < len(self._row_of) else -1
        return row, int(self._columns.version[row]) if row >= 0 else -1

    def _append(self, rows: Sequence[CatalogRow]) -> int:
        start = self._length
        if not rows:
            return start
        more = Columns.of(rows, self._names)
        row_of = grown(self._row_of, int(more.slot.max()) + 1, -1)
        columns = self._columns.joined(start, more)
        self._metadata.extend(start, (row.metadata for row in rows))
        self._length = start + len(rows)
        self._columns = columns
        row_of[more.slot] = np.arange(start, self._length)
        self._row_of = row_of
        self._lsn = max(self._lsn, int(more.lsn.max()))
        return start

    def _show(self, row: int) -> None:
        columns = self._columns
        if columns.hidden_at[row] != LIVE:
            columns.hidden_at[row] = LIVE
            if (session := int(columns.session[row])) >= 0:
                key = (int(columns.dataset[row]), session)
                self._sessions.insert(row, key, int(columns.occurred_at[row]), int(columns.slot[row]))

    def _hide(self, row: int) -> None:
        columns = self._columns
        if columns.hidden_at[row] == LIVE:
            columns.hidden_at[row] = self._publication
            if (session := int(columns.session[row])) >= 0:
                self._sessions.remove(row, (int(columns.dataset[row]), session))

    def _publish(self) -> None:
        self._view = View(self._length, self._publication, self._columns, self._names, self._metadata, self._sessions)


def _among(column: NDArray[np.int32] | NDArray[np.int8], codes: Codes, wanted: Sequence[str]) -> NDArray[np.bool_]:
    found = [code for name in wanted if (code := codes.find(name)) is not None]
    if len(found) <= _FEW:
        mask = np.zeros(len(column), np.bool_)
        for code in found:
            mask |= column == code
        return mask
    flags = np.zeros(len(codes) + 1, np.bool_)  # one more, so that -1 for "none" finds the last, which is never set
    flags[found] = True
    return flags[column]
