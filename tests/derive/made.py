"""A store with its indexes and the tools of derivation, and a few verbs: keep a text, derive what waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mindlog.clock import SystemClock
from mindlog.derive.job import DeriveTools
from mindlog.derive.pipeline import derive
from mindlog.encode.job import EncodeTools
from mindlog.encode.pipeline import encode
from mindlog.encode.validate import Limits
from mindlog.ids import MemoryId
from mindlog.index.indexes import Indexes
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.locks import DatasetLocks
from mindlog.knowledge.namevectors import NameVectors
from mindlog.knowledge.reading import Reading
from mindlog.models.embedder import Embedder
from mindlog.models.llm import LLM
from mindlog.pipeline import UNOBSERVED
from mindlog.records import EncodeRequest
from mindlog.runs.attempt import Attempt
from mindlog.runs.pace import Pace
from mindlog.runs.retry import run_end
from mindlog.settings import Settings
from mindlog.store.base import ModelStamp
from mindlog.store.graphrows import EdgeRow, EntityQuery, EntityRow, QuestionRow, StatementQuery, StatementRow
from mindlog.store.runrows import ClaimedRun, RunRow
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.fakes import HashEmbedder

OWNER = "tests"
LEASE = 60_000_000
DAY = 86_400_000_000


class Clock:
    """A clock that a test sets; it goes on by a microsecond a look, so that no two moments are the same."""

    def __init__(self, at: int = 1_700_000_000_000_000) -> None:
        self.at = at

    def now(self) -> int:
        self.at += 1
        return self.at


@dataclass
class World:
    """An open store and what derivation works with."""

    store: SqliteStore
    indexes: Indexes
    tools: DeriveTools
    encoding: EncodeTools
    attempts: dict[int, Attempt] = field(default_factory=dict)

    # -- doing --------------------------------------------------------------------------------------------------------
    async def keep(self, text: str, **more: object) -> MemoryId:
        """The id of a memory that was kept."""
        request = EncodeRequest(text=text, **more)  # type: ignore[arg-type]
        return (await encode(request, self.encoding, UNOBSERVED)).id

    async def derive(self, at_once: int = 1) -> list[ClaimedRun]:
        """Derive all that is due, so many memories beside each other; the runs in the order they were claimed."""
        done: list[ClaimedRun] = []
        while runs := await self.store.claim_runs(OWNER, at_once, LEASE):
            await asyncio.gather(*(self.see_through(run) for run in runs))
            done += runs
        return done

    async def see_through(self, run: ClaimedRun) -> Attempt:
        """Make one attempt at a run and record its end, as the worker does."""
        attempt = self.attempts[run.id] = await derive(run, OWNER, self.tools)
        end = run_end(run, OWNER, attempt, now=self.tools.clock.now(), pace=Pace.of_derive(self.tools.settings))
        if end is not None:
            await self.store.end_run(end)
        return attempt

    async def again(self, memory: MemoryId, stages: Sequence[str] | None = None) -> None:
        """Start the memory's run again, as an administrator would, and derive it."""
        assert await self.store.retry_runs([self.run(memory).id], stages)
        await self.derive()

    # -- looking ------------------------------------------------------------------------------------------------------
    def run(self, memory: MemoryId) -> RunRow:
        (row,) = self.store.runs_of(memory.slot, memory.version)
        return row

    def stage(self, memory: MemoryId, name: str) -> str:
        """The status of a stage."""
        return next(stage.status for stage in self.run(memory).stages if stage.name == name)

    def output(self, memory: MemoryId, stage: str) -> dict[str, object]:
        return dict(self.store.run_outputs(self.run(memory).id)[stage])

    def edges(self, *memories: MemoryId) -> list[EdgeRow]:
        return sorted(
            self.store.edges([memory.slot for memory in memories]), key=lambda e: (e.source, e.kind, e.target)
        )

    def questions(self, memory: MemoryId) -> list[QuestionRow]:
        return self.store.questions([memory.slot])

    def statements(self, dataset: str = "default", **narrow: object) -> list[StatementRow]:
        """What is or was believed, oldest first."""
        query = StatementQuery(
            dataset=self.number(dataset), now=self.tools.clock.now(), current=False, limit=1000, **narrow
        )  # type: ignore[arg-type]
        return self.store.statements(query)[::-1]

    def sentences(self, dataset: str = "default", **narrow: object) -> list[str]:
        return sorted(row.text for row in self.statements(dataset, **narrow))

    def entities(self, dataset: str = "default") -> list[EntityRow]:
        return self.store.list_entities(EntityQuery(dataset=self.number(dataset), limit=1000))

    def names(self, dataset: str = "default") -> list[str]:
        return sorted(row.name for row in self.entities(dataset))

    def number(self, dataset: str = "default") -> int:
        found = self.store.dataset(dataset)
        assert found is not None
        return found.number


@asynccontextmanager
async def world(
    path: Path,
    embedder: Embedder | None = None,
    *,
    llm: LLM | None = None,
    clock: Clock | None = None,
    classifier: bool = False,
    **settings: object,
) -> AsyncGenerator[World]:
    """An open world on `path`/data, closed in the end."""
    chosen = Settings(data=path / "data", classifier=classifier, **settings)  # type: ignore[arg-type]
    model = embedder or HashEmbedder()
    stamp = ModelStamp(name=model.name, fingerprint=model.fingerprint, dimensions=model.dimensions)
    store = SqliteStore.open(chosen.data, model=stamp, settings=chosen, clock=clock or SystemClock())
    indexes = Indexes.open(store, chosen.data / "index", chosen)
    tools = DeriveTools(
        store=store,
        indexes=indexes,
        embedder=model,
        reader=Reading(OfflineReader(classifier=chosen.classifier)),
        llm=llm,
        settings=chosen,
        locks=DatasetLocks(),
        names=NameVectors(),
        clock=clock or SystemClock(),
    )
    limits = Limits(text_bytes=chosen.max_text_bytes, metadata_bytes=chosen.max_metadata_bytes)
    try:
        if store.dataset("default") is None:
            await store.put_dataset("default", None)
        yield World(store, indexes, tools, EncodeTools(store=store, embedder=model, limits=limits))
    finally:
        await tools.aclose()
        indexes.close()
        await store.aclose()
