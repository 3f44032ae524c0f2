"""The event stream: the log as subscribers follow it, from any LSN that is still there, without a gap or a double.

One reader for all of them keeps the last entries in memory; who is further back reads the store. Nothing is kept for a
subscriber but a position, so a slow one costs nothing. Knows no HTTP.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, Self
from weakref import WeakSet

from mindlog.access import Caller
from mindlog.errors import Busy, DatasetNotFound, InvalidInput, LsnGone, MindlogError
from mindlog.records import Dataset
from mindlog.runs.bell import Bell
from mindlog.runs.interest import Interest, SharedEvent, shared
from mindlog.store.runrows import EventRow, LogQuery
from mindlog.views import SubscribeRequest

__all__ = ["Delivery", "EventHub", "EventStore", "Lagged", "Subscription"]

log = logging.getLogger(__name__)

_TICK_SECONDS = 0.02
_PAGE = 1000
_KEPT = 8192  # entries in memory
_BATCHES = 1024
_LAG = 100_000  # entries a live subscriber may be behind


class EventStore(Protocol):
    """What the stream needs of a store."""

    def read_log(self, query: LogQuery) -> list[EventRow]:
        """Return the log entries of the query in LSN order."""
        ...

    def on_log(self, listener: Callable[[int], None]) -> None:
        """Call the listener after every commit that added entries, on the writer's thread."""
        ...

    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset."""
        ...

    def datasets(self) -> list[Dataset]:
        """Return every dataset."""
        ...

    @property
    def last_lsn(self) -> int:
        """The LSN of the last entry."""
        ...

    @property
    def oldest_lsn(self) -> int:
        """The LSN of the oldest entry."""
        ...


@dataclass(frozen=True, slots=True)
class Lagged:
    """The last a subscriber hears that fell too far behind: where to resume."""

    resume_from: int


Delivery = Sequence[SharedEvent] | Lagged
"""What a subscription gives at a time: some events, at least one; or that it is over."""


class Batch:
    """What one read of the tail brought: everything in [start, end]."""

    __slots__ = ("_chosen", "end", "events", "start")

    def __init__(self, start: int, end: int, events: Sequence[SharedEvent]) -> None:
        self.start = start
        self.end = end
        self.events = events
        self._chosen: dict[Interest, Sequence[SharedEvent]] = {}

    def of(self, interest: Interest, position: int) -> Sequence[SharedEvent]:
        """Return what the interest wants from the position on; chosen once for all that want the same."""
        chosen = self._chosen.get(interest)
        if chosen is None:
            chosen = self._chosen[interest] = interest.chosen(self.events)
        return chosen if position <= self.start else [each for each in chosen if each.event.lsn >= position]


class EventHub:
    """Hands out subscriptions and reads the tail of the log while there are any. For one event loop; start it on that.

    limit: most subscribers. kept: entries in memory. lag: how far a subscriber that was up to date may fall behind.
    """

    def __init__(self, store: EventStore, *, limit: int, kept: int = _KEPT, lag: int = _LAG) -> None:
        self.store = store
        self.lag = lag
        self.closed = False
        self.changed = asyncio.Event()
        """Set when there is a new batch, and replaced."""
        self.failure: BaseException | None = None
        """Why nothing is read any more, if the reader broke off."""
        self._limit = limit
        self._kept = kept
        self._held = 0
        self._batches: deque[Batch] = deque()
        self._subscriptions: WeakSet[Subscription] = WeakSet()
        self._grown = asyncio.Event()
        self._bell = Bell(asyncio.get_running_loop(), self._grown.set)
        self._tail: asyncio.Task[None] | None = None
        self.head = store.last_lsn + 1
        """The LSN after the last that was read."""
        store.on_log(lambda lsn: self._bell.ring())

    @property
    def subscribers(self) -> int:
        """How many there are."""
        return len(self._subscriptions)

    def subscribe(self, request: SubscribeRequest, caller: Caller) -> Subscription:
        """Return the events of the request that the caller may see, from its LSN on.

        Raises `InvalidInput` for a type, kind, memory id or LSN that cannot be, `DatasetNotFound`, `LsnGone` for an LSN that the log
        no longer has, and `Busy` when there are as many subscribers as there may be.
        """
        interest = Interest.of(request, caller)
        if request.dataset is not None and self.store.dataset(request.dataset) is None:
            raise DatasetNotFound(f"dataset: there is no dataset {request.dataset!r}", field="dataset")
        start = self._start(request.from_lsn)
        if len(self._subscriptions) >= self._limit:
            raise Busy(f"there are {self._limit} subscribers, as many as there may be", limit=self._limit)
        subscription = Subscription(self, interest, start)
        self._subscriptions.add(subscription)
        self._follow()
        return subscription

    def _start(self, from_lsn: int | None) -> int:
        head = self.store.last_lsn + 1
        if from_lsn is None:
            return head
        if isinstance(from_lsn, bool) or not isinstance(from_lsn, int) or not 0 <= from_lsn <= head:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"from_lsn: must be 0 to {head}, the next LSN", field="from_lsn", limit=head)
        start = max(from_lsn, 1)
        if start < self.store.oldest_lsn:
            raise gone(start, self.store.oldest_lsn)
        return start

    def leave(self, subscription: Subscription) -> None:
        """Forget a subscription."""
        self._subscriptions.discard(subscription)

    def batch_at(self, position: int) -> Batch | None:
        """Return the batch in memory that holds the position."""
        # The last ones are asked for: most subscribers are up to date.
        for batch in reversed(self._batches):
            if batch.start <= position:
                return batch if position <= batch.end else None
        return None

    def load(self, query: LogQuery) -> list[SharedEvent]:
        """Read a page of the log. Blocks."""
        rows = self.store.read_log(query)
        names = {dataset.number: dataset.name for dataset in self.store.datasets()}
        return [shared(row, names) for row in rows]

    async def aclose(self) -> None:
        """End every subscription and stop reading. Safe to call twice."""
        self.closed = True
        self._bell.silence()
        self.changed.set()
        if self._tail is not None:
            self._tail.cancel()
            await asyncio.wait([self._tail])

    # -- the tail -----------------------------------------------------------------------------------------------------
    def _follow(self) -> None:
        if self._tail is None or self._tail.done():
            # What was committed while nobody followed is in the store, for those who want it.
            self._batches.clear()
            self._held = 0
            self.head = self.store.last_lsn + 1
            self.failure = None
            # The last reader's end has set the old one: whoever waited on it would never wait.
            self.changed = asyncio.Event()
            self._tail = asyncio.get_running_loop().create_task(self._read_on())
            self._tail.add_done_callback(self._end)

    def _end(self, tail: asyncio.Task[None]) -> None:
        self.failure = None if tail.cancelled() else tail.exception()
        self.changed.set()

    async def _read_on(self) -> None:
        """Read what is new, at most every tick, as long as anybody wants it."""
        unwell = False
        while self._subscriptions:
            self._grown.clear()
            try:
                while await self._read():
                    pass
                unwell = False
            except MindlogError as exc:
                if not unwell:
                    log.warning("The event log could not be read: %s", exc, extra={"action": "events_failed"})
                unwell = True
            await asyncio.sleep(_TICK_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._grown.wait()

    async def _read(self) -> bool:
        """Take a page in; whether there may be more."""
        last = self.store.last_lsn
        if last < self.head:
            return False
        events = await asyncio.to_thread(self.load, LogQuery(from_lsn=self.head, to_lsn=last, limit=_PAGE))
        is_full = len(events) == _PAGE
        self._take(Batch(self.head, events[-1].event.lsn if is_full else last, events))
        return is_full

    def _take(self, batch: Batch) -> None:
        self._batches.append(batch)
        self._held += len(batch.events)
        while len(self._batches) > 1 and (self._held > self._kept or len(self._batches) > _BATCHES):
            self._held -= len(self._batches.popleft().events)
        self.head = batch.end + 1
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


class Subscription:
    """One subscriber's place in the log: iterate over it, and close it.

    A wait for the next delivery may be given up (by a timeout, say) and taken up again; nothing is lost by it.
    """

    def __init__(self, hub: EventHub, interest: Interest, position: int) -> None:
        self.position = position
        """The LSN from which on it has heard nothing yet."""
        self._hub = hub
        self._interest = interest
        self._live = False  # whether it was up to date once
        self._over = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Delivery:
        """Return the next events. Raises `LsnGone` if the log was cut before they could be read, or why reading failed."""
        while not self._over and not self._hub.closed:
            if self.position >= self._hub.head:
                if self._hub.failure is not None:
                    raise self._hub.failure
                self._live = True
                await self._hub.changed.wait()
            elif (batch := self._hub.batch_at(self.position)) is not None:
                found = batch.of(self._interest, self.position)
                self.position = batch.end + 1
                if found:
                    return found
            elif self._live and self._hub.head - self.position > self._hub.lag:
                await self.aclose()
                return Lagged(self.position)
            elif found := await self._catch_up():
                return found
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Hear no more. Safe to call twice."""
        self._over = True
        self._hub.leave(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _catch_up(self) -> Sequence[SharedEvent]:
        """Read a page from the store. The position moves only once it is here."""
        store = self._hub.store
        last = store.last_lsn
        query = self._interest.query(self.position, last, _PAGE, store.datasets())
        events = [] if query is None else await asyncio.to_thread(self._hub.load, query)
        if store.oldest_lsn > self.position:
            await self.aclose()
            raise gone(self.position, store.oldest_lsn)
        self.position = events[-1].event.lsn + 1 if len(events) == _PAGE else last + 1
        return self._interest.chosen(events)


def gone(lsn: int, oldest: int) -> LsnGone:
    """Return the error for an LSN that was pruned."""
    return LsnGone(f"from_lsn: the log begins at {oldest}, {lsn} is gone", field="from_lsn", oldest=oldest)
