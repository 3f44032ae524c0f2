"""The questions index: vectors of the questions that memories answer, searched by the memories' catalog rows.

Owns how it follows the store: what a commit tells, what a walk over the store makes good, what is on disk. The vectors are
in a `VectorIndex` of its own whose rows are the ordinals of `QuestionSets`. Changes are made under the indexes' lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from threading import Event, Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mindlog.index.base import Candidates, IndexState
from mindlog.index.catalog import Catalog
from mindlog.index.inbox import Inbox
from mindlog.index.questionsets import QuestionSets, read_sets, stamp_of, write_sets
from mindlog.index.side import Side
from mindlog.index.vector import VectorIndex
from mindlog.store.graphrows import QuestionRow, QuestionsChange

__all__ = ["QuestionIndex", "QuestionSource"]

Floats = NDArray[np.float32]
_Question = tuple[int, int, int, Floats]  # id, slot, version, vector
_AT_ONCE = 512  # questions read while the lock is held; more than one memory can have


class QuestionSource(Protocol):
    """What the index reads of a store."""

    def question_vectors(self, after_id: int, limit: int) -> list[tuple[int, int, int, Floats]]:
        """Return (question id, slot, version, vector) of live memories by rising id above one."""
        ...

    def questions(self, slots: Sequence[int]) -> list[QuestionRow]:
        """Return the questions of the live memories among the slots."""
        ...

    @property
    def last_lsn(self) -> int:
        """The LSN of the last commit."""
        ...


class QuestionIndex:
    """Questions by memory. `put` is for the store's writer, the rest of the changes for whoever holds the lock."""

    def __init__(
        self, source: QuestionSource, catalog: Catalog, vectors: VectorIndex, directory: Path, model: str
    ) -> None:
        self._source = source
        self._catalog = catalog
        self._vectors = vectors
        self._directory = directory
        self._model = model
        self._sets = QuestionSets()
        self._inbox: Inbox[QuestionsChange] = Inbox()
        self._in_doubt = True  # whether it may differ from the store
        self._unseen: set[int] = set()  # live slots that a walk over the store has not met so far
        self._restored: list[int] = []  # slots that may have questions again
        self.side = Side("questions")

    @classmethod
    def open(
        cls, source: QuestionSource, catalog: Catalog, directory: Path, dimensions: int, model: str
    ) -> QuestionIndex:
        """Read what is on disk. Creates the directory."""
        vectors = VectorIndex.open(directory / "vectors", dimensions=dimensions, model=model)
        return cls(source, catalog, vectors, directory / "sets", model)

    def attach(self) -> None:
        """Tie what is on disk to the catalog, which is loaded; `in_doubt` then says whether the store must be walked."""
        sets, lsn = read_sets(self._directory, self._model)
        rows = self._catalog.rows_of(sets.slots, sets.versions)
        current = sets.only(rows >= 0)
        self._sets.put(current.slots, current.versions, current.stamps, rows[rows >= 0])
        self._vectors.attach(self._current)
        live = self._sets.live()
        lost = live[~self._vectors.covered(live)]
        self._sets.drop(self._sets.named(lost).slots)
        self._in_doubt = bool(len(lost)) or lsn != self._source.last_lsn

    def _current(self, slots: NDArray[np.int64], stamps: NDArray[np.uint32]) -> NDArray[np.int64]:
        ordinals = self._sets.stamped(slots, stamps)
        if len(self._sets.rows):
            ordinals[self._sets.rows.take(ordinals, mode="clip") != self._catalog.rows(slots)] = -1
        return ordinals

    # -- following the store ------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """How many changes are noted and not taken in."""
        return self._inbox.waiting

    def put(self, changes: Sequence[QuestionsChange]) -> None:
        """Note a commit; whoever looks next takes it in."""
        self._inbox.put(changes)

    def restored(self, slots: Sequence[int]) -> None:
        """Note memories that reads see again: a walk meets live ones only, so their questions may be missing."""
        self._restored += slots

    def take(self) -> None:
        """Take in what was noted; whatever goes wrong is made good by a walk over the store."""
        self._inbox.take(lambda changes: self.side.attempt(lambda: self._take(changes)))
        if self._restored:
            restored, self._restored = self._restored, []
            self.side.attempt(lambda: self._take_back(restored))
        self._in_doubt = self._in_doubt or self.side.is_behind

    def _take_back(self, restored: Sequence[int]) -> None:
        slots = np.array(sorted(set(restored)), np.int64)
        missing = slots[self._sets.ordinals(slots) < 0].tolist()
        for at in range(0, len(missing), _AT_ONCE):
            for _, questions in groupby(
                self._source.questions(missing[at : at + _AT_ONCE]), key=lambda each: each.slot
            ):
                first, *rest = [each.id for each in questions]
                page = self._source.question_vectors(first - 1, 1 + len(rest))
                self._put_page(page)

    def _take(self, changes: Sequence[QuestionsChange]) -> None:
        last = {change.slot: change for change in changes}
        self._unseen.difference_update(last)
        self._put([(change.slot, change.version, change.vectors) for change in last.values()])

    def _put(self, questions: Sequence[tuple[int, int, Floats]]) -> None:
        slots = np.array([slot for slot, _, _ in questions], np.int64)
        versions = np.array([version for _, version, _ in questions], np.uint32)
        stamps = np.array([stamp_of(version, vectors) for _, version, vectors in questions], np.uint32)
        rows = self._catalog.rows_of(slots, versions)
        some = np.array([len(vectors) > 0 for _, _, vectors in questions], np.bool_)
        self._sets.drop(slots[~some & (rows >= 0)])
        fresh = np.flatnonzero(some & (rows >= 0) & ~self._vectors.covered(self._current(slots, stamps)))
        if len(fresh):
            ordinals = self._sets.put(slots[fresh], versions[fresh], stamps[fresh], rows[fresh])
            self._vectors.add(ordinals, slots[fresh], stamps[fresh], [questions[at][2] for at in fresh.tolist()])

    # -- making good --------------------------------------------------------------------------------------------------

    @property
    def in_doubt(self) -> bool:
        """Whether the index may differ from the store, so that a walk is needed."""
        return self._in_doubt

    def doubt(self) -> None:
        """Have the next upkeep walk over the store."""
        self._in_doubt = True
        self.side.fall_behind()

    def walk(self, lock: Lock, stop: Event, most: int | None = None) -> None:
        """Compare with the store's questions and put right what differs; give up after `most` of them if given."""
        with lock:
            self.take()
            self._unseen = {slot for slot, _ in self.held()}
        after, met = 0, 0
        while not stop.is_set() and (most is None or met < most):
            with lock:
                # Read under the lock, after what was noted: so nothing older can come over something newer.
                self.take()
                page = self._source.question_vectors(after, _AT_ONCE)
                whole = _whole(page)
                self._put_page(whole)
                if len(page) < _AT_ONCE:
                    self._sets.drop(np.array(sorted(self._unseen), np.int64))
                    self._unseen.clear()
                    self._in_doubt = False
                    return
            after, met = whole[-1][0], met + len(whole)

    def _put_page(self, page: Sequence[_Question]) -> None:
        sets = [
            (slot, version, np.stack([vector for _, _, _, vector in questions]))
            for (slot, version), questions in groupby(page, key=_revision)
        ]
        self._unseen.difference_update(slot for slot, _, _ in sets)
        self._put(sets)

    # -- searching ----------------------------------------------------------------------------------------------------

    def search(self, vector: Floats, mask: NDArray[np.bool_], k: int) -> Candidates:
        """Return about the k catalog rows of the mask with the nearest question by cosine; every one with questions if fewer."""
        rows = self._sets.rows
        if not len(rows):
            return Candidates(np.empty(0, np.int64), np.empty(0, np.float32))
        found = self._vectors.search_roughly(vector, np.append(mask, np.False_).take(rows, mode="clip"), k)
        own = rows[found.rows]
        order = np.lexsort((own, -found.scores))
        return Candidates(own[order], found.scores[order])

    def scores(self, vector: Floats, rows: NDArray[np.int64], slots: NDArray[np.int64]) -> Floats:
        """Return the cosine of each catalog row's nearest question, 0 for a row without questions. slots: the rows'."""
        ordinals = self._sets.ordinals(slots)
        known = self._sets.rows
        if not len(known):
            return np.zeros(len(rows), np.float32)
        ordinals[(ordinals >= len(known)) | (known.take(ordinals, mode="clip") != rows)] = -1
        return self._vectors.scores(vector, ordinals)

    # -- health and end -----------------------------------------------------------------------------------------------

    def state(self) -> IndexState:
        """Return how the index is. It never fails a recall: what it lacks makes it `degraded` at most."""
        told = self.side.tell(replace(self._vectors.state(), name="questions", rows=len(self._sets.live())))
        return replace(told, state="degraded") if told.state == "failed" else told

    def held(self) -> dict[tuple[int, int], int]:
        """Return the stamp of every live memory's current revision that has questions here."""
        live = self._sets.live()
        named, rows = self._sets.named(live), self._sets.rows[live]
        current = (self._catalog.rows(named.slots) == rows) & self._catalog.view().is_live(rows)
        named = named.only(current & self._vectors.covered(live))
        return dict(
            zip(zip(named.slots.tolist(), named.versions.tolist(), strict=True), named.stamps.tolist(), strict=True)
        )

    @property
    def unfolded(self) -> int:
        """How many questions are in memory only."""
        return self._vectors.unfolded

    def save(self, lsn: int, complete_to: int = 0) -> None:
        """Write a checkpoint. `lsn`: for the segments; `complete_to`: up to which the index is known to be whole, 0 if it is not."""
        self._vectors.fold(lsn)
        live = self._sets.live()
        if not len(live) and not self._directory.exists():
            return  # a store without questions needs no list of them
        current = live[self._catalog.rows(self._sets.named(live).slots) == self._sets.rows[live]]
        write_sets(self._directory, self._sets.named(current), self._model, complete_to)

    def close(self) -> None:
        """Let go of the mapped files."""
        self._vectors.close()


def _whole(page: Sequence[_Question]) -> Sequence[_Question]:
    """Return a full page without its last set, which may go on on the next one."""
    if len(page) < _AT_ONCE:
        return page
    last = _revision(page[-1])
    end = next((at for at in range(len(page), 0, -1) if _revision(page[at - 1]) != last), len(page))
    return page[:end]


def _revision(question: _Question) -> tuple[int, int]:
    return question[1], question[2]
