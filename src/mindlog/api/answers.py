"""An answer as server-sent events: pieces of text while it is made, then the whole of it, checked.

Owns the format, and that a caller who leaves ends the call. What fails before the first piece is a problem like any other.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from mindlog.api.documentreplies import QueryReply, TextEvent
from mindlog.api.problems import problem_of, request_id_of
from mindlog.api.stream import STREAM_HEADERS, Streams, goodbye, left, until_first, write
from mindlog.errors import Closed, MindlogError
from mindlog.views import AnswerPart

if TYPE_CHECKING:
    from mindlog.api.metrics import Metrics

__all__ = ["AnswerStream"]

logger = logging.getLogger(__name__)

Parts = AsyncGenerator[AnswerPart]


class AnswerStream(Response):
    """A response that tells the parts of an answer, until it is whole or one of both sides ends it."""

    media_type = "text/event-stream"

    def __init__(self, parts: Parts, streams: Streams, metrics: Metrics) -> None:
        super().__init__(headers=STREAM_HEADERS)
        del self.headers["content-length"]
        self._parts, self._streams, self._metrics = parts, streams, metrics
        self._started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the end, whoever makes it. Raises what fails before the first part."""
        try:
            await until_first(self._tell(scope, send), left(receive), self._stopped())
            if self._started:
                await goodbye(send)
        finally:
            await self._parts.aclose()

    async def _tell(self, scope: Scope, send: Send) -> None:
        try:
            with self._metrics.operation("query"), self._metrics.question() as answered:
                await self._tell_all(send, answered)
        except TimeoutError:
            logger.info("A caller took no answer in and was given up", extra={"action": "caller_stuck"})
        except MindlogError as exc:
            if not self._started:
                raise
            # The status is sent already.
            await self._fail(exc, scope, send)

    async def _tell_all(self, send: Send, answered: Callable[[str], None]) -> None:
        while (part := await self._next(send)) is not None:
            await self._start(send)
            if part.result is None:
                await write(send, _event("text", TextEvent(text=part.text).model_dump_json()))
            else:
                answered(part.result.answered_by)
                reply = await asyncio.to_thread(QueryReply.of, part.result)
                await write(send, _event("result", reply.model_dump_json()))

    async def _next(self, send: Send) -> AnswerPart | None:
        """Return the next part, None at the end; says meanwhile that the connection is alive, once it is a stream."""
        coming = asyncio.ensure_future(anext(self._parts, None))
        try:
            while not coming.done():
                await asyncio.wait((coming,), timeout=self._streams.heartbeat)
                if self._started and not coming.done():
                    await write(send, b": heartbeat\n\n")
            return coming.result()
        finally:
            coming.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait((coming,))

    async def _start(self, send: Send) -> None:
        if not self._started:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            self._started = True

    async def _stopped(self) -> None:
        await self._streams.ending.wait()
        if not self._started:
            raise Closed("the server stops")

    async def _fail(self, error: MindlogError, scope: Scope, send: Send) -> None:
        logger.info("A streamed answer failed: %s", error.detail, extra={"action": "answer_failed"})
        problem: Any = json.loads(bytes(problem_of(error, request_id_of(scope)).body))
        with suppress(TimeoutError):
            await write(send, _event("error", json.dumps(problem)))


def _event(kind: str, data: str) -> bytes:
    return f"event: {kind}\ndata: {data}\n\n".encode()
