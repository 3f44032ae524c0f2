"""The indexes of one store, kept in step with it: what recall searches and all it may know of an index.

Owns the order in which a commit becomes visible, making good after faults, and the background upkeep. Knows no recall.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from mindlog.errors import StoreReadOnly
from mindlog.index.audit import differences, question_differences
from mindlog.index.base import Candidates, IndexState
from mindlog.index.bm25 import Match
from mindlog.index.catalog import Catalog, Staged, View
from mindlog.index.feed import feed_texts, feed_vectors
from mindlog.index.guard import Guard
from mindlog.index.inbox import Inbox
from mindlog.index.lexical import LexicalIndex
from mindlog.index.questions import QuestionIndex
from mindlog.index.side import Side
from mindlog.index.texts import Texts
from mindlog.index.upkeep import Upkeep
from mindlog.index.vector import VectorIndex
from mindlog.records import MemoryState
from mindlog.settings import Settings
from mindlog.store.base import Change, Store
from mindlog.store.graphrows import QuestionsChange

__all__ = ["Indexes"]

Floats = NDArray[np.float32]
_SYNCHRONOUS_ROWS = 20_000  # so many vectors are read before `open` returns, more in the background
_SYNCHRONOUS_QUESTIONS = 4096
_CATALOG_AT_ONCE = 1024
_UNSAVED_SHARE = 0.25  # of all texts, before they are written: a checkpoint of the lexical index writes everything
_RETRY_SECONDS = 30.0
_AT_ONCE = 512  # changes that may wait before the writer takes them in itself
_LINGER_SECONDS = 0.02
_REPORTED = 100


class Indexes:
    """Catalog, vectors, questions and texts, searchable by row. A `view` taken before a search says what its rows are."""

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        vectors: VectorIndex,
        questions: QuestionIndex,
        texts: Texts,
        settings: Settings,
    ) -> None:
        self._store = store
        self.catalog = catalog
        self.vectors = vectors
        self.questions = questions
        self._texts = texts
        self._checkpoint_rows = settings.checkpoint_rows
        self._ann_threshold = settings.ann_threshold
        self._applying = Lock()
        self._inbox: Inbox[Change] = Inbox()
        self._noticed = False  # whether the upkeep knows that something waits
        self._closed = False
        self._catalog_side, self._vector_side, self._text_side = Side("catalog"), Side("vector"), Side("lexical")
        self._in_doubt = False  # whether the catalog may differ from the store
        self._unlooked = 0  # changes since upkeep last looked
        self._saving = Guard("Writing a checkpoint of the indexes")
        self._retry_at = 0.0
        self._graph_upkeep: Upkeep | None = None  # a thread of its own, for the stores that are large enough
        self._upkeep = Upkeep("indexes", self._keep_up)

    @classmethod
    def open(cls, store: Store, directory: Path, settings: Settings) -> Indexes:
        """Open the indexes in the directory, which may be empty, missing or damaged, and follow the store from here on.

        What they lack is read from the store: few vectors before this returns, the rest while recall already works.
        Raises `StoreReadOnly` if the directory cannot be used, and whatever reading the store's catalog raises.
        """
        catalog, dimensions, model = Catalog(), store.model.dimensions, store.model.fingerprint
        try:
            vectors = VectorIndex.open(directory / "vectors", dimensions=dimensions, model=model)
            questions = QuestionIndex.open(store, catalog, directory / "questions", dimensions, model)
            lexical = LexicalIndex.open(directory / "lexical")
        except OSError as exc:
            raise StoreReadOnly(f"the index directory {directory} cannot be used: {exc.strerror}") from exc
        indexes = cls(store, catalog, vectors, questions, Texts(lexical), settings)
        try:
            indexes._start()
        except BaseException:
            indexes._release()
            raise
        return indexes

    def _start(self) -> None:
        with self._applying:
            # Following first, loading second, under one lock: no commit can fall between the two.
            self._store.on_commit(self.apply)
            self._store.on_questions(self.apply_questions)
            self.catalog.load(self._store.catalog())
            self.vectors.attach(self.catalog.rows_of)
            self.questions.attach()
            self._texts.bind(self.catalog)
        if 0 < len(self._without_vectors()) <= _SYNCHRONOUS_ROWS:
            self._vector_side.attempt(self._feed_vectors)
        if len(self._without_vectors()):
            self._vector_side.fall_behind()
        if 0 < len(self._without_text()) <= _SYNCHRONOUS_ROWS:
            self._text_side.attempt(self._feed_texts)
        if len(self._without_text()):
            self._text_side.fall_behind()
        if self.questions.in_doubt:
            self.questions.side.attempt(lambda: self._feed_questions(_SYNCHRONOUS_QUESTIONS))
        if self.questions.in_doubt:
            self.questions.side.fall_behind()
        self._upkeep.wake()

    # -- following the store ------------------------------------------------------------------------------------------

    def apply(self, changes: Sequence[Change]) -> None:
        """Note a commit: on return the next view shows it whole. Faults stay here and are made good later.

        A note costs the ack a microsecond; taking one memory in costs seventy, ten in company. So whoever looks next
        does it, or the upkeep after a moment, or the writer when many wait.
        """
        self._inbox.put(changes)
        self._noted()

    def apply_questions(self, changes: Sequence[QuestionsChange]) -> None:
        """Note a commit of questions, as `apply` does."""
        self.questions.put(changes)
        self._noted()

    def _noted(self) -> None:
        if self._waiting >= _AT_ONCE:
            self._catch_up()
        if not self._noticed:
            self._noticed = True
            self._upkeep.wake()

    @property
    def _waiting(self) -> int:
        return self._inbox.waiting + self.questions.waiting

    @contextmanager
    def _caught_up(self) -> Generator[None]:
        """Hold the lock under which rows are added, with everything that was committed taken in."""
        with self._applying:
            self._take_all()
            yield

    def _catch_up(self) -> None:
        with self._applying:
            self._take_all()

    def _take_all(self) -> None:
        # Memories first: questions are of memories that were committed before them.
        self._inbox.take(self._take_in)
        if not self._closed:
            self.questions.take()

    def _take_in(self, changes: Sequence[Change]) -> None:
        if self._closed:
            return
        self._catalog_side.attempt(lambda: self._take(changes))
        self._in_doubt = self._in_doubt or self._catalog_side.is_behind
        self._unlooked += len(changes)
        if self._is_behind() or self._unlooked >= self._checkpoint_rows:
            self._upkeep.wake()

    def _take(self, changes: Sequence[Change]) -> None:
        staged = self.catalog.stage([change.row for change in changes])
        self._vector_side.attempt(lambda: self._add_vectors(changes, staged))
        self._text_side.attempt(lambda: self._texts.take(changes, staged, self.catalog))
        self.catalog.publish(staged)
        self.questions.restored([each.row.slot for each in changes if each.text is None and _is_live(each)])
        fresh = [change for change, row in zip(changes, staged.rows.tolist(), strict=True) if row >= 0]
        if any(change.vectors is None for change in fresh):
            self._vector_side.fall_behind()
        if any(change.text is None for change in fresh):
            self._text_side.fall_behind()

    def _add_vectors(self, changes: Sequence[Change], staged: Staged) -> None:
        fresh = [(row, c.row, c.vectors) for c, row in zip(changes, staged.rows.tolist(), strict=True) if row >= 0]
        brought = [(row, facts, vectors) for row, facts, vectors in fresh if vectors is not None]
        self.vectors.add(
            np.array([row for row, _, _ in brought], np.int64),
            np.array([facts.slot for _, facts, _ in brought], np.int64),
            np.array([facts.version for _, facts, _ in brought], np.uint32),
            [vectors for _, _, vectors in brought],
        )

    # -- searching ----------------------------------------------------------------------------------------------------

    def view(self) -> View:
        """Return the rows as of the last commit. Take it before searching and make masks from it."""
        if self._waiting:
            self._catch_up()
        return self.catalog.view()

    def search_semantic(self, vector: Floats, mask: NDArray[np.bool_], k: int) -> Candidates:
        """Return the k rows of the mask nearest to the vector by cosine; every one if there are fewer."""
        return self.vectors.search(vector, mask, k)

    def semantic_scores(self, vector: Floats, rows: NDArray[np.int64]) -> Floats:
        """Return the cosine of each row's best window, 0 for a row without vectors."""
        return self.vectors.scores(vector, rows)

    def search_questions(self, vector: Floats, mask: NDArray[np.bool_], k: int) -> Candidates:
        """Return about the k rows of the mask with the nearest question by cosine; every one that has questions if fewer."""
        return self.questions.search(vector, mask, k)

    def question_scores(self, vector: Floats, rows: NDArray[np.int64]) -> Floats:
        """Return the cosine of each row's nearest question, 0 for a row without questions."""
        return self.questions.scores(vector, rows, self.catalog.view().slot[rows])

    def window_counts(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many windows each row's text was embedded in, 0 for a row without vectors."""
        return self.vectors.window_counts(rows)

    def window_of(self, vector: Floats, row: int) -> int:
        """Return which window of the row is nearest to the vector, from 0."""
        return self.vectors.window_of(vector, row)

    def search_lexical(self, terms: Iterable[str], mask: NDArray[np.bool_], k: int, *, dataset: int) -> Candidates:
        """Return the k best rows of the mask that hold a term; every one that does if there are fewer."""
        return self.match_lexical(terms, dataset=dataset).best(k, mask)

    def match_lexical(self, terms: Iterable[str], *, dataset: int) -> Match:
        """Score the dataset's texts once, to read the best rows or given rows from."""
        return self._texts.lexical.match(terms, dataset=dataset)

    # -- health and end -----------------------------------------------------------------------------------------------

    def states(self) -> list[IndexState]:
        """Return how each index is."""
        view = self.view()
        lsn = self.catalog.lsn
        catalog = IndexState(name="catalog", state="ready", rows=view.length, tail=0, checkpoint_lsn=lsn)
        told = [
            self._catalog_side.tell(catalog),
            self._vector_side.tell(self.vectors.state()),
            self.questions.state(),
            self._text_side.tell(self._texts.lexical.state()),
        ]
        fault = self._saving.fault
        return [replace(s, detail=s.detail or f"last checkpoint failed: {fault}") if fault else s for s in told]

    def audit(self, store: Store) -> list[str]:
        """Say how the indexes differ from the store, at most a hundred sentences; empty if they agree.

        Exact while nothing is written and nothing is being rebuilt (see `settle`).
        """
        with self._caught_up():
            found = chain(
                differences(store.catalog(), self.catalog, self.vectors, self._texts.lexical, self._texts.given()),
                question_differences(store, self.catalog, self.questions.held()),
            )
            return list(islice(found, _REPORTED))

    def settle(self, timeout: float) -> bool:
        """Wait until the upkeep asked for so far is done; say whether it is, or the seconds passed first."""
        return self._upkeep.settle(timeout) and (self._graph_upkeep is None or self._graph_upkeep.settle(timeout))

    def close(self) -> None:
        """Stop following, write checkpoints and let go of the files. Safe to call twice."""
        self._end_upkeep()
        with self._caught_up():
            was_closed, self._closed = self._closed, True
        if was_closed:
            return
        with self._saving:
            self._save(least=1)
            # The store is closed: no commit is on its way here any more.
            self.questions.save(self.catalog.lsn, complete_to=0 if self.questions.in_doubt else self._store.last_lsn)
        self._release()

    def _release(self) -> None:
        self._closed = True
        self._end_upkeep()
        self._texts.lexical.close()
        self.questions.close()
        self.vectors.close()

    def _end_upkeep(self) -> None:
        self._upkeep.close()
        if self._graph_upkeep:
            self._graph_upkeep.close()

    # -- upkeep, on its own thread ------------------------------------------------------------------------------------

    def _keep_up(self) -> None:
        stop = self._upkeep.closing
        # A moment for more to come: memories taken in together cost a fraction, and the ack under way is left alone.
        stop.wait(_LINGER_SECONDS)
        self._noticed = False
        with self._caught_up():
            self._unlooked = 0
        if self._catalog_side.is_behind:
            self._catalog_side.catch_up(lambda: self._in_doubt, self._feed_catalog, stop)
        if self._vector_side.is_behind:
            self._vector_side.catch_up(lambda: len(self._without_vectors()) > 0, self._feed_vectors, stop)
        if self._text_side.is_behind:
            self._text_side.catch_up(lambda: len(self._without_text()) > 0, self._feed_texts, stop)
        if self.questions.side.is_behind:
            self.questions.side.catch_up(lambda: self.questions.in_doubt, self._feed_questions, stop)
        if not stop.is_set() and time.monotonic() >= self._retry_at:
            with self._saving:
                self._save(least=self._checkpoint_rows)
            if self._saving.fault:
                self._retry_at = time.monotonic() + _RETRY_SECONDS
        if self.vectors.wants_graph(self.catalog.current(), self._ann_threshold) and not stop.is_set():
            self._graph_upkeep = self._graph_upkeep or Upkeep("graph", self._tend_graph)
            self._graph_upkeep.wake()

    def _tend_graph(self) -> None:
        stop = self._upkeep.closing
        self.vectors.tend_graph(self.catalog.current(), self._ann_threshold, stop)

    def _save(self, least: int) -> None:
        with self._caught_up():
            lsn = self.catalog.lsn
        if self.vectors.unfolded >= least:
            self.vectors.fold(lsn)
        if self.questions.unfolded >= least:
            self.questions.save(lsn)
        state = self._texts.lexical.state()
        if state.tail >= (least if least == 1 else max(least, int(_UNSAVED_SHARE * state.rows))):
            self._texts.lexical.checkpoint(lsn)

    def _is_behind(self) -> bool:
        sides = (self._catalog_side, self._vector_side, self._text_side, self.questions.side)
        return any(side.is_behind for side in sides)

    def _without_vectors(self) -> NDArray[np.int64]:
        with self._caught_up():
            rows = self.catalog.current()
            return rows[~self.vectors.covered(rows)]

    def _without_text(self) -> NDArray[np.int64]:
        with self._caught_up():
            return self._texts.missing(self.catalog.current())

    def _feed_vectors(self) -> None:
        feed_vectors(self._store, self.catalog, self.vectors, self._without_vectors(), self._upkeep.closing)

    def _feed_texts(self) -> None:
        missing = self._without_text()
        feed_texts(self._store, self.catalog, self._texts, missing, self._upkeep.closing, self._applying)

    def _feed_questions(self, most: int | None = None) -> None:
        self.questions.walk(self._applying, self._upkeep.closing, most)

    def _feed_catalog(self) -> None:
        after = -1
        while after is not None and not self._upkeep.closing.is_set():
            with self._caught_up():
                # Read under the lock: whatever was applied before is in what the store says now.
                bite = list(islice(self._store.catalog(after), _CATALOG_AT_ONCE))
                self.catalog.publish(self.catalog.stage(bite))
            after = bite[-1].slot if bite else None
        with self._caught_up():
            strays = self.catalog.strays()
            self._texts.drop(self.catalog.view(), strays)
            self.catalog.publish(Staged(np.empty(0, np.int64), [(row, False) for row in strays.tolist()], set()))
            self._in_doubt = False
        self._vector_side.fall_behind()
        self._text_side.fall_behind()
        self.questions.doubt()


def _is_live(change: Change) -> bool:
    return change.row.state is MemoryState.LIVE
