"""A store with its indexes and the tools of remember, a web of its own, and a few verbs: remember a text, look at what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mindlog.encode.job import EncodeTools
from mindlog.encode.pipeline import encode
from mindlog.encode.validate import Limits
from mindlog.ids import MemoryId
from mindlog.index.indexes import Indexes
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.locks import DatasetLocks
from mindlog.knowledge.namevectors import NameVectors
from mindlog.knowledge.places.gazetteer import Gazetteer
from mindlog.knowledge.reading import Reading
from mindlog.models.counting import estimate_tokens
from mindlog.models.llm import LLM
from mindlog.pipeline import UNOBSERVED
from mindlog.providers.configured import geocoder_of, search_of, series_of
from mindlog.records import EncodeRequest, Memory
from mindlog.remember.job import RememberTools
from mindlog.remember.pipeline import remember
from mindlog.remember.setup import accept
from mindlog.runs.attempt import Attempt
from mindlog.runs.inferences import StoredInferences
from mindlog.runs.pace import Pace
from mindlog.runs.retry import run_end
from mindlog.settings import Settings
from mindlog.store.askingrows import PlaceRow, SeriesRow
from mindlog.store.base import ModelStamp
from mindlog.store.documentrows import RememberRow, TextRow
from mindlog.store.graphrows import EntityQuery, StatementQuery, StatementRow
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.fakes import HashEmbedder
from mindlog.views import RememberRequest
from tests.derive.made import Clock

OWNER = "tests"
LEASE = 600_000_000


@dataclass
class World:
    """An open store and what remember works with."""

    store: SqliteStore
    tools: RememberTools

    # -- doing --------------------------------------------------------------------------------------------------------
    async def remember(self, text: str, **more: Any) -> RememberRow:
        """Remember a text and see its run through; returns its row."""
        run = await self.accept(text, **more)
        await self.attempt()
        return self.run(run)

    async def accept(self, text: str, **more: Any) -> int:
        """Commit a document with its run, and no more; returns the run."""
        name = more.pop("name", "notes.md")
        request = RememberRequest(text=text, name=name, content_type="text/markdown", **more)
        dataset = self.store.dataset(request.dataset)
        new = await accept(request, dataset, self.tools.settings, self.tools.clock)
        return (await self.store.start_remember(new)).run

    async def attempt(self) -> Attempt:
        """Make one attempt at the run that is due, and record its end as the worker does."""
        claimed = await self.store.claim_remember(OWNER, LEASE, ())
        assert claimed is not None
        attempt = await remember(claimed, OWNER, self.tools)
        pace = Pace.of_remember(self.tools.settings)
        end = run_end(claimed, OWNER, attempt, now=self.tools.clock.now(), pace=pace)
        if end is not None:
            await self.store.end_remember(end)
        return attempt

    async def say(self, text: str, **more: Any) -> MemoryId:
        """Keep a memory of somebody's own."""
        return (await encode(EncodeRequest(text=text, **more), self.tools.encode, UNOBSERVED)).id

    # -- looking ------------------------------------------------------------------------------------------------------
    def run(self, run: int) -> RememberRow:
        row = self.store.remember_run(run)
        assert row is not None
        return row

    def output(self, row: RememberRow, stage: str) -> Mapping[str, Any]:
        return self.store.remember_outputs(row.id).get(stage, {})

    def texts(self, row: RememberRow, origin: str) -> list[TextRow]:
        return self.store.texts(row.id, origin)

    def memory(self, text: TextRow) -> Memory:
        memory = self.store.memory(text.memory_id.slot)
        assert memory is not None
        return memory

    def places(self) -> dict[str, PlaceRow]:
        """The places of entities by their entity's name."""
        names = {row.id: row.name for row in self.store.list_entities(EntityQuery(dataset=self.number(), limit=1000))}
        return {names[row.entity]: row for row in self.store.places(self.number()) if row.entity is not None}

    def series(self) -> dict[str, SeriesRow]:
        return {row.name: row for row in self.store.series(self.number(), limit=1000)}

    def statements(self, **narrow: Any) -> list[StatementRow]:
        """What is believed to hold now, oldest first."""
        query = StatementQuery(dataset=self.number(), now=self.tools.clock.now(), limit=1000, **narrow)
        return self.store.statements(query)[::-1]

    def sentences(self) -> list[str]:
        return sorted(row.text for row in self.statements())

    def number(self) -> int:
        found = self.store.dataset("default")
        assert found is not None
        return found.number


def stage(row: RememberRow, name: str) -> tuple[str, str | None]:
    """How a stage ended, and its error."""
    return next((each.status, each.error) for each in row.stages if each.name == name)


@asynccontextmanager
async def world(
    path: Path,
    *,
    llm: LLM | None = None,
    gazetteer: Callable[[], Gazetteer | None] = lambda: None,
    **settings: Any,
) -> AsyncGenerator[World]:
    """An open world on `path`/data, closed in the end. settings: those of a `FakeWeb` open its providers."""
    chosen = Settings(data=path / "data", classifier=False, provider_seconds=5, **settings)
    clock, embedder = Clock(), HashEmbedder()
    stamp = ModelStamp(name=embedder.name, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)
    store = SqliteStore.open(chosen.data, model=stamp, settings=chosen, clock=clock)
    indexes = Indexes.open(store, chosen.data / "index", chosen)
    limits = Limits(text_bytes=chosen.max_text_bytes, metadata_bytes=chosen.max_metadata_bytes)
    made = (
        await asyncio.to_thread(make, chosen, inferences=StoredInferences(store), clock=clock)
        for make in (search_of, geocoder_of, series_of)
    )
    search, geocoder, series = [each async for each in made]
    tools = RememberTools(
        store=store,
        embedder=embedder,
        encode=EncodeTools(store=store, embedder=embedder, limits=limits),
        reader=Reading(OfflineReader(classifier=False)),
        llm=llm,
        settings=chosen,
        locks=DatasetLocks(),
        names=NameVectors(),
        clock=clock,
        count_tokens=estimate_tokens,
        gazetteer=gazetteer,
        search=search,
        geocoder=geocoder,
        series=tuple(series),
    )
    try:
        await store.put_dataset("default", None)
        yield World(store, tools)
    finally:
        await tools.reader.aclose()
        for provider in (search, geocoder, *series):
            if provider is not None:
                await provider.aclose()
        indexes.close()
        await store.aclose()


def without(world: World, **changed: Any) -> World:
    """The same store with other tools."""
    return World(world.store, replace(world.tools, **changed))
