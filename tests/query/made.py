"""A store with what derivation left in it, and questions asked of it: the operation itself, without an engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mindlog.filters import parse_filters
from mindlog.ids import parse_run_id
from mindlog.models.embedder import Embedder
from mindlog.models.llm import LLM
from mindlog.query.job import QueryJob, QueryTools
from mindlog.query.log import LogTrouble
from mindlog.query.pipeline import query, query_parts
from mindlog.query.setup import accept
from mindlog.recall.job import RecallTools
from mindlog.store.askingrows import QueryRow
from mindlog.views import AnswerPart, QueryRequest, QueryResult
from tests.derive.made import Clock, World, world


@dataclass
class Room(World):
    """A world that answers."""

    asking: QueryTools = None  # type: ignore[assignment]
    trouble: LogTrouble = field(default_factory=LogTrouble)
    last: QueryJob = None  # type: ignore[assignment]

    def job(self, question: str, *, user: str | None = None, **more: Any) -> QueryJob:
        """A job as the engine makes it."""
        filters = parse_filters(more.pop("filters", None))
        request = QueryRequest(question=question, filters=filters, **more)
        dataset = self.store.dataset(request.dataset)
        assert dataset is not None
        return accept(request, dataset, self.asking, user=user)

    async def ask(self, question: str, **more: Any) -> QueryResult:
        """The answer to a question; the job of it is kept in `last`."""
        self.last = self.job(question, **more)
        return await query(self.last, self.trouble)

    async def parts(self, question: str, **more: Any) -> list[AnswerPart]:
        """The answer piece by piece."""
        self.last = self.job(question, **more)
        return [part async for part in query_parts(self.last, self.trouble)]

    def row(self, result: QueryResult) -> QueryRow:
        """What is on record of a query."""
        row = self.store.query_run(parse_run_id(result.query_run_id, operation="query"))
        assert row is not None
        return row

    def statuses(self, result: QueryResult) -> dict[str, str]:
        """The status of every stage, as it is on record."""
        return {stage.name: stage.status for stage in self.row(result).stages}

    def count(self) -> int:
        """How many queries are on record."""
        return sum(self.store.query_counts().by_state.values())


@asynccontextmanager
async def room(
    path: Path,
    embedder: Embedder | None = None,
    *,
    llm: LLM | None = None,
    clock: Clock | None = None,
    tools: dict[str, Any] | None = None,
    **settings: Any,
) -> AsyncGenerator[Room]:
    """An open room on `path`/data. tools: further fields of the tools that answer, as the gazetteer."""
    async with world(path, embedder, llm=None, clock=clock, **settings) as made:
        asking = QueryTools(
            store=made.store,
            recall=RecallTools(
                store=made.store, indexes=made.indexes, embedder=made.tools.embedder, clock=made.tools.clock
            ),
            llm=llm,
            settings=made.tools.settings,
            clock=made.tools.clock,
            gazetteer=lambda: None,
        )
        asking = replace(asking, **(tools or {}))
        yield Room(made.store, made.indexes, made.tools, made.encoding, made.attempts, asking=asking)


async def asked(path: Path, question: str, *texts: str, **more: Any) -> QueryResult:
    """The answer to a question about these texts."""
    async with room(path) as made:
        for text in texts:
            await made.keep(text)
        await made.derive()
        return await made.ask(question, **more)
