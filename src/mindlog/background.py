"""What goes on behind the acks of one engine: the workers with their tools, the models, who waits for them and who hears of it.

Owns how these are put together, begun and ended. The engine holds one, and checks every caller before it comes here.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Self

from mindlog.clock import Clock
from mindlog.derive.job import DeriveTools
from mindlog.derive.pipeline import derive
from mindlog.encode.job import EncodeTools
from mindlog.encode.validate import Limits
from mindlog.errors import ModelDamaged
from mindlog.images.blobs import Blobs
from mindlog.images.desk import ImageDesk
from mindlog.images.keep import ImageTools
from mindlog.images.look import Eyes
from mindlog.images.ocr import open_reader
from mindlog.index.indexes import Indexes
from mindlog.knowledge.desk import KnowledgeDesk
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.locks import DatasetLocks
from mindlog.knowledge.namevectors import NameVectors
from mindlog.knowledge.places.lazy import LazyGazetteer
from mindlog.knowledge.reading import Reading
from mindlog.knowledge.regroup import regroup
from mindlog.models.breaker import GuardedLLM
from mindlog.models.chat import ChatLLM
from mindlog.models.counting import TokenCount, estimate_tokens, token_counter
from mindlog.models.embedder import Embedder
from mindlog.models.llm import Usage
from mindlog.models.providers import load_llm
from mindlog.pipeline import Observer
from mindlog.providers.opened import Providers, open_providers
from mindlog.query.job import QueryTools
from mindlog.query.log import LogTrouble
from mindlog.recall.job import RecallTools
from mindlog.remember.desk import DocumentDesk
from mindlog.remember.job import RememberTools
from mindlog.remember.manager import RememberRuns
from mindlog.remember.pipeline import remember
from mindlog.runs.attempt import Attempt
from mindlog.runs.books import DerivationBook, QueryBook, RememberBook
from mindlog.runs.desk import RunDesk
from mindlog.runs.events import EventHub
from mindlog.runs.inferences import StoredInferences
from mindlog.runs.logdesk import LogDesk
from mindlog.runs.pace import Pace
from mindlog.runs.recent import RecentWrites
from mindlog.runs.settlement import Settlement
from mindlog.runs.waiting import Waiting
from mindlog.runs.worker import Worker
from mindlog.settings import Settings
from mindlog.store.base import Store
from mindlog.store.documentrows import ClaimedRemember
from mindlog.store.runrows import ClaimedRun

__all__ = ["Background"]

log = logging.getLogger(__name__)

_DAY = 86_400_000_000
_HOUR = 3_600_000_000
_STALE_GROUPS = 100  # reconciled at a time
_CLOSE_SECONDS = 5.0
_INTERRUPTED = "interrupted: the process ended"


class Background:
    """Everything that is not awaited by a write. Make it with `open` on the engine's loop, then `start` it.

    worker, rememberer: None where this process does not derive, or not remember. chat, llm: None without a language model.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        store: Store,
        indexes: Indexes,
        embedder: Embedder,
        clock: Clock,
        observe: Callable[[str], Observer],
        chat: ChatLLM | None,
        providers: Providers,
    ) -> None:
        self.chat = chat
        self.llm = None if chat is None else _guarded(chat, settings, clock)
        self.events = EventHub(store, limit=settings.subscribers)
        self.knowledge = KnowledgeDesk(store, clock, settings)
        self._settings = settings
        self._store = store
        self._clock = clock
        self._observe = observe
        self._providers = providers
        self._pruned_at = clock.now()
        self._gazetteer = LazyGazetteer(settings.data / "models" / "places")
        limits = Limits(text_bytes=settings.max_text_bytes, metadata_bytes=settings.max_metadata_bytes)
        self.encode_tools = EncodeTools(store=store, embedder=embedder, limits=limits)
        self.recall_tools = RecallTools(store=store, indexes=indexes, embedder=embedder, clock=clock)
        self._tools = DeriveTools(
            store=store,
            indexes=indexes,
            embedder=embedder,
            reader=Reading(OfflineReader(classifier=settings.classifier)),
            llm=self.llm,
            settings=settings,
            locks=DatasetLocks(),
            names=NameVectors(),
            clock=clock,
        )
        self._remember_tools = self._tools_of_remember()
        self.query_tools = self._tools_of_query()
        self.query_trouble = LogTrouble()
        self._settlement, self._remember_settlement = Settlement(store), Settlement(RememberBook(store))
        self.worker = self._deriver() if settings.derive else None
        self.rememberer = self._rememberer() if settings.remember else None
        self._open_desks()

    def _open_desks(self) -> None:
        store, settings, clock = self._store, self._settings, self._clock
        most = settings.max_limit
        waits = self._settlement, self._remember_settlement
        self.waiting = Waiting(store, waits[0], settings.drain_seconds, can_wait=settings.derive)
        self.runs = RunDesk(DerivationBook(store), store, waits[0], self.worker, clock, max_limit=most)
        self.remember_runs = RunDesk(RememberBook(store), store, waits[1], self.rememberer, clock, max_limit=most)
        self.query_runs = LogDesk(QueryBook(store), store, clock, max_limit=most)
        self.documents = DocumentDesk(store, waits[1], settings, clock, can_wait=settings.remember)
        self.images = ImageDesk(
            ImageTools(
                store=store,
                encode=self.encode_tools,
                settings=settings,
                eyes=Eyes(settings, self.llm, open_reader()),
                blobs=_blobs(settings),
            ),
            self._observe,
        )

    @classmethod
    async def open(
        cls,
        settings: Settings,
        store: Store,
        indexes: Indexes,
        embedder: Embedder,
        clock: Clock,
        observe: Callable[[str], Observer],
    ) -> Self:
        """Load the language model and the providers, if there are any, and put everything together.

        Raises `ConfigError`, `LlmMisconfigured` or `MissingExtra` for one that can never work.
        """
        records = StoredInferences(store)
        chat = await asyncio.to_thread(load_llm, settings, inferences=records, clock=clock)
        providers = await asyncio.to_thread(open_providers, settings, inferences=records, clock=clock)
        if chat is not None:
            now = clock.now()
            tokens, cost = await asyncio.to_thread(store.spent_since, now - now % _DAY)
            chat.budget.restore(Usage(input_tokens=tokens, cost=cost))
        await store.close_queries(_INTERRUPTED)
        await asyncio.to_thread(_sweep, settings, store)
        return cls(
            settings=settings,
            store=store,
            indexes=indexes,
            embedder=embedder,
            clock=clock,
            observe=observe,
            chat=chat,
            providers=providers,
        )

    def start(self) -> None:
        """Begin to derive and to remember, if this process does."""
        for worker in (self.worker, self.rememberer):
            if worker is not None:
                worker.start()

    async def aclose(self) -> None:
        """Let go of who waits and who listens, break off what runs, close the models. Before the indexes and the store."""
        self._settlement.close()
        self._remember_settlement.close()
        await self.events.aclose()
        await asyncio.gather(*(each.stop() for each in (self.worker, self.rememberer) if each is not None))
        await _within(_CLOSE_SECONDS, "the reading of a long text", self._tools.aclose())
        await _within(_CLOSE_SECONDS, "the providers", self._providers.aclose())
        if self.llm is not None:
            await self.llm.aclose()

    async def settled(self, timeout: float | None) -> bool:
        """Wait until no document waits to be read and nothing to be derived or reconciled.

        False if the seconds passed first, or nobody does here what is to be done.
        """
        if self.worker is None:
            return False
        if self.rememberer is None:
            return await asyncio.to_thread(self._store.next_remember) is None and await self.worker.settled(timeout)
        began = time.monotonic()
        # A document that has been read leaves derivations, so it comes first.
        if not await self.rememberer.settled(timeout):
            return False
        left = None if timeout is None else max(timeout - (time.monotonic() - began), 0)
        return await self.worker.settled(left)

    async def keep_up(self) -> None:
        """Cut the log down to `log_days`, once an hour. The indexes do not need it: they are built from the rows."""
        days, now = self._settings.log_days, self._clock.now()
        if days is not None and now - self._pruned_at >= _HOUR:
            self._pruned_at = now
            await self._store.prune_log(now - days * _DAY, self._store.last_lsn)

    # -- how it is put together ---------------------------------------------------------------------------------------
    def _tools_of_remember(self) -> RememberTools:
        tools, providers = self._tools, self._providers
        return RememberTools(
            store=tools.store,
            embedder=tools.embedder,
            encode=self.encode_tools,
            reader=tools.reader,
            llm=tools.llm,
            settings=tools.settings,
            locks=tools.locks,
            names=tools.names,
            clock=tools.clock,
            count_tokens=_counting(tools.settings),
            gazetteer=self._gazetteer,
            geocoder=providers.geocoder,
            search=providers.search,
            series=providers.series,
        )

    def _tools_of_query(self) -> QueryTools:
        return QueryTools(
            store=self._store,
            recall=self.recall_tools,
            llm=self.llm,
            settings=self._settings,
            clock=self._clock,
            gazetteer=self._gazetteer,
            geocoder=self._providers.geocoder,
        )

    def _deriver(self) -> Worker[ClaimedRun]:
        return Worker(
            self._store,
            self._perform,
            self._reconcile,
            Pace.of_derive(self._settings),
            self._clock,
            settlement=self._settlement,
            is_busy=RecentWrites(self._store).any,
        )

    def _rememberer(self) -> Worker[ClaimedRemember]:
        return Worker(
            RememberRuns(self._store, self._clock),
            self._remember,
            _nothing,
            Pace.of_remember(self._settings),
            self._clock,
            settlement=self._remember_settlement,
        )

    async def _perform(self, run: ClaimedRun, owner: str) -> Attempt:
        return await derive(run, owner, self._tools, self._observe("derive"))

    async def _reconcile(self) -> int:
        return await regroup(self._store, self._tools.locks, _STALE_GROUPS)

    async def _remember(self, run: ClaimedRemember, owner: str) -> Attempt:
        return await remember(run, owner, self._remember_tools, self._observe("remember"))


async def _nothing() -> int:
    return 0


async def _within(seconds: float, what: str, ending: Awaitable[None]) -> None:
    """Wait for an end, but not for ever: the store is to be closed too."""
    try:
        async with asyncio.timeout(seconds):
            await ending
    except TimeoutError:
        log.warning("Closing does not wait any longer for %s", what, extra={"action": "close_late"})


def _guarded(chat: ChatLLM, settings: Settings, clock: Clock) -> GuardedLLM:
    return GuardedLLM(chat, clock, pause_seconds=settings.llm_pause_seconds, concurrency=settings.llm_concurrency)


def _blobs(settings: Settings) -> Blobs:
    return Blobs(settings.data / "blobs")


def _sweep(settings: Settings, store: Store) -> None:
    """Delete pictures' files that a crash has left without a row."""
    try:
        swept = _blobs(settings).sweep(store.image_files())
    except OSError as exc:
        log.warning("Files that are no picture's stay: %s", exc, extra={"action": "blobs_not_swept"})
        return
    if swept:
        log.info("%d files that were no picture's are gone", swept, extra={"action": "blobs_swept"})


def _counting(settings: Settings) -> TokenCount:
    """Return what counts tokens; its tokenizer is opened when something is first counted."""

    @functools.cache
    def opened() -> TokenCount:
        try:
            return token_counter(settings)
        except ModelDamaged:
            return estimate_tokens  # the embedder is the caller's own, and no model of the settings is there

    return lambda texts: opened()(texts)
