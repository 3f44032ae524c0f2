"""The indexes follow the store: what is acknowledged is found, after any restart, deletion, damage or fault inside."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from typing import Any

import numpy as np
import pytest

from mindlog.errors import Closed, StoreDamaged, StoreReadOnly
from mindlog.filters import Filters
from mindlog.ids import MemoryId
from mindlog.index.analyzer import analyze
from mindlog.index.catalog import View
from mindlog.index.indexes import Indexes
from mindlog.index.lexical import LexicalIndex
from mindlog.index.vector import VectorIndex
from mindlog.settings import Settings
from mindlog.store.base import Change
from mindlog.store.graphrows import MemoryQuestions
from mindlog.store.runrows import StageCommit
from mindlog.store.sqlite import SqliteStore
from tests.index.made import DIMENSIONS, edit, memory, open_store, vector_of

SECONDS = 30.0


class House:
    """A store and its indexes in one directory."""

    def __init__(self, directory: Path, **settings: Any) -> None:
        self.directory = directory
        self.settings = Settings(data=directory, **settings)
        self.open()

    def open(self) -> None:
        self.store: SqliteStore = open_store(self.directory)
        self.indexes = Indexes.open(self.store, self.directory / "index", self.settings)

    async def close(self) -> None:
        await self.store.aclose()
        await asyncio.to_thread(self.indexes.close)

    async def restart(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        await self.close()
        meanwhile()
        self.open()

    async def write(self, *texts: str, **facts: Any) -> list[MemoryId]:
        outcomes = await self.store.persist_many([memory(self.store, text, **facts) for text in texts])
        return [outcome.id for outcome in outcomes if not isinstance(outcome, Exception)]

    @property
    def dataset(self) -> int:
        found = self.store.dataset("d")
        assert found is not None
        return found.number

    def slots(self, view: View, rows: Any) -> list[int]:
        return view.slot[rows].tolist()

    def by_meaning(self, text: str, k: int = 1, **filters: Any) -> list[int]:
        view = self.indexes.view()
        mask = view.mask(self.dataset, Filters(**filters))
        return self.slots(view, self.indexes.search_semantic(vector_of(text)[0], mask, k).rows)

    def by_word(self, text: str, k: int = 10, **filters: Any) -> list[int]:
        view = self.indexes.view()
        mask = view.mask(self.dataset, Filters(**filters))
        found = self.indexes.search_lexical(analyze(text), mask, k, dataset=self.dataset)
        return self.slots(view, found.rows)

    async def ask(self, identity: MemoryId, *questions: str) -> None:
        """Give the memory questions, as its hype stage does."""
        (run,) = [row.id for row in self.store.runs_of(identity.slot, identity.version)]
        await self.store.retry_runs([run], ["hype"])
        await self.store.claim_runs("test", 1000, 60_000_000)
        vectors = np.concatenate([vector_of(each) for each in questions]) if questions else np.empty((0, DIMENSIONS))
        results = MemoryQuestions(source="template", texts=questions, vectors=vectors.astype(np.float32))
        commit = StageCommit(
            run=run,
            owner="test",
            stage="hype",
            status="succeeded",
            error=None,
            started_at=1,
            finished_at=2,
            results=results,
        )
        await self.store.commit_stage(commit)

    def by_question(self, text: str, k: int = 10) -> list[int]:
        view = self.indexes.view()
        found = self.indexes.search_questions(vector_of(text)[0], view.mask(self.dataset), k)
        return self.slots(view, found.rows)

    def agrees(self) -> bool:
        assert self.indexes.settle(SECONDS)
        assert self.indexes.audit(self.store) == []
        return [state.state for state in self.indexes.states()] == ["ready"] * 4


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    house = House(tmp_path)
    yield house
    await house.close()


WORDS = [
    first + second
    for first in ("brom", "glut", "spol", "trin")
    for second in ("ka", "ko", "ku", "va", "vo", "vu", "za", "zo", "zu", "do")
]
TEXTS = [f"memory about {word} and the sea" for word in WORDS]


async def test_a_write_is_found_by_meaning_and_by_word_at_once_by_every_thread(house: House) -> None:
    for text in TEXTS[:10]:
        (identity,) = await house.write(text)
        assert house.by_meaning(text) == [identity.slot]
        word = text.split()[2]
        assert await asyncio.to_thread(house.by_word, word) == [identity.slot]
    assert house.agrees()


async def test_an_edited_memory_is_found_by_its_new_text_only(house: House) -> None:
    first, second = await house.write("an old alpha", "a still beta")
    await house.store.edit(edit(first, "a new gamma", {"k": 1}))
    assert house.by_word("alpha") == []
    assert house.by_word("gamma") == [first.slot]
    assert house.by_meaning("a new gamma") == [first.slot]
    assert sorted(house.by_meaning("an old alpha", k=10)) == [first.slot, second.slot]
    view = house.indexes.view()
    scores = house.indexes.semantic_scores(
        vector_of("an old alpha")[0], house.indexes.catalog.rows(np.array([first.slot]))
    )
    assert scores[0] < 0.9
    assert view.version[house.indexes.catalog.rows(np.array([first.slot]))].tolist() == [2]
    assert house.agrees()


async def test_a_forgotten_memory_is_in_no_answer_until_it_is_restored(house: House) -> None:
    ids = await house.write(*TEXTS[:5])
    await house.store.forget(house.dataset, [ids[2].slot])
    assert ids[2].slot not in house.by_meaning(TEXTS[2], k=10)
    assert house.by_word(WORDS[2]) == []
    await house.restart()
    assert house.agrees()
    assert house.by_word(WORDS[2]) == []
    await house.store.restore(house.dataset, [ids[2].slot], 0)
    assert house.by_meaning(TEXTS[2]) == [ids[2].slot]
    assert house.by_word(WORDS[2]) == [ids[2].slot]
    assert house.agrees()


async def test_forgotten_memories_weigh_nothing_in_the_statistics_before_and_after_a_restart(house: House) -> None:
    ids = await house.write(*TEXTS[:10])

    def score() -> float:
        house.indexes.view()  # takes in what was noted
        rows = house.indexes.catalog.rows(np.array([ids[0].slot]))
        return float(house.indexes.match_lexical(analyze(WORDS[0]), dataset=house.dataset).of(rows)[0])

    everything = score()
    await house.store.forget(house.dataset, [identity.slot for identity in ids[5:]])
    half = score()
    assert half < everything
    await house.restart()
    assert house.agrees()
    assert score() == half


async def test_questions_are_found_as_soon_as_they_are_committed_by_every_thread(house: House) -> None:
    ids = await house.write(*TEXTS[:5])
    for identity in ids:
        await house.ask(identity, f"question {identity.slot}", "another")
        assert house.by_question(f"question {identity.slot}", k=1) == [identity.slot]
        assert await asyncio.to_thread(house.by_question, f"question {identity.slot}", 1) == [identity.slot]
    assert house.agrees()
    await house.store.forget(house.dataset, [ids[2].slot])
    await house.store.edit(edit(ids[3], "another text"))
    assert sorted(house.by_question("another")) == [ids[0].slot, ids[1].slot, ids[4].slot]
    assert house.agrees()
    await house.restart()
    await house.store.restore(house.dataset, [ids[2].slot], 0)
    assert house.by_question(f"question {ids[2].slot}", k=1) == [ids[2].slot]
    assert house.agrees()


async def test_questions_of_a_crash_or_a_lost_directory_are_read_from_the_store(house: House, tmp_path: Path) -> None:
    ids = await house.write(*TEXTS[:5])
    for identity in ids[:3]:
        await house.ask(identity, f"question {identity.slot}")
    await house.restart()
    await house.ask(ids[0])
    await house.ask(ids[3], "a late question")
    shutil.copytree(house.directory, tmp_path / "image")
    image = House(tmp_path / "image")
    assert sorted(image.by_question("a late question")) == [ids[1].slot, ids[2].slot, ids[3].slot]
    assert image.agrees()
    await image.restart(lambda: shutil.rmtree(image.directory / "index"))
    assert image.by_question("a late question", k=1) == [ids[3].slot]
    assert image.agrees()
    await image.close()


async def test_questions_that_cannot_be_read_degrade_nothing_else(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindlog.index.side._PAUSE", 0.0)
    (identity,) = await house.write(TEXTS[0])
    house.indexes.view()
    with monkeypatch.context() as broken:
        broken.setattr(house.indexes.questions._vectors, "add", Breaks(lambda *_: None, 100, RuntimeError("no luck")))
        await house.ask(identity, "a question")
        house.indexes.view()
        assert house.indexes.settle(SECONDS)
        state = next(state for state in house.indexes.states() if state.name == "questions")
        assert (state.state, state.detail) == ("degraded", "RuntimeError: no luck")
        assert house.by_word(WORDS[0]) == [identity.slot]
    await house.ask(identity, "another question")
    assert house.by_question("another question") == [identity.slot]
    assert house.agrees()


async def test_a_keyword_is_found_whatever_the_vectors_say(house: House) -> None:
    await house.write(*TEXTS)
    (wanted,) = await house.write("the pump failed with ERR-7F3A-99", vectors=-vector_of("ERR-7F3A-99"))
    assert house.by_word("ERR-7F3A-99", k=5) == [wanted.slot]


async def test_filters_hold_in_both_searches(house: House) -> None:
    same = "the very same text"
    (ann,) = await house.write(same, agent="ann", session="s")
    (bob,) = await house.write(same, agent="bob", session="t")
    for search in (house.by_meaning, house.by_word):
        assert search(same, k=10, agent=("bob",)) == [bob.slot]
        assert search(same, k=10, session=("s",)) == [ann.slot]
        assert search(same, k=10, agent=("nobody",)) == []
        assert search(same, k=10) == [ann.slot, bob.slot]


async def test_a_speaker_is_found_by_name(house: House) -> None:
    (ann,) = await house.write("went to the coast", agent="Annabel")
    assert house.by_word("annabel") == [ann.slot]


async def test_one_datasets_memories_are_not_another_ones(house: House) -> None:
    (mine,) = await house.write("a shared sentence")
    await house.write("a shared sentence", dataset="other")
    assert house.by_meaning("a shared sentence", k=10) == [mine.slot]
    assert house.by_word("shared") == [mine.slot]


async def test_a_restart_reads_the_checkpoints_and_nothing_is_missing(house: House) -> None:
    await house.write(*TEXTS)
    await house.restart()
    vectors = house.indexes.vectors.state()
    assert (vectors.rows, vectors.tail) == (40, 0)
    assert house.agrees()
    assert house.by_word(WORDS[7]) == house.by_meaning(TEXTS[7])


async def test_a_crash_before_any_checkpoint_is_made_good_from_the_store(house: House, tmp_path: Path) -> None:
    ids = await house.write(*TEXTS)
    await house.store.edit(edit(ids[3], "a changed text"))
    await house.store.forget(house.dataset, [ids[4].slot])
    shutil.copytree(house.directory, tmp_path / "image")
    image = House(tmp_path / "image")
    assert image.by_meaning("a changed text") == [ids[3].slot]
    assert image.agrees()
    assert image.by_word("changed") == [ids[3].slot]
    assert image.by_word(WORDS[4]) == []
    await image.close()


async def test_the_index_directory_may_be_deleted_between_runs(house: House) -> None:
    ids = await house.write(*TEXTS)
    await house.store.forget(house.dataset, [ids[0].slot])
    await house.restart(lambda: shutil.rmtree(house.directory / "index"))
    assert house.agrees()
    assert house.by_word(WORDS[9]) == [ids[9].slot]
    assert house.by_word(WORDS[0]) == []


def all_files(directory: Path) -> list[Path]:
    return [path for path in sorted(directory.rglob("*")) if path.is_file()]


@pytest.mark.parametrize("part", ["vectors", "lexical"])
async def test_damage_of_a_checkpoint_is_a_rebuild_with_right_answers(house: House, part: str) -> None:
    ids = await house.write(*TEXTS)

    def damage() -> None:
        for path in all_files(house.directory / "index" / part):
            content = bytearray(path.read_bytes())
            content[len(content) // 3] ^= 4
            path.write_bytes(content)

    await house.restart(damage)
    assert house.agrees()
    for number in (0, 20, 39):
        assert house.by_word(WORDS[number]) == house.by_meaning(TEXTS[number]) == [ids[number].slot]


async def test_memories_written_while_the_index_was_away_are_fed(house: House) -> None:
    await house.write(*TEXTS[:20])
    await house.close()
    store = open_store(house.directory)
    late = await store.persist(memory(store, TEXTS[30]))
    first = next(store.catalog())
    await store.edit(edit(MemoryId(0, first.slot, first.version), "changed meanwhile"))
    await store.aclose()
    house.open()
    assert house.agrees()
    assert house.by_meaning(TEXTS[30]) == house.by_word(WORDS[30]) == [late.id.slot]
    assert house.by_word(WORDS[0]) == []
    assert house.by_word("meanwhile") == [first.slot]


async def test_recall_works_and_the_state_says_so_while_much_is_rebuilt(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await house.write(*TEXTS)
    await house.close()
    shutil.rmtree(house.directory / "index")
    go_on = Event()
    read = SqliteStore.index_vectors

    def held(store: SqliteStore, slots: Any = None) -> Any:
        assert go_on.wait(SECONDS)
        return read(store, slots)

    monkeypatch.setattr("mindlog.index.indexes._SYNCHRONOUS_ROWS", 10)
    monkeypatch.setattr(SqliteStore, "index_vectors", held)
    house.open()
    assert {state.name: state.state for state in house.indexes.states()}["vectors"] == "rebuilding"
    assert house.by_meaning(TEXTS[0], k=50) == []
    (new,) = await house.write("written during the rebuild")
    assert house.by_meaning("written during the rebuild") == [new.slot]
    go_on.set()
    assert house.agrees()
    assert house.by_meaning(TEXTS[0]) == [ids[0].slot]


async def test_closing_does_not_wait_for_a_rebuild(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.write(*TEXTS)
    await house.close()
    shutil.rmtree(house.directory / "index")
    monkeypatch.setattr("mindlog.index.feed._TEXTS_AT_ONCE", 1)
    monkeypatch.setattr("mindlog.index.indexes._SYNCHRONOUS_ROWS", 0)
    entered, closing = Event(), Event()
    match = LexicalIndex.match

    calls: list[int] = []

    def held(index: LexicalIndex, *arguments: Any, **named: Any) -> Any:
        calls.append(1)
        entered.set()
        assert closing.wait(SECONDS)
        return match(index, *arguments, **named)

    monkeypatch.setattr(LexicalIndex, "match", held)
    house.open()
    assert entered.wait(SECONDS)
    close = Thread(target=house.indexes.close)
    close.start()
    assert house.indexes._upkeep.closing.wait(SECONDS)
    closing.set()
    close.join(SECONDS)
    assert not close.is_alive()
    assert len(calls) < 5  # of forty texts, each a bite of its own
    monkeypatch.undo()
    await house.restart()
    assert house.agrees()


# -- faults inside -----------------------------------------------------------------------------------------------------


class Breaks:
    """A call that fails so many times, then works."""

    def __init__(self, call: Callable[..., Any], times: int, error: Exception) -> None:
        self.call, self.left, self.error = call, times, error

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.left:
            self.left -= 1
            raise self.error
        return self.call(*arguments, **named)


@pytest.mark.parametrize("error", [RuntimeError("native"), OSError(28, "full"), MemoryError(), KeyError("k")])
@pytest.mark.parametrize("part", ["vectors", "lexical", "catalog"])
async def test_a_fault_inside_an_index_loses_no_write_and_is_made_good(
    house: House, monkeypatch: pytest.MonkeyPatch, part: str, error: Exception
) -> None:
    await house.write(*TEXTS[:5])
    indexes = house.indexes
    target = {"vectors": indexes.vectors, "lexical": indexes._texts.lexical, "catalog": indexes.catalog}[part]
    name = "publish" if part == "catalog" else "add"
    monkeypatch.setattr(target, name, Breaks(getattr(target, name), 1, error))
    (broken,) = await house.write(TEXTS[5])
    (after,) = await house.write(TEXTS[6])
    assert house.agrees()
    for text, identity in ((TEXTS[5], broken), (TEXTS[6], after)):
        assert house.by_meaning(text) == [identity.slot]
        assert house.by_word(text.split()[2]) == [identity.slot]


async def test_a_memory_that_one_index_refused_is_found_by_the_other_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.write(*TEXTS[:5])
    vectors = house.indexes.vectors
    monkeypatch.setattr(vectors, "add", Breaks(vectors.add, 1, RuntimeError("native")))
    with monkeypatch.context() as asleep:
        asleep.setattr(house.indexes._upkeep, "wake", lambda: None)
        (broken,) = await house.write(TEXTS[5])
        assert house.by_word(WORDS[5]) == [broken.slot]
        assert house.by_meaning(TEXTS[5], k=10).count(broken.slot) == 0
        state = next(state for state in house.indexes.states() if state.name == "vectors")
        assert (state.state, state.detail) == ("rebuilding", "RuntimeError: native")
    await house.write(TEXTS[6])
    assert house.agrees()
    assert house.by_meaning(TEXTS[5]) == [broken.slot]


async def test_an_edit_whose_publication_failed_leaves_no_old_revision_behind(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = await house.write("an old alpha", "another text")
    catalog = house.indexes.catalog
    monkeypatch.setattr(catalog, "publish", Breaks(catalog.publish, 1, RuntimeError("halfway")))
    await house.store.edit(edit(first, "a new gamma"))
    assert house.agrees()
    assert house.by_word("alpha") == []
    assert house.by_meaning("an old alpha", k=10).count(first.slot) == 1
    assert house.by_word("gamma") == [first.slot]


async def test_an_index_that_cannot_be_fed_says_that_it_failed_and_why(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindlog.index.side._PAUSE", 0.0)
    await house.write(*TEXTS[:3])
    house.indexes.view()  # these three are in before anything breaks
    with monkeypatch.context() as broken:
        for name in ("add", "load"):
            broken.setattr(VectorIndex, name, Breaks(getattr(VectorIndex, name), 100, RuntimeError("no luck")))
        await house.write(TEXTS[3])
        assert house.indexes.settle(SECONDS)
        state = next(state for state in house.indexes.states() if state.name == "vectors")
        assert (state.state, state.detail) == ("failed", "RuntimeError: no luck")
        assert house.by_word(WORDS[3]) != []
        assert house.by_meaning(TEXTS[0], k=10) != []
    (later,) = await house.write(TEXTS[4])
    assert house.agrees()
    assert house.by_meaning(TEXTS[4]) == [later.slot]
    assert len(house.by_meaning(TEXTS[0], k=10)) == 5


async def test_a_checkpoint_that_cannot_be_written_is_told_and_stops_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small = House(tmp_path / "small", checkpoint_rows=100)
    monkeypatch.setattr(VectorIndex, "fold", Breaks(VectorIndex.fold, 1, OSError(28, "No space left")))
    await small.write(*(f"text {number}" for number in range(150)))
    assert small.indexes.settle(SECONDS)
    assert "No space left" in (small.indexes.states()[1].detail or "")
    (new,) = await small.write("still written")
    assert small.by_meaning("still written") == [new.slot]
    await small.restart()
    assert small.agrees()
    await small.close()


async def test_audit_names_what_differs(house: House) -> None:
    ids = await house.write(*TEXTS[:3])
    house.indexes.view()  # takes in what was noted
    catalog = house.indexes.catalog
    catalog.publish(catalog.stage([next(row for row in house.store.catalog() if row.slot == ids[0].slot)]))
    assert house.indexes.audit(house.store) == []
    await house.close()
    house.store = open_store(house.directory)
    unheard = await house.store.persist(memory(house.store, "nobody told the index"))
    found = house.indexes.audit(house.store)
    assert f"catalog: slot {unheard.id.slot} version 1 is missing" in found
    assert any(sentence.startswith("vectors:") for sentence in found)
    assert any(sentence.startswith("lexical:") for sentence in found)


# -- upkeep ------------------------------------------------------------------------------------------------------------


async def test_tails_are_checkpointed_in_the_background_when_they_grow(tmp_path: Path) -> None:
    house = House(tmp_path, checkpoint_rows=100)
    await house.write(*(f"text {number}" for number in range(250)))
    assert house.indexes.settle(SECONDS)
    vectors = house.indexes.vectors.state()
    assert vectors.tail < 100
    assert vectors.checkpoint_lsn > 0
    assert house.agrees()
    await house.close()


async def test_a_large_store_gets_a_graph_and_answers_the_same(tmp_path: Path) -> None:
    house = House(tmp_path, ann_threshold=1000, checkpoint_rows=500)
    texts = [f"text {number}" for number in range(1500)]
    ids = await house.write(*texts)
    assert house.indexes.settle(SECONDS)
    assert house.indexes.vectors.has_graph
    for number in range(0, 1500, 100):
        assert house.by_meaning(texts[number]) == [ids[number].slot]
    assert house.agrees()
    await house.close()


async def test_closing_twice_is_harmless_and_a_commit_after_it_is_left_for_the_next_run(house: House) -> None:
    await house.write(*TEXTS[:3])
    house.indexes.close()
    house.indexes.close()
    (late,) = await house.write(TEXTS[3])
    await house.store.aclose()
    house.open()
    assert house.agrees()
    assert house.by_word(WORDS[3]) == [late.slot]


async def test_readers_see_each_commit_whole_while_writers_write(house: House) -> None:
    stop = Event()
    odd: list[Any] = []

    def read() -> None:
        while not stop.is_set():
            view = house.indexes.view()
            if not view.length:
                continue
            mask = view.mask(1)
            found = house.indexes.search_semantic(vector_of("probe")[0], mask, 10_000)
            if sorted(found.rows.tolist()) != np.flatnonzero(mask).tolist():
                odd.append((len(found.rows), int(mask.sum())))
            lexical = house.indexes.search_lexical(analyze("common"), mask, 10_000, dataset=1)
            # The last two of each ten are edited or forgotten: those may go between the view and the search.
            steady = np.flatnonzero(mask & ((view.slot - 1) % 10 < 8))
            if not (mask[lexical.rows].all() and np.isin(steady, lexical.rows).all()):
                odd.append(("lexical", len(lexical.rows), int(mask.sum())))

    reader = Thread(target=read)
    reader.start()
    ids: list[MemoryId] = []
    for batch in range(30):
        ids += await house.write(*(f"common text {batch} {number}" for number in range(10)))
        await house.store.edit(edit(ids[-1], f"common again {batch}"))
        await house.store.forget(house.dataset, [ids[-2].slot])
    stop.set()
    await asyncio.to_thread(reader.join)
    assert odd == []
    assert house.agrees()


def test_a_change_may_come_without_text_and_vectors(tmp_path: Path) -> None:
    async def run() -> None:
        house = House(tmp_path)
        await house.write(*TEXTS[:2])
        rows = list(house.store.catalog())
        await house.close()
        shutil.rmtree(house.directory / "index")
        store = open_store(tmp_path)
        heard: list[Any] = []
        store.on_commit = heard.append  # type: ignore[method-assign]
        catalog = store.catalog
        store.catalog = lambda after_slot=-1: iter(()) if not heard[1:] else catalog(after_slot)  # type: ignore[method-assign]
        indexes = Indexes.open(store, tmp_path / "index", house.settings)
        heard.append("open")
        heard[0]([Change(row=row, text=None, vectors=None) for row in rows])
        assert indexes.settle(SECONDS)
        assert indexes.audit(store) == []
        await store.aclose()
        indexes.close()

    asyncio.run(run())


async def test_an_index_directory_that_cannot_be_used_is_a_clear_error(house: House) -> None:
    await house.close()
    shutil.rmtree(house.directory / "index")
    (house.directory / "index").write_text("in the way")
    house.store = open_store(house.directory)
    with pytest.raises(StoreReadOnly, match="index"):
        Indexes.open(house.store, house.directory / "index", house.settings)


async def test_an_opening_that_fails_leaves_no_thread_behind(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.write(*TEXTS[:3])
    await house.restart()
    before = sorted(thread.name for thread in enumerate_threads())

    def failing(store: SqliteStore, after_slot: int = -1) -> Any:
        raise StoreDamaged("unreadable")

    monkeypatch.setattr(SqliteStore, "catalog", failing)
    with pytest.raises(StoreDamaged):
        Indexes.open(house.store, house.directory / "second", house.settings)
    # Not how many there are at all: an engine of other tests may be open beside this one.
    assert sorted(thread.name for thread in enumerate_threads()) == before


async def test_a_store_that_closes_during_a_rebuild_is_no_fault(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await house.write(*TEXTS)
    await house.close()
    shutil.rmtree(house.directory / "index")

    def closed(store: SqliteStore, slots: Any = None) -> Any:
        raise Closed

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "index_texts", closed)
        patch.setattr("mindlog.index.side._PAUSE", 0.0)
        house.open()
        await house.close()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    house.open()
    assert house.agrees()
