"""What goes on behind the ack of one engine: the worker with its tools, the model, who waits for them and who hears of it.

Owns how these are put together, begun and ended. The engine holds one, and checks every caller before it comes here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Self

from mindlog.clock import Clock
from mindlog.derive.job import DeriveTools
from mindlog.derive.pipeline import derive
from mindlog.derive.reading import Reading
from mindlog.index.indexes import Indexes
from mindlog.knowledge.desk import KnowledgeDesk
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.locks import DatasetLocks
from mindlog.knowledge.namevectors import NameVectors
from mindlog.knowledge.regroup import regroup
from mindlog.models.breaker import GuardedLLM
from mindlog.models.chat import ChatLLM
from mindlog.models.embedder import Embedder
from mindlog.models.llm import Usage
from mindlog.models.providers import load_llm
from mindlog.pipeline import Observer
from mindlog.runs.attempt import Attempt
from mindlog.runs.desk import RunDesk
from mindlog.runs.events import EventHub
from mindlog.runs.inferences import StoredInferences
from mindlog.runs.recent import RecentWrites
from mindlog.runs.settlement import Settlement
from mindlog.runs.waiting import Waiting
from mindlog.runs.worker import Worker
from mindlog.settings import Settings
from mindlog.store.base import Store
from mindlog.store.runrows import ClaimedRun

__all__ = ["Background"]

log = logging.getLogger(__name__)

_DAY = 86_400_000_000
_HOUR = 3_600_000_000
_STALE_GROUPS = 100  # reconciled at a time
_CLOSE_SECONDS = 5.0


class Background:
    """Everything that is not awaited by a write. Make it with `open` on the engine's loop, then `start` it.

    worker: None where this process does not derive. chat, llm: None without a language model.
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
    ) -> None:
        self.chat = chat
        self.llm = None if chat is None else _guarded(chat, settings, clock)
        self.events = EventHub(store, limit=settings.subscribers)
        self.knowledge = KnowledgeDesk(store, clock, settings)
        self._settings = settings
        self._store = store
        self._clock = clock
        self._observe = observe
        self._pruned_at = clock.now()
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
        settlement = self._settlement = Settlement(store)
        self.worker = (
            Worker(
                store,
                self._perform,
                self._reconcile,
                settings,
                clock,
                settlement=settlement,
                is_busy=RecentWrites(store).any,
            )
            if settings.derive
            else None
        )
        self.waiting = Waiting(store, settlement, settings.drain_seconds, can_wait=settings.derive)
        self.runs = RunDesk(store, settlement, self.worker, clock, max_limit=settings.max_limit)

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
        """Load the language model, if there is one, and put everything together.

        Raises `ConfigError`, `LlmMisconfigured` or `MissingExtra` for a model that can never work.
        """
        chat = await asyncio.to_thread(load_llm, settings, inferences=StoredInferences(store), clock=clock)
        if chat is not None:
            now = clock.now()
            tokens, cost = await asyncio.to_thread(store.spent_since, now - now % _DAY)
            chat.budget.restore(Usage(input_tokens=tokens, cost=cost))
        return cls(
            settings=settings,
            store=store,
            indexes=indexes,
            embedder=embedder,
            clock=clock,
            observe=observe,
            chat=chat,
        )

    def start(self) -> None:
        """Begin to derive, if this process does."""
        if self.worker is not None:
            self.worker.start()

    async def aclose(self) -> None:
        """Let go of who waits and who listens, break off what runs, close the model. Before the indexes and the store."""
        self._settlement.close()
        await self.events.aclose()
        if self.worker is not None:
            await self.worker.stop()
        await _within(_CLOSE_SECONDS, "the reading of a long text", self._tools.aclose())
        if self.llm is not None:
            await self.llm.aclose()

    async def settled(self, timeout: float | None) -> bool:
        """Wait until nothing waits to be derived or reconciled; False if the seconds passed first, or nobody derives here."""
        return self.worker is not None and await self.worker.settled(timeout)

    async def keep_up(self) -> None:
        """Cut the log down to `log_days`, once an hour. The indexes do not need it: they are built from the rows."""
        days, now = self._settings.log_days, self._clock.now()
        if days is not None and now - self._pruned_at >= _HOUR:
            self._pruned_at = now
            await self._store.prune_log(now - days * _DAY, self._store.last_lsn)

    async def _perform(self, run: ClaimedRun, owner: str) -> Attempt:
        return await derive(run, owner, self._tools, self._observe("derive"))

    async def _reconcile(self) -> int:
        return await regroup(self._store, self._tools.locks, _STALE_GROUPS)


async def _within(seconds: float, what: str, ending: Awaitable[None]) -> None:
    """Wait for an end, but not for ever: the store is to be closed too."""
    try:
        async with asyncio.timeout(seconds):
            await ending
    except TimeoutError:
        log.warning("Closing does not wait any longer for %s", what, extra={"action": "close_late"})


def _guarded(chat: ChatLLM, settings: Settings, clock: Clock) -> GuardedLLM:
    return GuardedLLM(chat, clock, pause_seconds=settings.llm_pause_seconds, concurrency=settings.llm_concurrency)
