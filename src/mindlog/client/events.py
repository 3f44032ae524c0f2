"""Event streams as users of the clients iterate over them. Owns the connection; what a line means is decided elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Self

import httpx2

from mindlog.client.listening import SILENCE_SECONDS, Listening
from mindlog.views import Event

__all__ = ["AsyncEvents", "Events"]


class Events:
    """A subscription over HTTP: iterate over it; `with` closes it. A lost connection is made again, and nothing is missed."""

    def __init__(self, http: httpx2.Client, listening: Listening) -> None:
        """Connect. Raises what `Listening.wait` raises."""
        self._http, self._listening = http, listening
        self._over = False
        self._response: httpx2.Response | None = None
        self._lines: Iterator[str] = iter(())
        self._connect()

    def close(self) -> None:
        """Hear no more. Safe to call twice; for the thread that iterates."""
        self._over = True
        if self._response is not None:
            self._response.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        while not self._over:
            try:
                for line in self._lines:
                    if (event := self._listening.line(line)) is not None:
                        return event
            except httpx2.TransportError:
                pass  # the same as an end: go on where it broke off
            if self._response is not None:
                self._response.close()
            time.sleep(self._listening.wait(None))
            self._connect()
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self) -> None:
        while True:
            try:
                answer = self._http.send(_request(self._http, self._listening), stream=True)
            except httpx2.TransportError as exc:
                answer = exc
            if self._listening.connected(answer):
                assert isinstance(answer, httpx2.Response)  # or it would not be
                self._response, self._lines = answer, answer.iter_lines()
                return
            if isinstance(answer, httpx2.Response):
                answer.read()
            time.sleep(self._listening.wait(answer))


class AsyncEvents:
    """The same for asyncio: iterate over it; `async with` connects at once and closes it."""

    def __init__(self, http: httpx2.AsyncClient, listening: Listening) -> None:
        self._http, self._listening = http, listening
        self._over = False
        self._response: httpx2.Response | None = None
        self._lines: AsyncIterator[str] | None = None

    async def aclose(self) -> None:
        """Hear no more. Safe to call twice."""
        self._over = True
        if self._response is not None:
            await self._response.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while not self._over:
            lines = self._lines or await self._connect()
            try:
                async for line in lines:
                    if (event := self._listening.line(line)) is not None:
                        return event
            except httpx2.TransportError:
                pass  # the same as an end: go on where it broke off
            if self._response is not None:
                await self._response.aclose()
            self._lines = None
            await asyncio.sleep(self._listening.wait(None))
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        if self._lines is None:
            await self._connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _connect(self) -> AsyncIterator[str]:
        while True:
            try:
                answer = await self._http.send(_request(self._http, self._listening), stream=True)
            except httpx2.TransportError as exc:
                answer = exc
            if self._listening.connected(answer):
                assert isinstance(answer, httpx2.Response)  # or it would not be
                self._response, self._lines = answer, answer.aiter_lines()
                return self._lines
            if isinstance(answer, httpx2.Response):
                await answer.aread()
            await asyncio.sleep(self._listening.wait(answer))


def _request(http: httpx2.Client | httpx2.AsyncClient, listening: Listening) -> httpx2.Request:
    usual = http.timeout
    timeout = httpx2.Timeout(connect=usual.connect, read=SILENCE_SECONDS, write=usual.write, pool=usual.pool)
    return http.build_request("GET", listening.target, headers=listening.headers, timeout=timeout)
