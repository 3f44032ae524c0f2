"""A web server on loopback that answers byte for byte as told, for tests of fetching."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

CERTIFICATE = Path(__file__).with_name("docs_test.pem")
"""Key and certificate of `docs.test`, which is no host anywhere."""

Say = Callable[[asyncio.StreamWriter], Awaitable[None]]


def whole(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """Return an answer; header names are written with underscores."""
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def moved(to: str, status: str = "302 Found") -> bytes:
    return whole(b"", status, Location=to)


class Web:
    """What the server says by path, and the heads of the requests it got. `gone` is set when a client goes away."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes | Say] = {}
        self.asked: list[str] = []
        self.names: list[str | None] = []
        self.gone = asyncio.Event()
        self.port = 0

    def url(self, path: str, host: str = "docs.test", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    @contextlib.asynccontextmanager
    async def serving(self, *, tls: bool = False, host: str = "127.0.0.1") -> AsyncIterator[Web]:
        server = await asyncio.start_server(self._meet, host, 0, ssl=self._tls() if tls else None)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield self

    def _tls(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        context.sni_callback = lambda _socket, name, _context: self.names.append(name)
        return context

    async def _meet(self, incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        try:
            head = (await incoming.readuntil(b"\r\n\r\n")).decode()
            self.asked.append(head)
            say = self.pages.get(head.split(" ")[1], whole(b"no such page", "404 Not Found"))
            if isinstance(say, bytes):
                outgoing.write(say)
                await outgoing.drain()
            else:
                await say(outgoing)
        except (OSError, asyncio.IncompleteReadError):
            self.gone.set()
        finally:
            outgoing.close()
