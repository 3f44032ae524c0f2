"""The state of one query: the question, what was found for it, what was answered. Knows no concrete backend and no stage."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mindlog.models.inference import run_scope

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mindlog.clock import Clock
    from mindlog.knowledge.places.gazetteer import Gazetteer
    from mindlog.models.llm import LLM, Reasoning
    from mindlog.providers.geocode.provider import Geocoder
    from mindlog.query.context import Context
    from mindlog.recall.job import RecallJob, RecallTools
    from mindlog.records import Dataset, Hit, Memory
    from mindlog.settings import Settings
    from mindlog.store.askingrows import Asked
    from mindlog.store.base import Store
    from mindlog.store.graphrows import EvidenceRow, StatementRow
    from mindlog.views import Citation, QueryRequest

__all__ = ["AnsweredBy", "Area", "Fact", "NearMemory", "QueryJob", "QueryTools"]

AnsweredBy = Literal["llm", "extractive", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTools:
    """What the stages work with, the same for every call. gazetteer: opens it if need be, None without the extra that has it."""

    store: Store
    recall: RecallTools
    llm: LLM | None
    settings: Settings
    clock: Clock
    gazetteer: Callable[[], Gazetteer | None]
    geocoder: Geocoder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement about something the question names, and the memory it is shown by.

    worth: the share of the question that it meets, less if it does not hold at the time asked for.
    """

    statement: StatementRow
    worth: float
    holds: bool
    evidence: EvidenceRow
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A place that the question means, and how far around it is looked. Degrees."""

    name: str
    lat: float
    lon: float
    km: float
    source: str
    confident: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMemory:
    """A memory about something near an area. place: what is there, so many km away."""

    memory: Memory
    place: str
    area: str
    km: float


@dataclass(slots=True, kw_only=True)
class QueryJob:
    """One call. as_of: the instant asked for, None for now. asked_by: whose session's turns may be looked at, None for anybody's.

    cue: what is looked for: the question, with what it leaves to its session. found: how recall came to the hits. outdated: slots
    whose memories say only what has been superseded. run_id: the call's id on record, "" if there is none. say: takes pieces of the
    answer as they are made.
    """

    request: QueryRequest
    dataset: Dataset
    tools: QueryTools
    options: Mapping[str, Mapping[str, Any]]
    limit: int
    as_of: int | None = None
    asked_by: str | None = None
    say: Callable[[str], None] | None = None
    run_id: Callable[[], Awaitable[str]] | None = None

    turns: tuple[Asked, ...] = ()
    cue: str = ""
    found: RecallJob | None = None
    hits: tuple[Hit, ...] = ()
    facts: tuple[Fact, ...] = ()
    outdated: frozenset[int] = frozenset()
    areas: tuple[Area, ...] = ()
    near: tuple[NearMemory, ...] = ()
    context: Context | None = None
    answer: str = ""
    answered_by: AnsweredBy = "none"
    citations: tuple[Citation, ...] = ()
    removed: tuple[Mapping[str, Any], ...] = ()
    notes: list[str] = field(default_factory=list[str])

    @property
    def now(self) -> int:
        """The instant at which the answer is to hold."""
        return self.tools.clock.now() if self.as_of is None else self.as_of

    async def scope(self) -> AbstractContextManager[object]:
        """Return what files calls of models and providers under the query's row, if there is one; waits until it is begun."""
        run_id = "" if self.run_id is None else await self.run_id()
        return run_scope(run_id, self.dataset.name) if run_id else nullcontext()

    def model(self, stage: str) -> tuple[str | None, Reasoning | None]:
        """Return the model and reasoning that the call wants for the stage."""
        asked = self.options.get(stage, {})
        return asked.get("model"), asked.get("reasoning")
