"""The state of one remember: the document, its texts, what a stage hands to the record. Knows no concrete backend and no stage."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any, Literal

from mindlog.clock import zone
from mindlog.errors import Closed, LeaseLost, StoreError
from mindlog.runs.attempt import Attempt
from mindlog.store.documentrows import TextKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from mindlog.clock import Clock
    from mindlog.encode.job import EncodeTools
    from mindlog.ids import MemoryId
    from mindlog.knowledge.extraction import EntityKind, Mention
    from mindlog.knowledge.locks import DatasetLocks
    from mindlog.knowledge.namevectors import NameVectors
    from mindlog.knowledge.places.gazetteer import Gazetteer
    from mindlog.knowledge.reading import Reading
    from mindlog.knowledge.reconcile import ReconcileJob
    from mindlog.models.embedder import Embedder
    from mindlog.models.llm import LLM, Reasoning
    from mindlog.providers.geocode.provider import Geocoder
    from mindlog.providers.search.provider import WebSearch
    from mindlog.providers.series.provider import SeriesProvider
    from mindlog.records import Dataset
    from mindlog.remember.complexity import Complexity
    from mindlog.remember.marks import ReadDocument
    from mindlog.settings import Settings
    from mindlog.store.base import Store
    from mindlog.store.documentrows import ClaimedRemember

__all__ = ["RememberJob", "RememberTools", "TextJob", "Trust"]

Trust = Literal["user", "web", "derived"]

_OF_THE_STORE = (StoreError, Closed, LeaseLost)
_REMEMBERED_NAMES = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberTools:
    """What the stages work with, the same for every run. gazetteer: loads it when it is first asked for, None without the extra."""

    store: Store
    embedder: Embedder
    encode: EncodeTools
    reader: Reading
    llm: LLM | None
    settings: Settings
    locks: DatasetLocks
    names: NameVectors
    clock: Clock
    count_tokens: Callable[[list[str]], list[int]]
    gazetteer: Callable[[], Gazetteer | None]
    geocoder: Geocoder | None = None
    search: WebSearch | None = None
    series: tuple[SeriesProvider, ...] = ()

    def zone_of(self, dataset: Dataset) -> tzinfo:
        """Return the zone in which the dataset's texts mean "yesterday"."""
        return zone(dataset.timezone) if dataset.timezone else UTC


@dataclass(slots=True, kw_only=True)
class RememberJob:
    """One attempt at one run.

    settled: stages that earlier attempts have ended. calls: the model calls those have made, by stage. outputs: by stage, what the record takes when the stage ends.
    chunks: the document's texts in order. named: whom and what the chunks read so far name, the last first; known: the same by
    name, for they are not in the graph yet when the next chunk is read.
    """

    run: ClaimedRemember
    owner: str
    dataset: Dataset
    document: ReadDocument
    tools: RememberTools
    settled: frozenset[str] = frozenset()
    attempt: Attempt = field(default_factory=Attempt)
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict[str, Any])
    complexity: Complexity | None = None
    chunks: list[TextJob] = field(default_factory=list["TextJob"])
    calls: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    named: tuple[Mention, ...] = ()
    known: OrderedDict[str, EntityKind] = field(default_factory=OrderedDict[str, Any])

    @property
    def agent(self) -> str | None:
        """Who gave the document."""
        return self.run.params.get("agent")

    @property
    def session(self) -> str | None:
        """In which conversation."""
        return self.run.params.get("session")

    @property
    def occurred_at(self) -> int:
        """When the document says what it says."""
        return int(self.run.params["occurred_at"])

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the caller said of it."""
        return self.run.params.get("metadata") or {}

    def model(self, stage: str) -> tuple[str | None, Reasoning | None]:
        """Return the model and reasoning of the stage: as the call wants it, else as the document's complexity suggests."""
        asked: Mapping[str, Any] = (self.run.params.get("options") or {}).get(stage, {})
        told = self.complexity
        reasoning: Reasoning | None = asked.get("reasoning") or (None if told is None else told.reasoning)
        return asked.get("model") or (None if told is None else told.model), reasoning

    def wants(self, stage: str) -> bool:
        """Say whether the stage is to run: no earlier attempt has ended it, and what it makes can still be recorded."""
        return self.goes_on and stage not in self.settled

    @property
    def goes_on(self) -> bool:
        """Whether what a stage makes can still be recorded."""
        return not self.attempt.is_over and not self.attempt.failures

    def output(self, stage: str) -> dict[str, Any]:
        """Return what the stage has to show, to be added to."""
        return self.outputs.setdefault(stage, {})

    def count(self, stage: str, what: str, number: int = 1) -> None:
        """Add to a number of the stage's output."""
        output = self.output(stage)
        output[what] = output.get(what, 0) + number

    def learn(self, mentions: tuple[Mention, ...]) -> None:
        """Remember whom a chunk names, for those that follow."""
        if mentions:
            self.named = mentions
        for mention in mentions:
            self.known[mention.name] = mention.kind
            self.known.move_to_end(mention.name)
        while len(self.known) > _REMEMBERED_NAMES:
            self.known.popitem(last=False)

    def broken(self, stage: str, error: BaseException) -> bool:
        """Note an error that is not one text's but the store's, after which nothing can be recorded; say whether it is."""
        if isinstance(error, LeaseLost):
            self.attempt.lost = True
        elif isinstance(error, _OF_THE_STORE):
            self.attempt.failures.setdefault(stage, error)
        return isinstance(error, _OF_THE_STORE)


@dataclass(slots=True, kw_only=True)
class TextJob:
    """One text of a run on its way: kept as a memory, then read, then reconciled.

    own_text: None for a chunk, which is characters [start, end) of the document. error: why it could not be read or reconciled;
    then its other stages pass it over. is_whole: whether `store` commits its series too. needs_summary: whether it has none yet,
    or a poorer one than was asked for. was, trouble: its state when this attempt began, and why a model could not read it before.
    """

    job: RememberJob
    key: TextKey
    memory_id: MemoryId
    state: str
    start: int = 0
    end: int = 0
    own_text: str | None = None
    agent: str | None = None
    trust: Trust = "user"
    is_whole: bool = False
    is_gone: bool = False
    needs_summary: bool = True
    was: str = "kept"
    trouble: str | None = None
    error: Exception | None = None
    task: ReconcileJob | None = None
    held: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def text(self) -> str:
        """The text as it is kept."""
        return self.job.document.text[self.start : self.end] if self.own_text is None else self.own_text

    def wants(self, *states: str) -> bool:
        """Say whether a stage is to run that is for texts in these states: nothing went wrong before, and it can be recorded.

        The state alone tells what is left to do: a stage that an earlier attempt has ended may have passed this text over.
        """
        return self.state in states and self.error is None and not self.is_gone and self.job.goes_on

    def told_again(self, stage: str, *states: str) -> bool:
        """Say whether an earlier attempt has done the stage for this text and was broken off before the stage's end.

        The stage then speaks of it as if it had done it now, so that its record is of the whole document.
        """
        return self.was in states and not self.is_gone and self.job.wants(stage)

    async def release(self) -> None:
        """Let go of what is held, and of what is only needed until the text is stored."""
        self.task = None
        await self.held.aclose()
