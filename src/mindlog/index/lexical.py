"""The lexical index: BM25 over the texts of all revisions, per dataset, in memory with a segment on disk.

Owns the shelves, the background thread that takes writes in, and the checkpoints; knows no store. Writes come from any
thread and never wait; any thread searches and sees every write whose call returned before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread

import numpy as np
from numpy.typing import NDArray

from mindlog.errors import Closed
from mindlog.index.base import Candidates, IndexState
from mindlog.index.bm25 import Bm25, Match
from mindlog.index.documents import Mark
from mindlog.index.lexical_segment import LexicalSegment, LexicalSegments
from mindlog.index.shelf import LexicalDoc, Shelf
from mindlog.index.vocabulary import Vocabulary

__all__ = ["LexicalDoc", "LexicalIndex"]

NAME = "lexical"
MAX_WAITING = 50_000  # writes of one dataset; beyond it the writer helps to take them in
_BATCH = 8_192  # characters the background analyses without a pause
_PAUSE = 0.001  # seconds for others in between
_DEFAULT_BM25 = Bm25()


class LexicalIndex:
    """Texts by catalog row, found by their words."""

    def __init__(
        self,
        segments: LexicalSegments,
        loaded: LexicalSegment | None,
        *,
        bm25: Bm25,
        linger_ms: int,
        detail: str | None,
        on_state: Callable[[IndexState], None] | None,
    ) -> None:
        self._segments = segments
        self._loaded = loaded
        self._bm25 = bm25
        self._linger = linger_ms / 1000
        self._detail = detail
        self._on_state = on_state
        self._vocabulary = Vocabulary(loaded.terms if loaded else ())
        self._shelves: dict[int, Shelf] = {}
        self._layout = Lock()  # for new shelves and the count of unsaved documents
        self._checkpointing = Lock()
        self._lsn = loaded.lsn if loaded else 0
        self._unsaved = 0
        self._scheduled: SimpleQueue[Shelf | None] = SimpleQueue()  # holds a shelf at most once
        self._closing = Event()
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._work, name="mindlog-lexical", daemon=True)
        self._thread.start()

    @classmethod
    def open(
        cls,
        directory: Path,
        *,
        bm25: Bm25 = _DEFAULT_BM25,
        linger_ms: int = 20,
        on_state: Callable[[IndexState], None] | None = None,
    ) -> LexicalIndex:
        """Read the segment in the directory, which is created if need be.

        A damaged segment is removed and the index starts empty; `known` says what it holds, the caller adds the rest.
        """
        segments = LexicalSegments(directory)
        loaded, detail = segments.open()
        return cls(segments, loaded, bm25=bm25, linger_ms=linger_ms, detail=detail, on_state=on_state)

    def known(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the revisions of the segment as slots and versions, until they are bound."""
        shelves = self._loaded.shelves if self._loaded else []
        empty = np.empty(0, np.int64)
        return (
            np.concatenate([empty, *(shelf.slots for shelf in shelves)]),
            np.concatenate([empty, *(shelf.versions for shelf in shelves)]),
        )

    def bind(self, rows: NDArray[np.int64]) -> None:
        """Make the segment searchable: `rows` are the catalog rows of `known`, -1 for what is no longer current.

        To be called once, before the first write.
        """
        loaded, self._loaded = self._loaded, None
        start = 0
        for saved in loaded.shelves if loaded else ():
            stop = start + saved.slots.size
            self._shelves[saved.dataset] = Shelf.load(saved, rows[start:stop], self._vocabulary, self._bm25)
            start = stop

    def add(self, docs: Sequence[LexicalDoc]) -> None:
        """Make the documents searchable. A row that is here already is passed over."""
        for doc in docs:
            shelf = self._shelf(doc.dataset)
            shelf.put(doc)
            self._schedule(shelf)
        with self._layout:
            self._unsaved += len(docs)

    def remove(self, dataset: int, rows: Sequence[int]) -> None:
        """Drop superseded or erased rows for good. Unknown rows are passed over, here and below."""
        self._mark(dataset, rows, Mark.GONE)

    def hide(self, dataset: int, rows: Sequence[int]) -> None:
        """Take rows out of every answer and statistic until they are shown again."""
        self._mark(dataset, rows, Mark.HIDDEN)

    def show(self, dataset: int, rows: Sequence[int]) -> None:
        """Bring hidden rows back."""
        self._mark(dataset, rows, Mark.LIVE)

    def match(self, terms: Iterable[str], *, dataset: int) -> Match:
        """Score every document of the dataset against the terms, once for `Match.best` and `Match.of`."""
        shelf = self._shelves.get(dataset)
        if shelf is None:  # a shelf whose documents wait to be taken in has length 0 and is not nothing
            shelf = Shelf(dataset, self._vocabulary, self._bm25)
        corpus = shelf.corpus()
        return Match(corpus, self._vocabulary.known(terms), self._bm25)

    def search(
        self, terms: Iterable[str], *, dataset: int, k: int, allowed: NDArray[np.bool_] | None = None
    ) -> Candidates:
        """Return the k best rows that hold a term and are allowed (a mask over rows): all, if fewer than k do."""
        return self.match(terms, dataset=dataset).best(k, allowed)

    def scores(self, terms: Iterable[str], rows: NDArray[np.int64], *, dataset: int) -> NDArray[np.float32]:
        """Return the scores of the rows, 0 where no term occurs."""
        return self.match(terms, dataset=dataset).of(rows)

    def checkpoint(self, lsn: int) -> int:
        """Write everything to a new segment; the caller has added all up to the LSN. Returns the LSN.

        Raises OSError if the directory cannot be written; the last segment then stays.
        """
        with self._checkpointing:
            unsaved = self._unsaved
            shelves = [shelf.save() for shelf in list(self._shelves.values())]
            self._segments.write(shelves, self._vocabulary.terms(), lsn)
            with self._layout:
                self._unsaved -= unsaved
            self._lsn = lsn
        return lsn

    def state(self) -> IndexState:
        """Return how the index is. It answers even when failed: searches then take writes in themselves."""
        return IndexState(
            name=NAME,
            state="failed" if self._failure else "ready",
            rows=sum(map(len, list(self._shelves.values()))),
            tail=self._unsaved,
            checkpoint_lsn=self._lsn,
            detail=repr(self._failure) if self._failure else self._detail,
        )

    def close(self) -> None:
        """Stop the background thread. Writes nothing: what is not checkpointed is read from the store again."""
        self._closing.set()
        self._scheduled.put(None)
        self._thread.join()

    def _shelf(self, dataset: int) -> Shelf:
        if self._closing.is_set():
            raise Closed("the lexical index is closed")
        shelf = self._shelves.get(dataset)
        if shelf is None:
            with self._layout:
                shelf = self._shelves.setdefault(dataset, Shelf(dataset, self._vocabulary, self._bm25))
        return shelf

    def _mark(self, dataset: int, rows: Sequence[int], mark: Mark) -> None:
        shelf = self._shelf(dataset)
        shelf.mark(rows, mark)
        self._schedule(shelf)

    def _schedule(self, shelf: Shelf) -> None:
        if not shelf.is_scheduled:
            shelf.is_scheduled = True
            self._scheduled.put(shelf)
        if shelf.waiting > MAX_WAITING:
            shelf.take_in()

    def _work(self) -> None:
        try:
            while (shelf := self._scheduled.get()) is not None:
                self._closing.wait(self._linger)
                shelf.is_scheduled = False
                self._settle(shelf)
        finally:
            self._failure = sys.exception()
            if self._failure and self._on_state:
                self._on_state(self.state())

    def _settle(self, shelf: Shelf) -> None:
        while not self._closing.is_set() and shelf.take_in(_BATCH):
            self._closing.wait(_PAUSE)
        while not self._closing.is_set() and shelf.tidy():
            self._closing.wait(_PAUSE)
