"""An answer that comes piece by piece, as the client reads it: what a line means, without a socket, and the two ways to get lines."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Generator
from typing import Any

import httpx2

from mindlog import verbs, wire
from mindlog.client.attempts import Answer, attempts
from mindlog.client.calls import Call, given
from mindlog.client.documentcalls import query_body
from mindlog.client.problems import error_of
from mindlog.errors import MindlogError, Unreachable
from mindlog.views import AnswerPart, QueryResult

__all__ = ["Reading", "aanswer_parts", "answer_parts", "stream_call"]

_PATH = "/v1/query"


def stream_call(asked: verbs.Query) -> Call[None]:
    """POST /v1/query for a stream. What it begins with is read by `Reading`, so that this reads only refusals."""

    def read(body: Any) -> None:
        raise ValueError("no stream")

    return Call(method="POST", path=_PATH, body=given(query_body(asked) | {"stream": True}), read=read)


class Reading:
    """What has come of one answer. `is_whole`: its result has."""

    def __init__(self) -> None:
        self.is_whole = False
        self._event, self._data = "", ""

    def line(self, line: str) -> AnswerPart | None:
        """Take a line in; return the part that it completes.

        Raises:
            MindlogError: the server says that it failed, or it is no mindlog server.
        """
        if not line:
            return self._complete()
        name, _, value = line.partition(":")
        if name == "event":
            self._event = value.removeprefix(" ")
        elif name == "data":
            self._data += value.removeprefix(" ")
        return None

    def check_whole(self) -> None:
        """Raise `Unreachable` if the stream has ended before the result."""
        if not self.is_whole:
            raise Unreachable(f"POST {_PATH}: the connection was lost before the answer was whole")

    def _complete(self) -> AnswerPart | None:
        event, data, self._event, self._data = self._event, self._data, "", ""
        if not data:
            return None
        try:
            return self._part(event, json.loads(data))
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise MindlogError(f"POST {_PATH}: the answer is not a mindlog server's: {exc!r}") from exc

    def _part(self, event: str, body: Any) -> AnswerPart | None:
        match event:
            case "text":
                return AnswerPart(text=body["text"])
            case "result":
                self.is_whole = True
                return AnswerPart(result=wire.record(QueryResult, body))
            case "error":
                raise error_of(body, body["status"])
            case _:
                return None  # what a later server may say


def answer_parts(
    http: httpx2.Client, call: Call[None], *, retries: int, backoff: float
) -> Generator[AnswerPart, None, None]:
    """Yield the parts of an answer as they come. Closed early, it lets go of the connection, and the server of the call."""
    steps, payload = attempts(call, retries=retries, backoff=backoff), call.payload
    wait = next(steps)
    while True:
        time.sleep(wait)
        try:
            answer: Answer = http.send(http.build_request(call.method, call.target, **payload), stream=True)
        except httpx2.TransportError as exc:
            answer = exc
        if _is_stream(answer):
            break
        if isinstance(answer, httpx2.Response):
            answer.read()
        wait = steps.send(answer)
    assert isinstance(answer, httpx2.Response)  # or it would be no stream
    reading = Reading()
    try:
        for line in answer.iter_lines():
            if (part := reading.line(line)) is not None:
                yield part
    except httpx2.TransportError:
        pass  # the same as an end: whole or not
    finally:
        answer.close()
    reading.check_whole()


async def aanswer_parts(
    http: httpx2.AsyncClient, call: Call[None], *, retries: int, backoff: float
) -> AsyncGenerator[AnswerPart]:
    """The same for asyncio."""
    steps, payload = attempts(call, retries=retries, backoff=backoff), call.payload
    wait = next(steps)
    while True:
        await asyncio.sleep(wait)
        try:
            answer: Answer = await http.send(http.build_request(call.method, call.target, **payload), stream=True)
        except httpx2.TransportError as exc:
            answer = exc
        if _is_stream(answer):
            break
        if isinstance(answer, httpx2.Response):
            await answer.aread()
        wait = steps.send(answer)
    assert isinstance(answer, httpx2.Response)  # or it would be no stream
    reading = Reading()
    try:
        async for line in answer.aiter_lines():
            if (part := reading.line(line)) is not None:
                yield part
    except httpx2.TransportError:
        pass  # the same as an end: whole or not
    finally:
        await answer.aclose()
    reading.check_whole()


def _is_stream(answer: Answer) -> bool:
    if not isinstance(answer, httpx2.Response) or not answer.is_success:
        return False
    return answer.headers.get("Content-Type", "").startswith("text/event-stream")
