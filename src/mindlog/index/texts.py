"""The lexical index by catalog rows: takes commits, and knows which rows' texts it was given.

Owns that record and the wording of a document; knows no store. Changes come under the coordinator's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mindlog.index.catalog import Catalog, Staged, View
from mindlog.index.columns import grown
from mindlog.index.lexical import LexicalDoc, LexicalIndex
from mindlog.store.base import Change, IndexText

__all__ = ["Texts", "indexed_text"]


def indexed_text(agent: str | None, text: str) -> str:
    """Return what the lexical index sees of a memory: a speaker is found like a word of the text."""
    return f"{agent}: {text}" if agent else text


class Texts:
    """The lexical index, fed by row."""

    def __init__(self, lexical: LexicalIndex) -> None:
        self.lexical = lexical
        self._given: NDArray[np.bool_] = np.empty(0, np.bool_)

    def bind(self, catalog: Catalog) -> None:
        """Tie what the segment holds to the rows of the catalog."""
        slots, versions = self.lexical.known()
        rows = catalog.rows_of(slots, versions.astype(np.uint32))
        self.lexical.bind(rows)
        self._give(rows[rows >= 0])
        forgotten = catalog.forgotten()
        self._hide(catalog.view(), forgotten[~self._lacks(forgotten)])

    def missing(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of the rows whose text was never given."""
        return rows[self._lacks(rows)]

    def given(self) -> NDArray[np.int64]:
        """Return the rows whose text was given."""
        return np.flatnonzero(self._given)

    def take(self, changes: Sequence[Change], staged: Staged, catalog: Catalog) -> None:
        """Add the texts of a staged commit and mark what it superseded, forgot or restored."""
        docs = [
            LexicalDoc(row, c.row.slot, c.row.version, c.row.dataset, indexed_text(c.row.agent, c.text))
            for c, row in zip(changes, staged.rows.tolist(), strict=True)
            if row >= 0 and c.text is not None
        ]
        self.lexical.add(docs)
        self._give(np.array([doc.row for doc in docs], np.int64))
        fresh = set(staged.rows.tolist())
        for row, live in dict(staged.flips).items():
            if row in staged.replaced:
                self.lexical.remove(catalog.dataset_of(row), [row])
            elif not live:
                self.lexical.hide(catalog.dataset_of(row), [row])
            elif row not in fresh:
                self.lexical.show(catalog.dataset_of(row), [row])

    def feed(self, view: View, found: Iterable[tuple[int, IndexText]]) -> set[int]:
        """Add texts read from the store, each with its row; return their datasets."""
        docs = [
            LexicalDoc(row, item.slot, item.version, int(view.dataset[row]), indexed_text(item.agent, item.text))
            for row, item in found
        ]
        self.lexical.add(docs)
        rows = np.array([doc.row for doc in docs], np.int64)
        self._give(rows)
        self._hide(view, rows[~view.is_live(rows)])
        return {doc.dataset for doc in docs}

    def drop(self, view: View, rows: NDArray[np.int64]) -> None:
        """Remove rows that are no longer current."""
        for dataset in set(view.dataset[rows].tolist()):
            self.lexical.remove(dataset, rows[view.dataset[rows] == dataset].tolist())

    def _hide(self, view: View, rows: NDArray[np.int64]) -> None:
        datasets = view.dataset[rows]
        for dataset in set(datasets.tolist()):
            self.lexical.hide(dataset, rows[datasets == dataset].tolist())

    def _lacks(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        given = self._given if len(self._given) else np.zeros(1, np.bool_)
        return (rows >= len(given)) | ~given.take(rows, mode="clip")

    def _give(self, rows: NDArray[np.int64]) -> None:
        self._given = grown(self._given, int(rows.max(initial=-1)) + 1, fill=False)
        self._given[rows] = True
