"""Runs the application on a socket: opens the engine, listens, drains on SIGTERM or Ctrl-C, closes the engine.

Owns the rule that another address than loopback is served only behind API keys.
"""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

from mindlog.api.app import create_app
from mindlog.api.auth import is_loopback
from mindlog.api.logs import set_up_logs
from mindlog.api.metrics import Metrics
from mindlog.engine import Engine
from mindlog.errors import ConfigError
from mindlog.models.embedder import Embedder
from mindlog.settings import Settings

__all__ = ["HttpServer", "bind", "check_exposure", "serve"]

DRAIN_SECONDS = 30
KEEP_ALIVE_SECONDS = 75  # longer than the 60 of most proxies and pools, so that they close first
BACKLOG = 2048


def serve(settings: Settings, *, announce: Callable[[str], None] = print, embedder: Embedder | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C; requests under way are answered first.

    Raises `ConfigError` if the address cannot be had or is not loopback while there is no API key, and what
    `Engine.open` raises.
    """
    set_up_logs(settings.log_format)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(settings, announce, embedder))


async def _serve(settings: Settings, announce: Callable[[str], None], embedder: Embedder | None) -> None:
    with bind(settings.host, settings.port) as sock:
        metrics = Metrics()
        async with await Engine.open(settings, embedder=embedder, observe=metrics.observe) as engine:
            check_exposure(engine)
            server = HttpServer(create_app(engine, metrics=metrics))
            await server.listen(sock, lambda: announce(f"mindlog {settings.data} listens on {_address(sock)}"))


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address, not yet listening. Raises `ConfigError` that says why it cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, protocol)
    except OSError as exc:
        raise ConfigError(f"host: {host!r} is not an address of this machine: {exc.strerror}", field="host") from exc
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
    except OSError as exc:
        sock.close()
        why = "is taken by another process; choose one with --port" if exc.errno == errno.EADDRINUSE else exc.strerror
        raise ConfigError(f"port: {host}:{port} {why}", field="port") from exc
    return sock


def check_exposure(engine: Engine) -> None:
    """Raise `ConfigError` if others than this machine could reach the server and no key that works would hold them off."""
    host = engine.settings.host
    keys = engine.store.api_keys()
    if is_loopback(host) or any(key.revoked_at is None for key in keys):
        return
    raise ConfigError(
        f"host: {host} can be reached from other machines, which needs an API key; make one first: "
        f"mindlog keys create NAME --scope write --data {engine.settings.data}",
        field="host",
    )


class HttpServer(uvicorn.Server):
    """uvicorn with our choices; it returns after a signal instead of raising it again, so that the engine can close."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        super().__init__(
            uvicorn.Config(
                app,
                http="httptools",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=DRAIN_SECONDS,
            )
        )
        self._on_start: Callable[[], None] = lambda: None

    async def listen(self, sock: socket.socket, on_start: Callable[[], None]) -> None:
        """Serve on the socket until told to stop; calls `on_start` when connections are accepted."""
        self._on_start = on_start
        await self.serve(sockets=[sock])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting connections."""
        try:
            await super().startup(sockets)
        except OSError as exc:  # between binding and listening another process may have begun to listen
            raise ConfigError(f"port: cannot listen: {exc.strerror}", field="port") from exc
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is under way and stop; what never ends by itself is ended."""
        self._app.state.streams.end()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take SIGINT and SIGTERM while serving; in another thread than the main one there is nothing to take."""
        handlers: dict[signal.Signals, object] = {}
        with suppress(ValueError):
            for number in (signal.SIGINT, signal.SIGTERM):
                handlers[number] = signal.signal(number, self.handle_exit)
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)  # type: ignore[arg-type]


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    # Not at the top: it does not exist on Windows.
    import uvloop

    return uvloop.new_event_loop


def _address(sock: socket.socket) -> str:
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
