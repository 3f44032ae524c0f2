"""Random histories with crashes against a model of plain dicts: what was acknowledged is there, whole, and nothing else."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mindlog.errors import IdempotencyConflict
from mindlog.ids import MemoryId
from mindlog.records import Memory, MemoryState, Outcome, Persisted
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.faults import armed
from tests.store.made import MODEL

T = TypeVar("T")

TEXTS = st.sampled_from(["alpha", "beta", "gamma", "delta"])
REQUESTS = st.sampled_from([None, ("r1", "p"), ("r1", "q"), ("r2", "p")])
PICK = st.integers(0, 30)


@dataclass
class Row:
    """What the model knows of a memory."""

    dataset: str
    text: str
    version: int = 1
    forgotten: bool = False
    holds_key: bool = True
    texts: dict[int, str] = field(default_factory=dict)


@dataclass
class Model:
    rows: dict[int, Row] = field(default_factory=dict)
    answers: dict[tuple[str, str], tuple[str, Persisted]] = field(default_factory=dict)
    lsn: int = 0
    datasets: set[str] = field(default_factory=set)

    def copy(self) -> Model:
        rows = {slot: replace(row, texts=dict(row.texts)) for slot, row in self.rows.items()}
        return Model(rows, dict(self.answers), self.lsn, set(self.datasets))

    def owner(self, dataset: str, text: str) -> int | None:
        holders = [
            s
            for s, r in self.rows.items()
            if not r.forgotten and r.holds_key and (r.dataset, r.text) == (dataset, text)
        ]
        assert len(holders) <= 1
        return holders[0] if holders else None

    def live(self) -> list[int]:
        return [slot for slot, row in self.rows.items() if not row.forgotten]


class History(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="mindlog-history-"))
        self.runner = asyncio.Runner()
        self.lives = 0
        self.model = Model()
        self.directory = self.root / "0"
        self.open()

    def open(self) -> None:
        self.store = SqliteStore.open(self.directory, model=MODEL)
        self.bench = Bench(self.store)

    def run(self, call: Awaitable[T]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(30):
                return await call

        return self.runner.run(bounded())

    def teardown(self) -> None:
        self.store.close()
        self.runner.close()
        shutil.rmtree(self.root)

    # -- writes -----------------------------------------------------------------------------------------------------
    def write(self, text: str, dataset: str, request: tuple[str, str] | None) -> None:
        """Persist and move the model to what the contract says."""
        model = self.model
        asked = model.answers.get((dataset, request[0])) if request else None
        owner = model.owner(dataset, text)
        memory = self.bench.new(text, dataset=dataset, request=request)
        try:
            got = self.run(self.store.persist(memory))
        except IdempotencyConflict:
            assert request is not None
            assert asked is not None
            assert asked[0] != request[1]
            return
        if asked is not None and request is not None:
            assert asked[0] == request[1]
            assert got == replace(asked[1], outcome=Outcome.REPLAYED)
        elif owner is not None:
            assert (got.outcome, got.id) == (Outcome.DEDUPLICATED, MemoryId(0, owner, model.rows[owner].version))
        else:
            assert (got.outcome, got.id) == (Outcome.CREATED, MemoryId(0, memory.slot, 1))
            model.lsn += 1 if dataset in model.datasets else 2
            assert got.lsn == model.lsn
            model.datasets.add(dataset)
            model.rows[memory.slot] = Row(dataset, text, texts={1: text})
        if request is not None and asked is None:
            model.answers[dataset, request[0]] = (request[1], got)

    @rule(text=TEXTS, dataset=st.sampled_from(["a", "b"]), request=REQUESTS)
    def persist(self, text: str, dataset: str, request: tuple[str, str] | None) -> None:
        self.write(text, dataset, request)

    @rule(texts=st.lists(TEXTS, min_size=1, max_size=6))
    def persist_a_batch_without_dedup(self, texts: list[str]) -> None:
        memories = [self.bench.new(text, dataset="a", dedup=False) for text in texts]
        self.model.lsn += len(texts) if "a" in self.model.datasets else len(texts) + 1
        self.model.datasets.add("a")
        for memory, got in zip(memories, self.run(self.store.persist_many(memories)), strict=True):
            assert isinstance(got, Persisted)
            self.model.rows[memory.slot] = Row("a", memory.text, holds_key=False, texts={1: memory.text})
        assert self.store.last_lsn == self.model.lsn

    @precondition(lambda self: self.model.live())
    @rule(pick=PICK, text=TEXTS)
    def edit(self, pick: int, text: str) -> None:
        live = self.model.live()
        slot = live[pick % len(live)]
        row = self.model.rows[slot]
        owner = self.model.owner(row.dataset, text)
        self.run(self.store.edit(self.bench.edit(self.bench.get(slot), text)))
        row.text, row.version, row.holds_key = text, row.version + 1, owner in (None, slot)
        row.texts[row.version] = text
        self.model.lsn += 1

    @precondition(lambda self: self.model.rows)
    @rule(pick=PICK)
    def forget(self, pick: int) -> None:
        slot = list(self.model.rows)[pick % len(self.model.rows)]
        row = self.model.rows[slot]
        outcome = self.run(self.store.forget(self.bench.number(row.dataset), [slot]))
        assert len(outcome.ids) == (not row.forgotten)
        self.model.lsn += not row.forgotten
        row.forgotten = True

    @precondition(lambda self: self.model.rows)
    @rule(pick=PICK)
    def restore(self, pick: int) -> None:
        slot = list(self.model.rows)[pick % len(self.model.rows)]
        row = self.model.rows[slot]
        outcome = self.run(self.store.restore(self.bench.number(row.dataset), [slot], 0))
        assert len(outcome.ids) == row.forgotten
        if row.forgotten:
            row.holds_key = row.holds_key and self.model.owner(row.dataset, row.text) is None
            row.forgotten = False
            self.model.lsn += 1

    @rule()
    def checkpoint(self) -> None:
        self.run(self.store.checkpoint())

    # -- crashes ----------------------------------------------------------------------------------------------------
    def copy_files(self) -> None:
        """Take the files as a kill at this instant would leave them."""
        self.lives += 1
        shutil.copytree(self.directory, self.root / str(self.lives))

    def live_on_in_the_copy(self) -> None:
        self.store.close()
        shutil.rmtree(self.directory)
        self.directory = self.root / str(self.lives)
        self.open()

    @rule()
    def crash_between_writes(self) -> None:
        self.copy_files()
        self.live_on_in_the_copy()

    @rule(text=TEXTS, request=REQUESTS, window=st.sampled_from(["in_transaction", "after_commit_before_ack"]))
    def crash_in_a_write(self, text: str, request: tuple[str, str] | None, window: str) -> None:
        """Die before the commit (the write never was) or between commit and ack (it was, and a retry is told so)."""
        before = self.model.copy()
        with armed(window, self.copy_files):
            self.write(text, "a", request)
        if window == "in_transaction":
            self.model = before
        self.live_on_in_the_copy()
        self.write(text, "a", request)

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.open()

    # -- what must hold ---------------------------------------------------------------------------------------------
    @invariant()
    def everything_acknowledged_is_there_and_nothing_else(self) -> None:
        rows = {row.slot: row for row in self.store.catalog()}
        assert rows.keys() == self.model.rows.keys()
        memories: list[Memory] = self.store.memories(list(rows))
        for memory in memories:
            expected = self.model.rows[memory.id.slot]
            state = MemoryState.FORGOTTEN if expected.forgotten else MemoryState.LIVE
            facts: tuple[Any, ...] = (expected.text, expected.version, expected.dataset, state)
            assert (memory.text, memory.id.version, memory.dataset, memory.state) == facts
            for version, text in expected.texts.items():
                assert self.bench.get(memory.id.slot, version).text == text

    @invariant()
    def every_current_revision_has_its_own_vectors(self) -> None:
        for each in self.store.index_vectors():
            row = self.model.rows[each.slot]
            assert each.version == row.version
            np.testing.assert_array_equal(each.vectors, self.bench.vectors(row.text))

    @invariant()
    def the_log_has_no_gap(self) -> None:
        lsns = [row.lsn for row in self.store.log(1, 10_000)]
        assert lsns == list(range(1, self.model.lsn + 1))
        assert self.store.last_lsn == self.model.lsn

    @invariant()
    def dedup_answers_as_the_model_does(self) -> None:
        for dataset in self.model.datasets:
            for text in ("alpha", "beta", "gamma", "delta"):
                found = self.store.peek(dataset, None, self.bench.new(text, dataset=dataset).dedup_key)
                assert (found and found.id.slot) == self.model.owner(dataset, text)


History.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestHistory = History.TestCase
