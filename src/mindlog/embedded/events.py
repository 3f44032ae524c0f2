"""Events as users of the embedded API iterate over them, with asyncio and without."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

from mindlog.engine import Engine
from mindlog.errors import Closed
from mindlog.runs.events import Delivery, Lagged
from mindlog.views import Event, SubscribeRequest

__all__ = ["AsyncEvents", "Events"]

Wait = Callable[[Callable[["AsyncEvents"], Coroutine[Any, Any, Any]]], Any]


class AsyncEvents:
    """A subscription: iterate over it. It ends when it or the engine is closed; `async with` closes it."""

    def __init__(self, engine: Engine, request: SubscribeRequest) -> None:
        self._engine, self._request = engine, request
        self._subscription = engine.subscribe(request)
        self._events: deque[Event] = deque()
        self._waiting: asyncio.Task[Delivery | None] | None = None
        self._over = False

    async def more(self) -> Sequence[Event]:
        """Wait for the next events; none if it is over. One caller at a time."""
        while not self._over:
            # A task of its own, which `aclose` can break off without breaking off who waits for it.
            self._waiting = asyncio.ensure_future(self._next())
            try:
                delivery = await self._waiting
            except asyncio.CancelledError:
                if self._over:
                    break
                raise
            if delivery is None:
                break
            if not isinstance(delivery, Lagged):
                return [each.event for each in delivery]
            # The log still has what was missed; a subscription is only not kept for whoever is that far behind.
            self._subscription = self._engine.subscribe(replace(self._request, from_lsn=delivery.resume_from))
        return ()

    async def aclose(self) -> None:
        """Hear no more. Safe to call twice, and while another task waits for an event."""
        self._over = True
        if self._waiting is not None:
            self._waiting.cancel()
        await self._subscription.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        if not self._events:
            self._events.extend(await self.more())
        if not self._events:
            raise StopAsyncIteration
        return self._events.popleft()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _next(self) -> Delivery | None:
        return await anext(self._subscription, None)


class Events:
    """A subscription: iterate over it. It ends when it or the engine is closed, by any thread; `with` closes it."""

    def __init__(self, wait: Wait) -> None:
        """wait: runs work with the subscription on its event loop and returns its result; raises `Closed` at the end."""
        self._wait = wait
        self._events: deque[Event] = deque()

    def close(self) -> None:
        """Hear no more. Safe to call twice."""
        with suppress(Closed):
            self._wait(AsyncEvents.aclose)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        if not self._events:
            with suppress(Closed):
                self._events.extend(self._wait(AsyncEvents.more))
        if not self._events:
            raise StopIteration
        return self._events.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
