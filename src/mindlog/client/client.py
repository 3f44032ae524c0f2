"""The two clients users hold. Owns the connections and the waiting; what is asked, read and retried is decided elsewhere."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx2

from mindlog import __version__, verbs
from mindlog.client import calls, documentcalls, graphcalls, runcalls
from mindlog.client.answers import aanswer_parts, answer_parts, stream_call
from mindlog.client.attempts import attempts
from mindlog.client.calls import Call
from mindlog.client.events import AsyncEvents, Events
from mindlog.client.listening import Listening
from mindlog.errors import InvalidInput
from mindlog.verbs.files import Upload
from mindlog.views import AnswerPart, ImageRequest, RememberRequest, SubscribeRequest

__all__ = ["AsyncClient", "Client"]

P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")

Request = TypeVar("Request", RememberRequest, ImageRequest)

_LONGEST_TURN = 20.0  # seconds the server is asked to wait at a time


def _verb(
    build: Callable[P, Q], call: Callable[[Q], Call[R]], name: str | None = None
) -> Callable[Concatenate[Client, P], R]:
    """Make the method that builds a request with `build` and sends it as `call`."""

    def method(self: Client, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._send(call(build(*args, **kwargs)))  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, _returns(call), name)


def _averb(
    build: Callable[P, Q], call: Callable[[Q], Call[R]], name: str | None = None
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]:
    """Make the asynchronous twin of `_verb`'s method."""

    async def method(self: AsyncClient, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._send(call(build(*args, **kwargs)))  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, _returns(call), name)


def _upload(
    build: Callable[P, Upload[Request]], call: Callable[[Request], Call[R]]
) -> Callable[Concatenate[Client, P], R]:
    """Make the method of a verb that may have a file to read first."""

    def method(self: Client, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._send(call(build(*args, **kwargs).read()))  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, _returns(call))


def _aupload(
    build: Callable[P, Upload[Request]], call: Callable[[Request], Call[R]]
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]:
    async def method(self: AsyncClient, *args: P.args, **kwargs: P.kwargs) -> R:
        request = await asyncio.to_thread(build(*args, **kwargs).read)
        return await self._send(call(request))  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, _returns(call))


def _query_stream(build: Callable[P, verbs.Query]) -> Callable[Concatenate[Client, P], Iterator[AnswerPart]]:
    def method(self: Client, *args: P.args, **kwargs: P.kwargs) -> Iterator[AnswerPart]:
        call, tries = stream_call(build(*args, **kwargs)), self._tries  # pyright: ignore[reportPrivateUsage]
        return answer_parts(self._http, call, **tries)  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, "Iterator[AnswerPart]", "query_stream")


def _aquery_stream(
    build: Callable[P, verbs.Query],
) -> Callable[Concatenate[AsyncClient, P], AsyncGenerator[AnswerPart]]:
    def method(self: AsyncClient, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[AnswerPart]:
        call, tries = stream_call(build(*args, **kwargs)), self._tries  # pyright: ignore[reportPrivateUsage]
        return aanswer_parts(self._http, call, **tries)  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, "AsyncGenerator[AnswerPart]", "query_stream")


def _subscribe(build: Callable[P, SubscribeRequest]) -> Callable[Concatenate[Client, P], Events]:
    def method(self: Client, *args: P.args, **kwargs: P.kwargs) -> Events:
        return Events(self._http, self._listening(build(*args, **kwargs)))  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, "Events")


def _asubscribe(build: Callable[P, SubscribeRequest]) -> Callable[Concatenate[AsyncClient, P], AsyncEvents]:
    def method(self: AsyncClient, *args: P.args, **kwargs: P.kwargs) -> AsyncEvents:
        return AsyncEvents(self._http, self._listening(build(*args, **kwargs)))  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, "AsyncEvents")


def _returns(call: Callable[..., Any]) -> str:
    return str(call.__annotations__["return"]).removeprefix("Call[").removesuffix("]")


class _Base:
    """What both clients are made from."""

    def __init__(self, url: str, *, api_key: str | None, timeout: float, max_retries: int, backoff: float) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"url: {url[:200]!r} must start with http:// or https://", field="url")
        self._tries: dict[str, Any] = {"retries": max_retries, "backoff": backoff}
        self._turn = min(timeout / 2, _LONGEST_TURN)
        self._options: dict[str, Any] = {
            "base_url": url,
            "timeout": timeout,
            "headers": {"User-Agent": f"mindlog-python/{__version__}"}
            | ({"Authorization": f"Bearer {api_key}"} if api_key else {}),
        }

    def _listening(self, request: SubscribeRequest) -> Listening:
        return Listening(request, **self._tries)

    def _turns(self, timeout: float | None) -> Iterator[float]:
        """Yield how many seconds to have the server wait, again and again until the time is over."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        yield max(min(self._turn, end - time.monotonic()), 0.0)
        while (left := end - time.monotonic()) > 0:
            yield min(self._turn, left)


class Client(_Base, verbs.Surface):
    """A client of a mindlog server, for synchronous callers, from any thread; `with Client(url) as db` closes it.

    `timeout` is in seconds, for each wait on the network. A call that finds the server unreachable or too busy is sent
    up to `max_retries` times more; `encode` gets a request id, so that this cannot make a second memory. `transport`
    replaces the network, for tests.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        max_retries: int = 2,
        backoff: float = 0.2,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        super().__init__(url, api_key=api_key, timeout=timeout, max_retries=max_retries, backoff=backoff)
        self._http = httpx2.Client(transport=transport, **self._options)

    encode = _verb(verbs.encode, calls.encode)
    encode_vector = _verb(verbs.encode_vector, calls.encode)
    encode_batch = _verb(verbs.encode_batch, calls.encode_batch)
    recall = _verb(verbs.recall, calls.recall)
    get = _verb(verbs.get, calls.get)
    inspect = _verb(verbs.inspect, calls.inspect)
    list = _verb(verbs.list_page, calls.list_page, "list")
    edit = _verb(verbs.edit, calls.edit)
    forget = _verb(verbs.forget, calls.forget)
    restore = _verb(verbs.restore, calls.restore)

    remember = _upload(verbs.remember, documentcalls.remember)
    documents = _verb(verbs.documents, documentcalls.documents)
    document = _verb(verbs.document, documentcalls.document)
    document_texts = _verb(verbs.document_texts, documentcalls.document_texts)
    query = _verb(verbs.query, documentcalls.query)
    query_stream = _query_stream(verbs.query)

    series = _verb(verbs.series, documentcalls.series)
    get_series = _verb(verbs.get_series, documentcalls.get_series)
    series_points = _verb(verbs.series_points, documentcalls.series_points)
    places = _verb(verbs.places, documentcalls.places)
    near = _verb(verbs.near, documentcalls.near)
    keep_image = _upload(verbs.keep_image, documentcalls.keep_image)
    image = _verb(verbs.image, documentcalls.image)
    image_data = _verb(verbs.image_data, documentcalls.image_data)
    thumbnail = _verb(verbs.thumbnail, documentcalls.thumbnail)

    entities = _verb(verbs.entities, graphcalls.entities)
    entity = _verb(verbs.entity, graphcalls.entity)
    merge_entities = _verb(verbs.merge_entities, graphcalls.merge_entities)
    unmerge_entity = _verb(verbs.unmerge_entity, graphcalls.unmerge_entity)
    statements = _verb(verbs.statements, graphcalls.statements)
    statement = _verb(verbs.statement, graphcalls.statement)
    graph = _verb(verbs.graph, graphcalls.graph)
    links = _verb(verbs.links, graphcalls.links)
    link = _verb(verbs.link, graphcalls.link)
    unlink = _verb(verbs.unlink, graphcalls.unlink)
    proposals = _verb(verbs.proposals, graphcalls.proposals)
    decide_proposal = _verb(verbs.decide_proposal, graphcalls.decide_proposal)
    undo_proposal = _verb(verbs.undo_proposal, graphcalls.decide_proposal)

    runs = _verb(verbs.runs, runcalls.runs)
    run_counts = _verb(verbs.run_counts, runcalls.run_counts)
    run = _verb(verbs.run, runcalls.run)
    run_outputs = _verb(verbs.run_outputs, runcalls.run_outputs)
    retry_runs = _verb(verbs.retry_runs, runcalls.retry_runs)
    cancel_runs = _verb(verbs.cancel_runs, runcalls.cancel_runs)
    inferences = _verb(verbs.inferences, runcalls.inferences)
    inference = _verb(verbs.inference, runcalls.inference)

    datasets = _verb(verbs.datasets, calls.datasets)
    put_dataset = _verb(verbs.put_dataset, calls.put_dataset)
    create_key = _verb(verbs.create_key, calls.create_key)
    keys = _verb(verbs.keys, calls.keys)
    revoke_key = _verb(verbs.revoke_key, calls.revoke_key)
    health = _verb(verbs.health, calls.health)

    subscribe = _subscribe(verbs.subscribe)

    def _settled(self, timeout: float | None = None) -> bool:
        is_settled = False
        for seconds in self._turns(timeout):
            is_settled, may_help = self._send(calls.settled(seconds))
            if is_settled or not may_help:
                break
        return is_settled

    settled = verbs.dress(_settled, verbs.settled, "bool")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _send(self, call: Call[R]) -> R:
        steps, payload = attempts(call, **self._tries), call.payload
        wait = next(steps)
        while True:
            time.sleep(wait)
            try:
                answer = self._http.request(call.method, call.target, **payload)
            except httpx2.TransportError as exc:
                answer = exc
            try:
                wait = steps.send(answer)
            except StopIteration as done:
                return done.value


class AsyncClient(_Base, verbs.AsyncSurface):
    """A client of a mindlog server, for asyncio; `async with AsyncClient(url) as db` closes it. See `Client`."""

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        max_retries: int = 2,
        backoff: float = 0.2,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(url, api_key=api_key, timeout=timeout, max_retries=max_retries, backoff=backoff)
        self._http = httpx2.AsyncClient(transport=transport, **self._options)

    encode = _averb(verbs.encode, calls.encode)
    encode_vector = _averb(verbs.encode_vector, calls.encode)
    encode_batch = _averb(verbs.encode_batch, calls.encode_batch)
    recall = _averb(verbs.recall, calls.recall)
    get = _averb(verbs.get, calls.get)
    inspect = _averb(verbs.inspect, calls.inspect)
    list = _averb(verbs.list_page, calls.list_page, "list")
    edit = _averb(verbs.edit, calls.edit)
    forget = _averb(verbs.forget, calls.forget)
    restore = _averb(verbs.restore, calls.restore)

    remember = _aupload(verbs.remember, documentcalls.remember)
    documents = _averb(verbs.documents, documentcalls.documents)
    document = _averb(verbs.document, documentcalls.document)
    document_texts = _averb(verbs.document_texts, documentcalls.document_texts)
    query = _averb(verbs.query, documentcalls.query)
    query_stream = _aquery_stream(verbs.query)

    series = _averb(verbs.series, documentcalls.series)
    get_series = _averb(verbs.get_series, documentcalls.get_series)
    series_points = _averb(verbs.series_points, documentcalls.series_points)
    places = _averb(verbs.places, documentcalls.places)
    near = _averb(verbs.near, documentcalls.near)
    keep_image = _aupload(verbs.keep_image, documentcalls.keep_image)
    image = _averb(verbs.image, documentcalls.image)
    image_data = _averb(verbs.image_data, documentcalls.image_data)
    thumbnail = _averb(verbs.thumbnail, documentcalls.thumbnail)

    entities = _averb(verbs.entities, graphcalls.entities)
    entity = _averb(verbs.entity, graphcalls.entity)
    merge_entities = _averb(verbs.merge_entities, graphcalls.merge_entities)
    unmerge_entity = _averb(verbs.unmerge_entity, graphcalls.unmerge_entity)
    statements = _averb(verbs.statements, graphcalls.statements)
    statement = _averb(verbs.statement, graphcalls.statement)
    graph = _averb(verbs.graph, graphcalls.graph)
    links = _averb(verbs.links, graphcalls.links)
    link = _averb(verbs.link, graphcalls.link)
    unlink = _averb(verbs.unlink, graphcalls.unlink)
    proposals = _averb(verbs.proposals, graphcalls.proposals)
    decide_proposal = _averb(verbs.decide_proposal, graphcalls.decide_proposal)
    undo_proposal = _averb(verbs.undo_proposal, graphcalls.decide_proposal)

    runs = _averb(verbs.runs, runcalls.runs)
    run_counts = _averb(verbs.run_counts, runcalls.run_counts)
    run = _averb(verbs.run, runcalls.run)
    run_outputs = _averb(verbs.run_outputs, runcalls.run_outputs)
    retry_runs = _averb(verbs.retry_runs, runcalls.retry_runs)
    cancel_runs = _averb(verbs.cancel_runs, runcalls.cancel_runs)
    inferences = _averb(verbs.inferences, runcalls.inferences)
    inference = _averb(verbs.inference, runcalls.inference)

    datasets = _averb(verbs.datasets, calls.datasets)
    put_dataset = _averb(verbs.put_dataset, calls.put_dataset)
    create_key = _averb(verbs.create_key, calls.create_key)
    keys = _averb(verbs.keys, calls.keys)
    revoke_key = _averb(verbs.revoke_key, calls.revoke_key)
    health = _averb(verbs.health, calls.health)

    subscribe = _asubscribe(verbs.subscribe)

    async def _settled(self, timeout: float | None = None) -> bool:
        is_settled = False
        for seconds in self._turns(timeout):
            is_settled, may_help = await self._send(calls.settled(seconds))
            if is_settled or not may_help:
                break
        return is_settled

    settled = verbs.dress(_settled, verbs.settled, "bool")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _send(self, call: Call[R]) -> R:
        steps, payload = attempts(call, **self._tries), call.payload
        wait = next(steps)
        while True:
            await asyncio.sleep(wait)
            try:
                answer = await self._http.request(call.method, call.target, **payload)
            except httpx2.TransportError as exc:
                answer = exc
            try:
                wait = steps.send(answer)
            except StopIteration as done:
                return done.value
