"""A mindlog server on loopback, in a thread of this process, over a fresh directory."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from mindlog.api.app import create_app
from mindlog.api.server import HttpServer, bind
from mindlog.engine import Engine
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder


class LoopbackServer:
    """Runs until `stop`; `url` is its address."""

    def __init__(self, data: Path, port: int = 0) -> None:
        self._data = data
        self._started = threading.Event()
        self._server: HttpServer | None = None
        self._socket = bind("127.0.0.1", port)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        assert self._started.wait(30)

    async def _run(self) -> None:
        settings = Settings(data=self._data)
        async with await Engine.open(settings, embedder=HashEmbedder()) as engine:
            self._server = HttpServer(create_app(engine))
            await self._server.listen(self._socket, self._started.set)

    def stop(self) -> None:
        assert self._server is not None
        self._server.should_exit = True
        self._thread.join(30)
        self._socket.close()
