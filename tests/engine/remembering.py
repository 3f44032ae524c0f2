"""What the tests of documents are made with: an engine that remembers, a document of numbered parts, its run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mindlog.access import LOCAL
from mindlog.engine import Engine
from mindlog.views import DocumentText, RememberRequest, RememberResult, Run, RunRequest
from tests.engine.made import BOUND, ManualClock, opened

SMALL = {"chunk_tokens": 32, "chunk_max_tokens": 64}
NAMES = ("Anna", "Bruno", "Clara", "Dora", "Emil", "Felix", "Greta", "Hanna", "Ivo", "Jana")
SURNAMES = ("Reis", "Costa", "Moura", "Pinto")
TOWNS = ("Porto", "Lisbon", "Faro", "Braga", "Coimbra", "Evora", "Sintra")
STAGES = (
    *("classify_complexity", "chunk_text", "extract_graph", "summarize_chunk", "load_candidates", "resolve_edges"),
    *("store", "store_series", "resolve_geo", "web_search", "fetch_series", "observe_series"),
)


def part(number: int, says: str = "") -> str:
    """One part of a document: with `SMALL` it is a chunk of its own."""
    town = TOWNS[number % len(TOWNS)]
    said = says or f"{who(number)} lives in {town}."
    more = "The harbour was quiet that morning and nobody spoke of the storm of the year before."
    return f"# Part {number}\n\n{said} {more}"


def who(number: int) -> str:
    """Whom a part speaks of."""
    return f"{NAMES[number % 10]} {SURNAMES[number // 10]}"


def document(numbers: Iterable[int]) -> str:
    """A document of parts."""
    return "\n\n".join(map(part, numbers))


@asynccontextmanager
async def remembering(path: Path, clock: ManualClock | None = None, **settings: object) -> AsyncGenerator[Engine]:
    """An engine that remembers and derives; a document is cut into its parts."""
    chosen = {"derive": True, "remember": True, "classifier": False, "drain_seconds": BOUND, **SMALL, **settings}
    async with opened(path, clock=clock, **chosen) as engine:
        yield engine


async def remembered(engine: Engine, text: str | None = None, **more: Any) -> Run:
    """The run of a document, once it has ended."""
    result = await taken_in(engine, text, wait="derived", **more)
    assert result.run is not None
    assert result.status != "started"
    return result.run


async def taken_in(engine: Engine, text: str | None = None, **more: Any) -> RememberResult:
    """The ack of a document."""
    given = {"content_type": "text/markdown", **more}
    return await engine.remember(RememberRequest(text=text, **given))


async def run_of(engine: Engine, run_id: str) -> Run:
    """A run as it is now."""
    return await engine.remember_runs.run(run_id, caller=LOCAL)


async def runs(engine: Engine, **request: Any) -> list[Run]:
    """The runs of documents, newest first."""
    return list((await engine.remember_runs.list_runs(RunRequest(**request), caller=LOCAL)).data)


def statuses(run: Run) -> dict[str, str]:
    """What became of each stage."""
    return {stage.name: stage.status for stage in run.stages}


def output(run: Run, stage: str) -> dict[str, Any]:
    """What a stage has to show."""
    return dict(next(each for each in run.stages if each.name == stage).output or {})


def error(run: Run, stage: str) -> str:
    """Why a stage failed."""
    return next(each for each in run.stages if each.name == stage).error or ""


async def texts_of(engine: Engine, document_id: str, dataset: str = "default") -> list[DocumentText]:
    """Every text of a document's version."""
    found: list[DocumentText] = []
    cursor = None
    while True:
        page = await engine.document_texts(document_id, dataset, limit=7, cursor=cursor)
        found += page.data
        if (cursor := page.next_cursor) is None:
            return found
