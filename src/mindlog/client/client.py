"""The two clients users hold. Owns the connections and the waiting; what is asked, read and retried is decided elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx2

from mindlog import __version__, verbs
from mindlog.client import calls
from mindlog.client.attempts import attempts
from mindlog.client.calls import Call
from mindlog.errors import InvalidInput
from mindlog.records import Memory

__all__ = ["AsyncClient", "Client"]

P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")

_JSON = {"Content-Type": "application/json"}


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


def _returns(call: Callable[..., Any]) -> str:
    return str(call.__annotations__["return"]).removeprefix("Call[").removesuffix("]")


class _Base:
    """What both clients are made from."""

    def __init__(self, url: str, *, api_key: str | None, timeout: float, max_retries: int, backoff: float) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"url: {url[:200]!r} must start with http:// or https://", field="url")
        self._retries = max_retries
        self._backoff = backoff
        self._options: dict[str, Any] = {
            "base_url": url,
            "timeout": timeout,
            "headers": {"User-Agent": f"mindlog-python/{__version__}"}
            | ({"Authorization": f"Bearer {api_key}"} if api_key else {}),
        }


class Client(_Base):
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
    list = _verb(verbs.list_page, calls.list_page, "list")
    edit = _verb(verbs.edit, calls.edit)
    forget = _verb(verbs.forget, calls.forget)
    restore = _verb(verbs.restore, calls.restore)
    datasets = _verb(verbs.datasets, calls.datasets)
    put_dataset = _verb(verbs.put_dataset, calls.put_dataset)
    create_key = _verb(verbs.create_key, calls.create_key)
    keys = _verb(verbs.keys, calls.keys)
    revoke_key = _verb(verbs.revoke_key, calls.revoke_key)
    health = _verb(verbs.health, calls.health)

    def iterate(
        self, dataset: str = "default", *, filters: verbs.FilterForm | None = None, page_size: int = 200
    ) -> Iterator[Memory]:
        """Walk every current memory of a dataset, newest first, a page at a time."""
        cursor = None
        while True:
            page = self.list(dataset, filters=filters, limit=page_size, cursor=cursor)
            yield from page.data
            if (cursor := page.next_cursor) is None:
                return

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, call: Call[R]) -> R:
        steps, content = attempts(call, retries=self._retries, backoff=self._backoff), call.content
        wait = next(steps)
        while True:
            time.sleep(wait)
            try:
                answer = self._http.request(call.method, call.target, content=content, headers=_JSON)
            except httpx2.TransportError as exc:
                answer = exc
            try:
                wait = steps.send(answer)
            except StopIteration as done:
                return done.value


class AsyncClient(_Base):
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
    list = _averb(verbs.list_page, calls.list_page, "list")
    edit = _averb(verbs.edit, calls.edit)
    forget = _averb(verbs.forget, calls.forget)
    restore = _averb(verbs.restore, calls.restore)
    datasets = _averb(verbs.datasets, calls.datasets)
    put_dataset = _averb(verbs.put_dataset, calls.put_dataset)
    create_key = _averb(verbs.create_key, calls.create_key)
    keys = _averb(verbs.keys, calls.keys)
    revoke_key = _averb(verbs.revoke_key, calls.revoke_key)
    health = _averb(verbs.health, calls.health)

    async def iterate(
        self, dataset: str = "default", *, filters: verbs.FilterForm | None = None, page_size: int = 200
    ) -> AsyncIterator[Memory]:
        """Walk every current memory of a dataset, newest first, a page at a time."""
        cursor = None
        while True:
            page = await self.list(dataset, filters=filters, limit=page_size, cursor=cursor)
            for memory in page.data:
                yield memory
            if (cursor := page.next_cursor) is None:
                return

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _send(self, call: Call[R]) -> R:
        steps, content = attempts(call, retries=self._retries, backoff=self._backoff), call.content
        wait = next(steps)
        while True:
            await asyncio.sleep(wait)
            try:
                answer = await self._http.request(call.method, call.target, content=content, headers=_JSON)
            except httpx2.TransportError as exc:
                answer = exc
            try:
                wait = steps.send(answer)
            except StopIteration as done:
                return done.value
