"""Server-sent events: how a subscription becomes a response that goes on, and how it ends.

Owns the format, the heartbeat, and that a reader who leaves, loses its key or takes nothing in lets go of its
subscription. Knows nothing of what the events say.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from mindlog.errors import MindlogError
from mindlog.runs.events import Delivery, Lagged, Subscription
from mindlog.views import Event
from mindlog.wire import to_json

__all__ = ["STREAM_HEADERS", "EventStream", "Streams", "goodbye", "left", "until_first", "write"]

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 15.0
STUCK_SECONDS = 60.0  # a reader that takes nothing in for so long is given up
GOODBYE_SECONDS = 1.0
_RETRY_MILLISECONDS = 1000
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Check = Callable[[], object]


class Streams:
    """The streams of one server. `heartbeat` is in seconds."""

    def __init__(self) -> None:
        self.heartbeat = HEARTBEAT_SECONDS
        self.open: set[EventStream] = set()
        self.ending = asyncio.Event()

    def end(self) -> None:
        """End every stream, and those to come as soon as they begin: the server stops."""
        self.ending.set()


class EventStream(Response):
    """A response that tells what a subscription hears, until one of both sides ends it."""

    media_type = "text/event-stream"

    def __init__(self, subscription: Subscription, streams: Streams, check: Check) -> None:
        """check: raises if the reader may read no longer; called with every heartbeat."""
        super().__init__(headers=STREAM_HEADERS)
        del self.headers["content-length"]
        self._subscription, self._streams, self._check = subscription, streams, check

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the end, whoever makes it."""
        self._streams.open.add(self)
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await until_first(self._tell(send), left(receive), self._streams.ending.wait())
            await goodbye(send)
        finally:
            self._streams.open.discard(self)
            await self._subscription.aclose()

    async def _tell(self, send: Send) -> None:
        try:
            await self._tell_all(send)
        except TimeoutError:
            logger.info("A subscriber took nothing in and was given up", extra={"action": "subscriber_stuck"})
        except MindlogError as exc:
            # The status is sent already. Whoever connects again is told why.
            logger.info("A subscription ended: %s", exc.detail, extra={"action": "subscription_ended"})

    async def _tell_all(self, send: Send) -> None:
        clock, heartbeat = asyncio.get_running_loop().time, self._streams.heartbeat
        due = clock() + heartbeat
        await write(send, self._sign(f"retry: {_RETRY_MILLISECONDS}\n: connected"))
        while (delivery := await self._next(due)) is not None:
            if isinstance(delivery, Lagged):
                await write(send, _lagged(delivery))
                return
            if delivery:
                await write(send, b"".join([each.encoded(_encode) for each in delivery]))
            if clock() >= due:
                self._check()
                due = clock() + heartbeat
                await write(send, self._sign(": heartbeat"))

    async def _next(self, due: float) -> Delivery | None:
        """Return what comes next, nothing if the heartbeat is due before, None at the end."""
        try:
            async with asyncio.timeout_at(due):
                return await anext(self._subscription, None)
        except TimeoutError:
            return ()

    def _sign(self, text: str) -> bytes:
        # With the id of the last entry that was looked at, so that what was passed over is not looked at again.
        return f"id: {self._subscription.position - 1}\n{text}\n\n".encode()


async def write(send: Send, body: bytes) -> None:
    """Send a piece of a stream; `TimeoutError` if nobody takes it in."""
    async with asyncio.timeout(STUCK_SECONDS):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def goodbye(send: Send) -> None:
    """End a response. Whoever takes nothing in does not hold up a server that stops."""
    with suppress(TimeoutError):
        async with asyncio.timeout(GOODBYE_SECONDS):
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def left(receive: Receive) -> None:
    """Wait until the caller is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def until_first(*work: Coroutine[Any, Any, object]) -> None:
    """Wait for the first to end, break off the others, and raise what it raised."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    for task in done:
        task.result()


def _encode(event: Event) -> bytes:
    body = json.dumps(to_json(event), separators=(",", ":"))
    return f"id: {event.lsn}\nevent: {event.type}\ndata: {body}\n\n".encode()


def _lagged(delivery: Lagged) -> bytes:
    body = json.dumps({"resume_from": delivery.resume_from})
    return f"id: {delivery.resume_from - 1}\nevent: lagged\ndata: {body}\n\n".encode()
