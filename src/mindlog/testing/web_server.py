"""A web on loopback: searches, a geocoder, series and weather in one server that misbehaves as told. Real HTTP, no outside.

Public for users' own tests. Owns the sockets, the switches and what came in.

    with FakeWeb() as web:
        web.data.pages.append(FakePage(title="Tea", url="https://example.org/tea", text="Tea is a drink."))
        web.misbehave("geocoder", Misbehaviour.HANG)
        engine = await mindlog.open(**web.settings(search="brave"))
"""

from __future__ import annotations

import gzip
import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from mindlog.testing.web_answers import Misbehaviour, WebBody, WebData, html_page

__all__ = ["FakeWeb", "Service", "WebVisit"]

Service = Literal["search", "geocoder", "series", "weather"]
SearchFormat = Literal["json", "searxng", "brave", "tavily"]

# How often a thread that holds an answer back looks whether the client is still there.
_LOOK_SECONDS = 0.02
_PIECE = b" " * 65_536
_PIECES = 4096
_HOPPED = "hopped"
_STATUSES: Mapping[Misbehaviour | None, int] = {
    Misbehaviour.ERROR: 500,
    Misbehaviour.UNAUTHORIZED: 401,
    Misbehaviour.LIMITED: 429,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebVisit:
    """One request as it came in. headers: names in lower case. query: of the address, or the body of a POST."""

    service: Service
    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, Any]

    @property
    def key(self) -> str | None:
        """The key, as any of the services wants it."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-subscription-token") or bearer or self.query.get("key") or None


Answering = Callable[[WebData, WebVisit, Misbehaviour | None], WebBody | None]

_SERVICES: Mapping[str, tuple[Service, Answering]] = {
    "/search": ("search", lambda data, visit, lie: data.searxng(visit.query, lie)),
    "/brave": ("search", lambda data, visit, lie: data.brave(visit.query, lie)),
    "/tavily": ("search", lambda data, visit, lie: data.tavily(visit.query, lie)),
    "/find": ("search", lambda data, visit, lie: data.plain_search(visit.query, lie)),
    "/geocode": ("geocoder", lambda data, visit, lie: data.nominatim(visit.query, lie)),
    "/rows": ("series", lambda data, visit, lie: _series(data, visit, data.rows, lie)),
    "/columns": ("series", lambda data, visit, lie: _series(data, visit, data.columns, lie)),
    "/table": ("series", lambda data, visit, lie: _series(data, visit, data.table, lie)),
    "/archive": ("weather", lambda data, visit, lie: data.open_meteo(visit.query, lie)),
}


class FakeWeb:
    """Serves while its `with` block is open, or between `start` and `stop`, from threads of its own.

    data: what the services know; may be changed at any time. `visits`: every request in order. `gone`: how many clients
    went away from an answer held back. Paths: /search /brave /tavily /find (searches), /geocode, /rows/NAME
    /columns/NAME /table/NAME (series), /archive (weather).
    """

    def __init__(self, data: WebData | None = None) -> None:
        self.data = data or WebData()
        self.visits: list[WebVisit] = []
        self.gone = 0
        self._lies: dict[Service, Misbehaviour | None] = {}
        self._changed = threading.Condition()
        self._released = threading.Event()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> Self:
        """Listen on a free port of 127.0.0.1."""
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_LOOK_SECONDS,), daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Release what hangs, close every connection and the port. Does nothing a second time."""
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server is None or thread is None:
            return
        self._released.set()
        server.shutdown()
        server.drop_connections()
        server.server_close()
        thread.join()

    @property
    def port(self) -> int:
        """The port it listens on."""
        if self._server is None:
            raise RuntimeError("the fake web is not started")
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        """Base URL."""
        return f"http://127.0.0.1:{self.port}"

    def settings(self, search: SearchFormat = "searxng", key: str = "a-key") -> dict[str, Any]:
        """Settings of mindlog that name this server as everything: search, geocoder, series (rows) and weather."""
        paths = {"searxng": "", "brave": "/brave", "tavily": "/tavily", "json": "/find?q={query}&n={limit}"}
        return {
            "web_search": search,
            "web_search_url": self.url + paths[search],
            "web_search_api_key": key,
            "web_search_results": "/found/pages",
            "web_search_title": "/name",
            "web_search_link": "/link",
            "web_search_text": "/says",
            "web_search_time": "/at",
            "geocoder_url": self.url + "/geocode",
            "series_providers": ["csv_json", "open_meteo"],
            "series_url": self.url + "/rows/{name}?start={start}&end={end}",
            "series_items": "/data/points",
            "open_meteo_url": self.url + "/archive",
        }

    def misbehave(self, service: Service, lie: Misbehaviour | None) -> None:
        """Switch how a service answers from now on; None: well."""
        with self._changed:
            self._lies[service] = lie

    def release(self) -> None:
        """Let every answer that hangs go out, also those that come later."""
        self._released.set()

    def wait_for(self, visits: int, *, timeout: float = 10.0) -> bool:
        """Wait until so many requests have come in, in all; `False` if they have not in time."""
        return self._wait(lambda: len(self.visits) >= visits, timeout)

    def wait_gone(self, clients: int = 1, *, timeout: float = 10.0) -> bool:
        """Wait until so many clients have gone away from an answer held back; `False` if they have not in time."""
        return self._wait(lambda: self.gone >= clients, timeout)

    def arrived(self, visit: WebVisit) -> Misbehaviour | None:
        """Take a request in and say how it is answered. Called by the server's threads."""
        with self._changed:
            self.visits.append(visit)
            self._changed.notify_all()
            return self._lies.get(visit.service)

    def hold(self, connection: socket.socket, seconds: float | None = None) -> bool:
        """Wait until released, or for so long; `False` as soon as the client has gone. Called by the threads."""
        while not self._released.wait(_LOOK_SECONDS if seconds is None else seconds):
            if _has_gone(connection):
                with self._changed:
                    self.gone += 1
                    self._changed.notify_all()
                return False
            if seconds is not None:
                break
        return True

    def _wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        with self._changed:
            return self._changed.wait_for(ready, timeout)


def _series(
    data: WebData,
    visit: WebVisit,
    write: Callable[[list[tuple[str, float | None]], Misbehaviour | None], WebBody],
    lie: Misbehaviour | None,
) -> WebBody | None:
    points = data.points(unquote(visit.path.rpartition("/")[2]))
    return None if points is None else write(points, lie)


def _has_gone(connection: socket.socket) -> bool:
    try:
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    server_address: tuple[str, int]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, fake: FakeWeb) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fake = fake
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        """Wake the threads that wait for a client's next request."""
        with self._lock:
            for each in self._open:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away in the middle is what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]
    connection: socket.socket

    def do_GET(self) -> None:
        self._visit(dict(parse_qsl(urlsplit(self.path).query)))

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        self._visit(json.loads(content))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def _visit(self, query: Mapping[str, Any]) -> None:
        path = urlsplit(self.path).path
        known = _SERVICES.get("/" + path.split("/")[1])
        if known is None:
            self._send(404, WebBody(b'{"error": "no such path"}'))
            return
        service, answering = known
        headers = {name.lower(): value for name, value in self.headers.items()}
        visit = WebVisit(service=service, method=self.command, path=path, headers=headers, query=query)
        lie = self.server.fake.arrived(visit)
        if _HOPPED in query:
            lie = None
        body = answering(self.server.fake.data, visit, lie)
        self._answer(visit, lie, body)

    def _answer(self, visit: WebVisit, lie: Misbehaviour | None, body: WebBody | None) -> None:
        if lie is Misbehaviour.RESET:
            self._reset()
        elif lie is Misbehaviour.HANG and not self.server.fake.hold(self.connection):
            self.close_connection = True
        elif lie in _STATUSES:
            said = json.dumps({"error": f"not for the key {visit.key}"}).encode()
            self._send(_STATUSES[lie], WebBody(said), {"Retry-After": "7"})
        elif lie in (Misbehaviour.REDIRECT, Misbehaviour.MOVED, Misbehaviour.LOOP):
            self._send(302, WebBody(b""), {"Location": self._elsewhere(lie)})
        elif body is None:
            self._send(404, WebBody(b'{"error": "no such series"}'))
        else:
            self._deliver(lie, body)

    def _deliver(self, lie: Misbehaviour | None, body: WebBody) -> None:
        half = body.content[: len(body.content) // 2]
        if lie is Misbehaviour.HUGE:
            self._endless()
        elif lie is Misbehaviour.BOMB:
            self._send(200, WebBody(gzip.compress(bytes(64 << 20))), {"Content-Encoding": "gzip"})
        elif lie is Misbehaviour.CUT:
            self._head(200, {"Content-Type": body.content_type, "Content-Length": str(len(body.content))})
            self.wfile.write(half)
            self.close_connection = True
        elif lie is Misbehaviour.DRIP:
            self._drip(body)
        elif lie is Misbehaviour.HTML:
            self._send(200, html_page("Please log in"))
        elif lie is Misbehaviour.DEEP:
            self._send(200, WebBody(b"[" * 100_000))
        else:
            self._send(200, WebBody(half, body.content_type) if lie is Misbehaviour.BROKEN else body)

    def _elsewhere(self, lie: Misbehaviour | None) -> str:
        """Where to; `localhost` is this server too, so a client that follows there is seen."""
        if lie is Misbehaviour.REDIRECT:
            return f"http://localhost:{self.server.fake.port}{self.path}"
        return self.path + ("&" if "?" in self.path else "?") + (f"{_HOPPED}=1" if lie is Misbehaviour.MOVED else "")

    def _send(self, code: int, body: WebBody, headers: Mapping[str, str] | None = None) -> None:
        sized = {"Content-Type": body.content_type, "Content-Length": str(len(body.content))}
        self._head(code, {**sized, **(headers or {})})
        self.wfile.write(body.content)

    def _drip(self, body: WebBody) -> None:
        self._head(200, {"Content-Type": body.content_type, "Content-Length": str(len(body.content))})
        for at in range(len(body.content)):
            if not self.server.fake.hold(self.connection, _LOOK_SECONDS):
                self.close_connection = True
                return
            self.wfile.write(body.content[at : at + 1])

    def _endless(self) -> None:
        self._head(200, {"Content-Type": "application/json", "Connection": "close"})
        self.close_connection = True
        for _ in range(_PIECES):
            self.wfile.write(_PIECE)

    def _head(self, code: int, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _reset(self) -> None:
        # A linger of zero seconds makes the close a reset; the shutdown that the server would do first is skipped.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True
