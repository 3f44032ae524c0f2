"""The questions index: found by any of a memory's questions, and in step with the store through edits, restarts and damage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from numpy.typing import NDArray

from mindlog.index.audit import question_differences
from mindlog.index.catalog import Catalog
from mindlog.index.questions import QuestionIndex
from mindlog.records import MemoryState
from mindlog.store.graphrows import QuestionRow, QuestionsChange
from tests.index.made import CALM, DIMENSIONS, row, unit, vector_of

MODEL = "f" * 16
NEARLY = 0.02  # scores are those of vectors rounded to a byte a number
Floats = NDArray[np.float32]


def asked(*texts: str) -> Floats:
    return np.concatenate([vector_of(text) for text in texts]) if texts else np.empty((0, DIMENSIONS), np.float32)


class Kept:
    """The store's side: questions by revision, with ids as SQLite gives them (one above the highest there is)."""

    def __init__(self) -> None:
        self.sets: dict[tuple[int, int], list[tuple[int, Floats]]] = {}
        self.forgotten: set[int] = set()
        self.last_lsn = 0
        self.listeners: list[Callable[[Any], None]] = []
        self.reads = 0

    def question_vectors(self, after_id: int, limit: int) -> list[tuple[int, int, int, Floats]]:
        self.reads += 1
        found = [
            (i, slot, version, vector)
            for (slot, version), each in self.sets.items()
            for i, vector in each
            if i > after_id and slot not in self.forgotten
        ]
        return sorted(found, key=lambda each: each[0])[:limit]

    def questions(self, slots: Sequence[int]) -> list[QuestionRow]:
        return [
            QuestionRow(id=i, slot=slot, version=version, text="", source="template")
            for (slot, version), each in sorted(self.sets.items())
            for i, _ in each
            if slot in slots and slot not in self.forgotten
        ]

    def commit(self, slot: int, version: int, vectors: Floats) -> None:
        self.sets.pop((slot, version), None)
        first = 1 + max((i for each in self.sets.values() for i, _ in each), default=0)
        if len(vectors):
            self.sets[slot, version] = [(first + n, vector) for n, vector in enumerate(vectors)]
        self.last_lsn += 1
        for listener in self.listeners:
            listener([QuestionsChange(slot=slot, version=version, vectors=vectors)])


class Desk:
    """A catalog of memories with their questions, on disk in one directory."""

    def __init__(self, directory: Path, memories: int = 10) -> None:
        self.directory = directory
        self.kept = Kept()
        self.versions = dict.fromkeys(range(1, memories + 1), 1)
        self.lock = Lock()
        self.open()

    def open(self) -> None:
        self.catalog = Catalog()
        self.catalog.load(
            row(slot, version, state=MemoryState.FORGOTTEN if slot in self.kept.forgotten else MemoryState.LIVE)
            for slot, version in self.versions.items()
        )
        self.index = QuestionIndex.open(self.kept, self.catalog, self.directory, DIMENSIONS, MODEL)
        self.kept.listeners = [self.index.put]
        self.index.attach()

    def walk(self) -> None:
        self.index.walk(self.lock, Event())

    def close(self) -> None:
        self.index.take()
        self.index.save(1, 0 if self.index.in_doubt else self.kept.last_lsn)
        self.index.close()

    def crash(self) -> None:
        self.index.close()

    def ask(self, slot: int, *texts: str) -> None:
        self.kept.commit(slot, self.versions[slot], asked(*texts))

    def edit(self, slot: int) -> None:
        self.versions[slot] += 1
        self.catalog.publish(self.catalog.stage([row(slot, self.versions[slot])]))

    def forget(self, slot: int) -> None:
        self.kept.forgotten.add(slot)
        self.kept.last_lsn += 1
        facts = row(slot, self.versions[slot], state=MemoryState.FORGOTTEN)
        self.catalog.publish(self.catalog.stage([facts]))

    def restore(self, slot: int) -> None:
        self.kept.forgotten.remove(slot)
        self.kept.last_lsn += 1
        self.catalog.publish(self.catalog.stage([row(slot, self.versions[slot])]))
        self.index.restored([slot])

    def found(self, vector: Floats, k: int = 100) -> list[tuple[int, float]]:
        self.index.take()
        view = self.catalog.view()
        found = self.index.search(vector, view.mask(1), k)
        return list(zip(view.slot[found.rows].tolist(), found.scores.tolist(), strict=True))

    def slots(self, text: str, k: int = 100) -> list[int]:
        return [slot for slot, _ in self.found(vector_of(text)[0], k)]

    def truth(self, vector: Floats) -> dict[int, float]:
        return {
            slot: max(float(each @ vector) for _, each in self.kept.sets[slot, version])
            for slot, version in self.versions.items()
            if (slot, version) in self.kept.sets and slot not in self.kept.forgotten
        }

    def agrees(self) -> bool:
        self.index.take()
        assert list(question_differences(self.kept, self.catalog, self.index.held())) == []
        vector = vector_of("any cue")[0]
        found, truth = self.found(vector), self.truth(vector)
        assert dict(found) == pytest.approx(truth, abs=NEARLY)
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
        return True


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "questions")
    desk.walk()
    return desk


def test_a_memory_is_found_by_each_of_its_questions_and_once(desk: Desk) -> None:
    desk.ask(3, "where is the lamp", "who keeps the lamp")
    desk.ask(4, "when does the ship leave")
    assert desk.slots("where is the lamp", 1) == desk.slots("who keeps the lamp", 1) == [3]
    assert sorted(desk.slots("anything")) == [3, 4]
    assert desk.agrees()


def test_new_questions_of_a_revision_take_the_place_of_the_old_ones(desk: Desk) -> None:
    desk.ask(3, "where is the lamp")
    assert desk.found(vector_of("where is the lamp")[0], 1)[0][1] == pytest.approx(1, abs=NEARLY)
    desk.ask(3, "who keeps the lamp", "why is it lit")
    assert desk.found(vector_of("where is the lamp")[0], 1)[0][1] < 0.9
    assert desk.slots("why is it lit") == [3]
    assert desk.agrees()


def test_cleared_questions_find_nothing(desk: Desk) -> None:
    desk.ask(3, "where is the lamp")
    desk.ask(3)
    assert desk.slots("where is the lamp") == []
    assert desk.agrees()


def test_the_questions_of_an_old_revision_find_nothing_also_after_a_restart(desk: Desk) -> None:
    desk.ask(3, "where is the lamp")
    desk.index.take()
    desk.edit(3)
    assert desk.slots("where is the lamp") == []
    desk.close()
    desk.open()
    assert desk.slots("where is the lamp") == []
    desk.ask(3, "where is the new lamp")
    assert desk.slots("where is the new lamp") == [3]
    assert desk.agrees()


def test_questions_that_come_after_the_edit_they_missed_are_passed_over(desk: Desk) -> None:
    desk.edit(3)
    desk.kept.commit(3, 1, asked("of the old revision"))
    assert desk.slots("of the old revision") == []
    assert desk.agrees()


def test_only_rows_of_the_mask_are_found_and_scored_rows_get_their_own_best(desk: Desk) -> None:
    for slot in range(1, 11):
        desk.ask(slot, f"question {slot}", f"another {slot}")
    desk.index.take()
    view, vector = desk.catalog.view(), vector_of("question 7")[0]
    mask = view.mask(1) & (view.slot % 2 == 0)
    assert sorted(view.slot[desk.index.search(vector, mask, 100).rows].tolist()) == [2, 4, 6, 8, 10]
    rows = desk.catalog.rows(np.array([7, 8]))
    scores = desk.index.scores(vector, rows, np.array([7, 8]))
    truth = desk.truth(vector)
    assert scores.tolist() == pytest.approx([truth[7], truth[8]], abs=1e-5)
    desk.ask(8)
    desk.index.take()
    assert desk.index.scores(vector, rows, np.array([7, 8])).tolist() == pytest.approx([truth[7], 0], abs=1e-5)


def test_a_view_that_is_older_than_a_memory_does_not_find_it(desk: Desk) -> None:
    old = desk.catalog.view()
    desk.versions[11] = 1
    desk.catalog.publish(desk.catalog.stage([row(11)]))
    desk.ask(11, "brand new")
    desk.index.take()
    assert desk.index.search(vector_of("brand new")[0], old.mask(1), 10).rows.size == 0
    assert desk.slots("brand new") == [11]


def test_a_clean_restart_reads_the_files_and_not_the_store(desk: Desk) -> None:
    desk.ask(3, "where is the lamp", "who keeps the lamp")
    desk.close()
    desk.kept.reads = 0
    desk.open()
    assert not desk.index.in_doubt
    assert desk.kept.reads == 0
    assert desk.slots("where is the lamp") == [3]
    assert desk.agrees()


@pytest.mark.parametrize("saved", [False, True])
def test_after_a_crash_a_walk_puts_right_what_was_replaced_cleared_and_added(desk: Desk, saved: bool) -> None:
    for slot in range(1, 6):
        desk.ask(slot, f"question {slot}", f"another {slot}")
    desk.close()
    desk.open()
    desk.ask(1, "replaced")
    desk.ask(2)
    desk.ask(6, "added")
    desk.index.take()
    if saved:
        desk.index.save(2)
    desk.crash()
    desk.open()
    assert desk.index.in_doubt
    desk.walk()
    assert not desk.index.in_doubt
    assert desk.slots("replaced", 1) == [1]
    assert sorted(desk.slots("anything")) == [1, 3, 4, 5, 6]
    assert desk.agrees()


def test_a_set_on_the_list_whose_vectors_were_never_written_is_read_again(desk: Desk) -> None:
    desk.ask(3, "where is the lamp")
    desk.close()
    for path in (desk.directory / "vectors").iterdir():
        (path / "floats").write_bytes(b"damaged")
    desk.open()
    assert desk.index.in_doubt
    desk.walk()
    assert desk.slots("where is the lamp") == [3]
    assert desk.agrees()


@pytest.mark.parametrize("name", ["slots", "versions", "stamps", "manifest.json"])
def test_a_damaged_list_is_not_believed(desk: Desk, name: str) -> None:
    desk.ask(3, "where is the lamp")
    desk.close()
    path = desk.directory / "sets" / name
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    desk.open()
    assert desk.index.in_doubt
    desk.walk()
    assert desk.agrees()


def test_files_of_another_model_are_not_read(desk: Desk) -> None:
    desk.ask(3, "where is the lamp")
    desk.close()
    other = QuestionIndex.open(desk.kept, desk.catalog, desk.directory, DIMENSIONS, "another model")
    other.attach()
    assert other.in_doubt
    assert other.held() == {}


def test_a_walk_by_pages_never_cuts_a_memorys_questions_in_two(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindlog.index.questions._AT_ONCE", 4)
    desk.crash()
    for slot in range(1, 11):
        desk.kept.commit(slot, 1, asked(*(f"question {slot} {n}" for n in range(slot % 4 + 1))))
    desk.open()
    desk.walk()
    assert not desk.index.in_doubt
    assert desk.agrees()


def test_questions_replaced_while_the_walk_is_between_two_pages_stay_replaced(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindlog.index.questions._AT_ONCE", 4)
    desk.crash()
    for slot in range(1, 9):
        desk.kept.commit(slot, 1, asked(f"question {slot}", f"another {slot}"))
    desk.open()
    read = desk.kept.question_vectors
    changes = iter([lambda: desk.ask(1, "first again"), lambda: desk.ask(8, "last again"), lambda: desk.ask(5)])

    def reading(after_id: int, limit: int) -> Any:
        page = read(after_id, limit)
        next(changes, lambda: None)()
        return page

    monkeypatch.setattr(desk.kept, "question_vectors", reading)
    desk.walk()
    monkeypatch.undo()
    assert not desk.index.in_doubt
    assert desk.agrees()


def test_a_fault_while_adding_is_told_and_made_good_by_a_walk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(desk.index._vectors, "add", lambda *_: (_ for _ in ()).throw(RuntimeError("native")))
        desk.ask(3, "where is the lamp")
        desk.index.take()
    assert desk.index.in_doubt
    assert (desk.index.state().state, desk.index.state().detail) == ("rebuilding", "RuntimeError: native")
    desk.walk()
    assert desk.slots("where is the lamp") == [3]
    assert desk.agrees()


def test_the_questions_of_a_restored_memory_are_there_though_the_walk_did_not_meet_it(desk: Desk) -> None:
    desk.ask(3, "where is the lamp", "who keeps the lamp")
    desk.ask(4, "when does the ship leave")
    desk.index.take()
    desk.forget(3)
    desk.crash()
    desk.open()
    desk.walk()
    assert desk.slots("where is the lamp") == [4]
    desk.restore(3)
    assert desk.slots("who keeps the lamp", 1) == [3]
    assert desk.agrees()


def test_a_forgotten_memory_keeps_its_questions_out_of_sight(desk: Desk) -> None:
    desk.ask(3, "where is the lamp")
    desk.index.take()
    desk.forget(3)
    assert desk.slots("where is the lamp") == []
    desk.walk()
    assert desk.agrees()
    desk.close()
    desk.open()
    assert desk.slots("where is the lamp") == []
    desk.restore(3)
    assert desk.slots("where is the lamp") == [3]
    assert desk.agrees()


def test_a_bounded_walk_leaves_the_rest_for_later(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindlog.index.questions._AT_ONCE", 4)
    desk.crash()
    for slot in range(1, 11):
        desk.kept.commit(slot, 1, asked(f"question {slot}"))
    desk.open()
    desk.index.walk(desk.lock, Event(), most=4)
    assert desk.index.in_doubt
    assert 0 < len(desk.slots("anything")) < 10
    desk.walk()
    assert desk.agrees()


def test_replaced_questions_leave_the_disk_in_time(desk: Desk) -> None:
    for turn in range(12):
        for slot in range(1, 11):
            desk.ask(slot, f"question {slot} of {turn}")
        desk.index.take()
        desk.index.save(turn + 1)
    slots, _ = desk.index._vectors.known()
    assert len(slots) <= 20
    assert desk.agrees()


questions = st.lists(st.integers(0, 30).map("question {}".format), max_size=4)


class QuestionsMachine(RuleBasedStateMachine):
    """Anything that may happen to questions, against the store's own account of them."""

    @initialize(directory=st.uuids())
    def begin(self, directory: Any) -> None:
        self.scratch = TemporaryDirectory()
        self.desk = Desk(Path(self.scratch.name) / str(directory), memories=6)
        self.desk.walk()

    @rule(slot=st.integers(1, 6), texts=questions)
    def ask(self, slot: int, texts: list[str]) -> None:
        self.desk.ask(slot, *texts) if slot not in self.desk.kept.forgotten else None

    @rule(slot=st.integers(1, 6))
    def edit(self, slot: int) -> None:
        self.desk.index.take()
        if slot not in self.desk.kept.forgotten:
            self.desk.edit(slot)

    @rule(slot=st.integers(1, 6))
    def forget_or_restore(self, slot: int) -> None:
        self.desk.restore(slot) if slot in self.desk.kept.forgotten else self.desk.forget(slot)

    @rule()
    def checkpoint(self) -> None:
        self.desk.index.take()
        self.desk.index.save(1)

    @rule(clean=st.booleans())
    def restart(self, clean: bool) -> None:
        self.desk.close() if clean else self.desk.crash()
        self.desk.open()
        # A store that never had questions keeps no list of them: it is asked, which costs nothing.
        listed = (self.desk.directory / "sets").exists()
        assert not (clean and listed and self.desk.index.in_doubt)
        if self.desk.index.in_doubt:
            self.desk.walk()

    @invariant()
    def agrees(self) -> None:
        if hasattr(self, "desk"):
            assert self.desk.agrees()

    def teardown(self) -> None:
        if hasattr(self, "desk"):
            self.desk.crash()
            self.scratch.cleanup()


TestQuestionsMachine = QuestionsMachine.TestCase
TestQuestionsMachine.settings = settings(CALM, max_examples=40, stateful_step_count=25)


def test_many_questions_are_searched_as_well_as_vectors(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    desk = Desk(tmp_path / "questions", memories=3000)
    desk.walk()
    vectors = unit(rng.standard_normal((6000, DIMENSIONS)))
    for slot in range(1, 3001):
        desk.kept.commit(slot, 1, vectors[2 * slot - 2 : 2 * slot])
    desk.index.take()
    cue = unit(rng.standard_normal((1, DIMENSIONS)))[0]
    best = sorted(desk.truth(cue).items(), key=lambda item: -item[1])[:10]
    assert len({slot for slot, _ in desk.found(cue, 10)} & {slot for slot, _ in best}) >= 8
    assert len(desk.index.held()) == 3000
