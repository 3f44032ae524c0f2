"""Whatever is written, edited, forgotten, checkpointed, crashed and damaged in whatever order: recall equals brute force."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mindlog.filters import Filters
from mindlog.ids import MemoryId
from mindlog.index.analyzer import analyze
from mindlog.index.indexes import Indexes
from mindlog.settings import Settings
from tests.index.made import edit, memory, open_store, vector_of

LETTERS = "bcdfghklmnprstvz"


@dataclass(slots=True)
class Known:
    """What the test knows of one memory."""

    id: MemoryId
    text: str
    session: str
    live: bool = True


def name(number: int) -> str:
    """A word of its own for each number, of letters only: the analyzer takes digits apart."""
    return "w" + "".join(LETTERS[(number >> shift) & 15] for shift in (8, 4, 0)) + "o"


class IndexesFollowTheStore(RuleBasedStateMachine):
    """A store with indexes beside a dictionary of memories."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.root = Path(tempfile.mkdtemp(prefix="indexes-"))
        self.directory = self.root / "0"
        self.memories: dict[int, Known] = {}
        self.words = 0
        self.open()

    def open(self) -> None:
        self.store = open_store(self.directory)
        self.indexes = Indexes.open(self.store, self.directory / "index", Settings(data=self.directory))

    def close(self) -> None:
        self.run(self.store.aclose())
        self.indexes.close()

    def run(self, coroutine: Any) -> Any:
        return self.runner.run(coroutine)

    def teardown(self) -> None:
        self.close()
        self.runner.close()
        shutil.rmtree(self.root)

    def text(self) -> str:
        self.words += 1
        return f"common {name(self.words)}"

    def drawn(self, data: st.DataObject, *, live: bool) -> Known | None:
        slots = [slot for slot, known in sorted(self.memories.items()) if known.live is live]
        return self.memories[data.draw(st.sampled_from(slots))] if slots else None

    @initialize()
    def first(self) -> None:
        self.write(1, "s", 1)

    @rule(count=st.integers(1, 4), session=st.sampled_from(["s", "t"]), windows=st.integers(1, 3))
    def write(self, count: int, session: str, windows: int) -> None:
        texts = [self.text() for _ in range(count)]
        made = [
            memory(self.store, text, session=session, vectors=np.concatenate([vector_of(text)] * windows))
            for text in texts
        ]
        for text, outcome in zip(texts, self.run(self.store.persist_many(made)), strict=True):
            self.memories[outcome.id.slot] = Known(outcome.id, text, session)

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        if known := self.drawn(data, live=True):
            known.text = self.text()
            known.id = self.run(self.store.edit(edit(known.id, known.text))).id

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        if known := self.drawn(data, live=True):
            self.run(self.store.forget(1, [known.id.slot]))
            known.live = False

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        if known := self.drawn(data, live=False):
            self.run(self.store.restore(1, [known.id.slot], 0))
            known.live = True

    @rule()
    def checkpoint(self) -> None:
        self.indexes.vectors.fold(self.store.last_lsn)

    @rule()
    def restart(self) -> None:
        self.close()
        self.open()

    @rule()
    def crash(self) -> None:
        image = self.root / str(int(self.directory.name) + 1)
        shutil.copytree(self.directory, image)
        self.close()
        self.directory = image
        self.open()

    @rule(data=st.data())
    def damage(self, data: st.DataObject) -> None:
        self.close()
        files = sorted(path for path in (self.directory / "index").rglob("*") if path.is_file())
        if files:
            path = data.draw(st.sampled_from(files))
            content = path.read_bytes()
            path.write_bytes(content[: data.draw(st.integers(0, len(content)))] + b"?")
        self.open()

    @precondition(lambda self: self.memories)
    @invariant()
    def recall_is_exact(self) -> None:
        assert self.indexes.settle(30)
        view = self.indexes.view()
        for session in ("s", "t"):
            expected = {slot for slot, known in self.memories.items() if known.live and known.session == session}
            mask = view.mask(1, Filters(session=(session,)))
            assert set(view.slot[mask].tolist()) == expected
            by_vector = self.indexes.search_semantic(vector_of("probe")[0], mask, 1000).rows
            assert sorted(by_vector.tolist()) == np.flatnonzero(mask).tolist()
            by_word = self.indexes.search_lexical(analyze("common"), mask, 1000, dataset=1).rows
            assert sorted(by_word.tolist()) == np.flatnonzero(mask).tolist()
        everything = view.mask(1)
        for slot, known in self.memories.items():
            row = int(self.indexes.catalog.rows(np.array([slot]))[0])
            score = self.indexes.semantic_scores(vector_of(known.text)[0], np.array([row]))[0]
            assert abs(score - 1) < 1e-5
            found = self.indexes.search_lexical(analyze(known.text.split()[1]), everything, 5, dataset=1).rows
            assert found.tolist() == ([row] if known.live else [])

    @invariant()
    def the_indexes_agree_with_the_store(self) -> None:
        assert self.indexes.audit(self.store) == []
        assert [state.state for state in self.indexes.states()] == ["ready"] * 4


TestIndexesFollowTheStore = IndexesFollowTheStore.TestCase
TestIndexesFollowTheStore.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
