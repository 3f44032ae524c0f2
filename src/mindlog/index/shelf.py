"""One dataset's share of the lexical index: a queue of what was written, and the postings made from it.

Writers only append to the queue; whoever reads first, or the background, takes it in. Knows no files and no threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from mindlog.index.analyzer import analyze
from mindlog.index.bm25 import Bm25, Corpus
from mindlog.index.columns import Growing
from mindlog.index.documents import Documents, Mark
from mindlog.index.postings import Postings, merged
from mindlog.index.vocabulary import FIRST_CONTENT_TERM, Vocabulary

__all__ = ["LexicalDoc", "SavedShelf", "Shelf"]

_RECENT = 1 << 14  # occurrences that are scanned before they are sorted into a block
_RATIO = 4  # a block up to so many times the size of the one after it is merged with it
_MAX_BLOCK = 1 << 25  # postings; larger blocks are left apart
_MIN_GONE, _GONE_SHARE = 1024, 0.25
_EVERYTHING = 1 << 62


@dataclass(frozen=True, slots=True)
class LexicalDoc:
    """The text of one revision as it is to be indexed (with its speaker, if that is to be found too)."""

    row: int
    slot: int
    version: int
    dataset: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedShelf:
    """What a segment holds of one dataset. Documents are numbered as listed."""

    dataset: int
    slots: NDArray[np.int64]
    versions: NDArray[np.int64]
    lengths: NDArray[np.int32]
    postings: Postings


@dataclass(frozen=True, slots=True)
class _Marking:
    rows: tuple[int, ...]
    mark: Mark


class Shelf:
    """Documents of one dataset. `put` and `mark` never block; everything else waits for the lock."""

    def __init__(self, dataset: int, vocabulary: Vocabulary, bm25: Bm25) -> None:
        self.dataset = dataset
        self.is_scheduled = False  # whether the background knows there is something to do here
        self._vocabulary = vocabulary
        self._bm25 = bm25
        self._lock = Lock()
        self._queue: deque[LexicalDoc | _Marking] = deque()
        self._taken: list[LexicalDoc] = []
        self._documents = Documents()
        self._norms = Growing(np.float32)
        self._blocks: tuple[Postings, ...] = ()
        self._recent_terms, self._recent_docs = Growing(np.int32), Growing(np.int32)
        self._corpus: Corpus | None = None

    @classmethod
    def load(cls, saved: SavedShelf, rows: NDArray[np.int64], vocabulary: Vocabulary, bm25: Bm25) -> Shelf:
        """Return a shelf of the saved documents at these catalog rows, without those whose row is below zero."""
        shelf = cls(saved.dataset, vocabulary, bm25)
        kept = np.argsort(rows, kind="stable")[np.count_nonzero(rows < 0) :]
        numbers = np.full(rows.size, -1, np.int32)
        numbers[kept] = np.arange(kept.size)
        shelf._documents.extend(rows[kept], saved.slots[kept], saved.versions[kept], saved.lengths[kept])
        shelf._norms.extend(bm25.norms(saved.lengths[kept]))
        shelf._blocks = (saved.postings.renumbered(numbers),)
        return shelf

    def __len__(self) -> int:
        return len(self._documents) - self._documents.gone + len(self._queue)

    @property
    def waiting(self) -> int:
        """How many writes have not been taken in."""
        return len(self._queue)

    def put(self, doc: LexicalDoc) -> None:
        """Queue a document."""
        self._queue.append(doc)

    def mark(self, rows: Sequence[int], mark: Mark) -> None:
        """Queue a change of marks."""
        self._queue.append(_Marking(tuple(rows), mark))

    def take_in(self, characters: int = _EVERYTHING) -> bool:
        """Analyse queued documents of about so many characters; say whether some remain."""
        with self._lock:
            self._take_in(characters)
            return bool(self._queue)

    def corpus(self) -> Corpus:
        """Return all that was put before this call, as it is to be searched."""
        with self._lock:
            self._take_in(_EVERYTHING)
            if self._corpus is None:
                self._corpus = self._snapshot()
            return self._corpus

    def tidy(self) -> bool:
        """Merge two blocks or drop what is gone; say whether something was done. For one thread."""
        if self._documents.gone > max(_MIN_GONE, _GONE_SHARE * len(self._documents)):
            with self._lock:
                self._drop_gone()
            return True
        blocks = self._blocks
        for i in range(len(blocks) - 2, -1, -1):
            left, right = blocks[i : i + 2]
            if left.size <= _RATIO * right.size and left.size + right.size <= _MAX_BLOCK:
                joined = merged((left, right))
                with self._lock:  # blocks that were added meanwhile are behind these
                    self._blocks = (*self._blocks[:i], joined, *self._blocks[i + 2 :])
                    self._corpus = None
                return True
        return False

    def save(self) -> SavedShelf:
        """Return everything that is not gone, to be written to a segment."""
        with self._lock:
            self._take_in(_EVERYTHING)
            corpus = self._snapshot()
            documents, numbers = self._documents.without_gone()
        # Sorting and merging are long: done on what no longer changes, while searches and writes go on.
        recent = Postings.of_occurrences(corpus.recent_terms, corpus.recent_docs)
        return SavedShelf(
            dataset=self.dataset,
            slots=documents.slots,
            versions=documents.versions,
            lengths=documents.lengths,
            postings=merged((*corpus.blocks, recent)).renumbered(numbers),
        )

    def _take_in(self, characters: int) -> None:
        while characters > 0 and self._queue:
            write = self._queue.popleft()
            if isinstance(write, _Marking):
                self._analyse_taken()
                self._documents.mark(np.array(write.rows, np.int64), write.mark)
                self._corpus = None
            else:
                self._taken.append(write)  # kept here until it is indexed, should analysis fail
                characters -= len(write.text) + 1
        self._analyse_taken()

    def _analyse_taken(self) -> None:
        if not self._taken:
            return
        docs = self._unknown(self._taken)
        terms = [self._vocabulary.numbers(analyze(doc.text)) for doc in docs]
        self._append(docs, terms)
        self._taken.clear()

    def _unknown(self, docs: list[LexicalDoc]) -> list[LexicalDoc]:
        # A rebuild may bring a revision that a write brought at the same time.
        unique = {doc.row: doc for doc in docs}
        found = self._documents.find(np.fromiter(unique, np.int64, len(unique)))
        return [doc for doc, known in zip(unique.values(), found.tolist(), strict=True) if known < 0]

    def _append(self, docs: list[LexicalDoc], terms: list[list[int]]) -> None:
        flat = np.array([number for numbers in terms for number in numbers], np.int32)
        places = np.repeat(np.arange(len(docs)), [len(numbers) for numbers in terms])
        lengths = np.bincount(places[flat >= FIRST_CONTENT_TERM], minlength=len(docs)).astype(np.int32)
        first = len(self._documents)
        self._norms.extend(self._bm25.norms(lengths))
        self._documents.extend(
            np.array([doc.row for doc in docs], np.int64),
            np.array([doc.slot for doc in docs], np.int64),
            np.array([doc.version for doc in docs], np.int64),
            lengths,
        )
        self._recent_terms.extend(flat)
        self._recent_docs.extend(places + first)
        if len(self._recent_terms) >= _RECENT:
            self._close_block()
        self._corpus = None

    def _close_block(self) -> None:
        block = Postings.of_occurrences(self._recent_terms.view(), self._recent_docs.view())
        self._blocks = (*self._blocks, block)
        self._recent_terms, self._recent_docs = Growing(np.int32), Growing(np.int32)

    def _drop_gone(self) -> None:
        self._close_block()
        self._documents, numbers = self._documents.without_gone()
        self._blocks = tuple(block.renumbered(numbers) for block in self._blocks)
        self._norms = Growing(np.float32)
        self._norms.extend(self._bm25.norms(self._documents.lengths))
        self._corpus = None

    def _snapshot(self) -> Corpus:
        return Corpus(
            rows=self._documents.rows,
            order=self._documents.order(),
            norms=self._norms.view(),
            dead=self._documents.dead(),
            blocks=self._blocks,
            recent_terms=self._recent_terms.view(),
            recent_docs=self._recent_docs.view(),
        )
