"""A real store with the reconcile steps around it, and short ways to tell it things and to ask what it knows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from mindlog.clock import from_iso, iso
from mindlog.ids import MemoryId
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import (
    SPEAKER,
    Claim,
    EntityKind,
    Extraction,
    Mention,
    Span,
    Tier,
    ValueType,
    validate,
)
from mindlog.knowledge.locks import DatasetLocks
from mindlog.knowledge.namevectors import NameVectors
from mindlog.knowledge.reconcile import RECONCILE, ReconcileJob
from mindlog.knowledge.regroup import regroup
from mindlog.models.embedder import Embedder
from mindlog.models.llm import LLM
from mindlog.pipeline import run
from mindlog.store.base import ModelStamp
from mindlog.store.graphrows import EntityQuery, EntityRow, GraphWrite, ProposalRow, StatementQuery, StatementRow
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.fakes import HashEmbedder


class Clock:
    """A clock that moves on by a second whenever somebody looks."""

    def __init__(self, at: str = "2025-01-01T00:00:00Z") -> None:
        self.at = from_iso(at, field="at")

    def now(self) -> int:
        self.at += 1_000_000
        return self.at


def at(day: str) -> int:
    return from_iso(day if "T" in day else f"{day}T12:00:00Z", field="day")


@cache
def reader() -> OfflineReader:
    return OfflineReader()


def said(text: str, *claims: tuple[str, ...], kinds: dict[str, EntityKind] | None = None, **more: object) -> Extraction:
    """An extraction of what one says: `(subject, predicate, object)`, an object written `=so` is a value."""
    kinds = kinds or {}
    ends = {end for subject, _, target in claims for end in (subject, target) if not end.startswith("=")}
    names = dict.fromkeys([*kinds, *(end for end in ends if end != SPEAKER)])
    mentions = tuple(
        Mention(
            name=name,
            kind=kinds.get(name, EntityKind.PERSON),
            spans=(Span(text.index(name), text.index(name) + len(name)),),
            confidence=0.9,
            tier=Tier.PATTERN,
        )
        for name in names
    )
    made = tuple(
        Claim(
            subject=subject,
            predicate=predicate,
            object=None if target.startswith("=") else target,
            value=target[1:] if target.startswith("=") else None,
            value_type=ValueType.TEXT if target.startswith("=") else None,
            spans=(Span(0, len(text)),),
            tier=Tier.PATTERN,
            **{"confidence": 0.9, **more},  # type: ignore[arg-type]
        )
        for subject, predicate, target in claims
    )
    extraction = Extraction(mentions=mentions, claims=made)
    assert validate(extraction, text) == extraction
    return extraction


@dataclass
class Graph:
    """An open store and what reconciling works with."""

    store: SqliteStore
    clock: Clock
    embedder: Embedder
    locks: DatasetLocks = field(default_factory=DatasetLocks)
    names: NameVectors = field(default_factory=NameVectors)
    record: dict[str, object] = field(default_factory=dict)
    write: GraphWrite | None = None

    def __post_init__(self) -> None:
        self.bench = Bench(self.store)

    # -- telling ------------------------------------------------------------------------------------------------------
    async def keep(
        self, text: str, day: str = "2024-03-01", agent: str | None = None, dataset: str = "default"
    ) -> MemoryId:
        """A memory that is kept and not read yet."""
        memory = self.bench.new(text, dedup=False, occurred_at=at(day), agent=agent, dataset=dataset)
        return (await self.store.persist(memory)).id

    async def read(
        self, memory: MemoryId, extraction: Extraction | None = None, llm: LLM | None = None
    ) -> ReconcileJob:
        """Reconcile a memory that is kept, with what the offline tiers find or with what is given."""
        kept = self.bench.get(memory.slot, memory.version)
        if extraction is None:
            source = Source(text=kept.text, occurred_at=kept.occurred_at)
            extraction = await asyncio.to_thread(reader().read, source)
        job = self.job(memory, extraction, llm)
        async with self.locks.hold(job.dataset.number):
            await run(RECONCILE, job)
        self.record, self.write = job.record, job.write
        return job

    async def tell(
        self,
        text: str,
        day: str = "2024-03-01",
        *,
        agent: str | None = None,
        dataset: str = "default",
        extraction: Extraction | None = None,
        llm: LLM | None = None,
    ) -> MemoryId:
        """Keep a text and reconcile it."""
        memory = await self.keep(text, day, agent, dataset)
        await self.read(memory, extraction, llm)
        return memory

    async def say(self, text: str, *claims: tuple[str, ...], day: str = "2024-03-01", **more: object) -> MemoryId:
        """Keep a text that says these claims and reconcile it."""
        return await self.tell(text, day, extraction=said(text, *claims, **more))  # type: ignore[arg-type]

    def job(self, memory: MemoryId, extraction: Extraction, llm: LLM | None = None) -> ReconcileJob:
        kept = self.bench.get(memory.slot, memory.version)
        dataset = self.store.dataset(kept.dataset)
        assert dataset is not None

        async def deliver(write: GraphWrite) -> None:
            await self.store.write_graph(write)

        return ReconcileJob(
            store=self.store,
            embedder=self.embedder,
            dataset=dataset,
            slot=memory.slot,
            version=memory.version,
            agent=kept.agent,
            occurred_at=kept.occurred_at,
            text=kept.text,
            extraction=extraction,
            now=self.clock.now(),
            deliver=deliver,
            llm=llm,
            names=self.names,
        )

    async def forget(self, memory: MemoryId) -> None:
        """Forget a memory and let the groups be reconciled."""
        await self.store.forget(self.number(), [memory.slot])
        await self.regroup()

    async def restore(self, memory: MemoryId) -> None:
        await self.store.restore(self.number(), [memory.slot], 0)
        await self.regroup()

    async def regroup(self) -> int:
        return await regroup(self.store, self.locks, 100)

    # -- asking -------------------------------------------------------------------------------------------------------
    def number(self, dataset: str = "default") -> int:
        return self.bench.number(dataset)

    def entities(self, dataset: str = "default") -> dict[str, EntityRow]:
        rows = self.store.list_entities(EntityQuery(dataset=self.number(dataset), limit=1000))
        assert len({row.name for row in rows}) == len(rows), [row.name for row in rows]
        return {row.name: row for row in rows}

    def names_of(self, dataset: str = "default") -> list[str]:
        return sorted(
            row.name for row in self.store.list_entities(EntityQuery(dataset=self.number(dataset), limit=1000))
        )

    def rows(self, **narrow: object) -> list[StatementRow]:
        query = StatementQuery(dataset=self.number(), **{"now": self.clock.now(), "limit": 1000, **narrow})  # type: ignore[arg-type]
        return self.store.statements(query)

    def believed(self, **narrow: object) -> set[str]:
        """The sentences that hold, now or at the instants given."""
        return {row.text for row in self.rows(**narrow)}

    def history(self, **narrow: object) -> dict[str, list[tuple[str | None, str | None, str | None]]]:
        """Every sentence with its intervals as days: from, to, superseded by."""
        rows = self.rows(current=False, **narrow)
        texts = {row.id: row.text for row in rows}
        return {
            row.text: [(_day(v.valid_from), _day(v.valid_to), texts.get(v.superseded_by or 0)) for v in row.validities]
            for row in rows
        }

    def contradictions(self) -> set[frozenset[str]]:
        rows = self.rows(current=False)
        texts = {row.id: row.text for row in rows}
        return {frozenset((row.text, texts[other])) for row in rows for other in row.contradicts}

    def proposals(self, status: str | None = "open") -> list[ProposalRow]:
        return self.store.proposals(self.number(), status, 100)

    def proposed(self) -> set[frozenset[str]]:
        return {frozenset((row.entity_name, row.other_name)) for row in self.proposals()}

    def events(self, since: int = 0) -> list[str]:
        """The types of the log entries about statements after an LSN."""
        return [row.type for row in self.store.log(since + 1, 1000) if row.type.startswith("statement_")]


def _day(moment: int | None) -> str | None:
    return None if moment is None else iso(moment)[:10]


@asynccontextmanager
async def opened(path: Path, embedder: Embedder | None = None) -> AsyncGenerator[Graph]:
    """A graph on an empty store."""
    embedder = embedder or HashEmbedder()
    clock = Clock()
    model = ModelStamp(name=embedder.name, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)
    store = SqliteStore.open(path, model=model, clock=clock)
    try:
        yield Graph(store, clock, embedder)
    finally:
        await store.aclose()
