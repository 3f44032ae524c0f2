"""What surrounds every request: its id, its count and its line in the log, and the limits on what is taken in.

Pure ASGI, each class one concern. Order is decided in `app`.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindlog.api.problems import problem_of, request_id_of
from mindlog.api.upload import Room, is_form
from mindlog.errors import Busy, MindlogError
from mindlog.ids import new_id

if TYPE_CHECKING:
    from mindlog.api.metrics import Metrics

__all__ = ["Admission", "HttpMiddleware", "RequestIds", "Watch", "current_request_id"]

logger = logging.getLogger(__name__)

current_request_id: ContextVar[str | None] = ContextVar("mindlog_request_id", default=None)
"""The id of the request this code runs for; None outside of any."""

MAX_IN_FLIGHT = 1024
"""Requests served at once; more are told to come back."""
BODIES_IN_FLIGHT = 8
"""How many bodies of the largest size may be held at once, all requests together."""

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/@+=-]{1,128}")
_METHODS = frozenset({"GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS"})
_ALWAYS_ADMITTED = frozenset({"/livez", "/readyz", "/metrics"})
_CLIENT_CLOSED = 499


class HttpMiddleware:
    """A layer around every HTTP request; other ASGI traffic passes it by."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request to `handle`."""
        await (self.handle if scope["type"] == "http" else self.app)(scope, receive, send)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; by default, pass it on."""
        await self.app(scope, receive, send)


class RequestIds(HttpMiddleware):
    """Gives every request its id (the caller's X-Request-Id if it is fit for a log) and sends it back."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request under its id."""
        request_id = _given_id(scope) or new_id("req")
        scope.setdefault("state", {})["request_id"] = request_id
        current_request_id.set(request_id)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-Id"] = request_id
            await send(message)

        await self.app(scope, receive, send_with_id)


def _given_id(scope: Scope) -> str | None:
    given = _header(scope, b"x-request-id")
    return given.decode("ascii") if _REQUEST_ID.fullmatch(given) else None


class Watch(HttpMiddleware):
    """Counts and times requests by route, and writes a debug line of each."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        super().__init__(app)
        self._metrics = metrics

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request and note what came of it."""
        started, status = time.perf_counter(), _CLIENT_CLOSED

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        finally:
            self._note(scope, status, time.perf_counter() - started)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # The route's pattern, since a path would make a label of every memory.
        route = getattr(scope.get("route"), "path", "unmatched")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.add(seconds, route, method, str(status))
        if logger.isEnabledFor(logging.DEBUG):
            extra = {"action": "request", "route": route, "status": status, "seconds": seconds}
            logger.debug("%s %s: %d in %.1f ms", method, route, status, seconds * 1000, extra=extra)


class Admission(HttpMiddleware):
    """Bounds what is taken in: requests at once, the size of a body as it arrives, and all bodies together.

    uploads: by path, what a form with a file may hold there.
    """

    def __init__(self, app: ASGIApp, *, max_body: int, uploads: Mapping[str, Room]) -> None:
        super().__init__(app)
        self._room = Room(field="body", limit=max_body)
        self._uploads = uploads
        self._largest = max(room.limit + room.beside for room in (self._room, *uploads.values()))
        self._requests = 0
        self._bytes = 0

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request if there is room for it."""
        if scope["path"] in _ALWAYS_ADMITTED:
            await self.app(scope, receive, send)
            return
        self._requests += 1
        room = self._room_of(scope)
        try:
            self._check_room(room, _announced_size(scope))
        except MindlogError as exc:
            await problem_of(exc, request_id_of(scope))(scope, receive, send)
        else:
            await self._admit(room, scope, receive, send)
        finally:
            self._requests -= 1

    async def _admit(self, room: Room, scope: Scope, receive: Receive, send: Send) -> None:
        taken = 0

        async def receive_bounded() -> Message:
            nonlocal taken
            message = await receive()
            size = len(message.get("body", b""))
            if not size:
                return message
            taken += size
            self._bytes += size
            # Counted as it comes: what was announced may be missing, and need not be true.
            self._check_room(room, taken)
            return message

        try:
            await self.app(scope, receive_bounded, send)
        finally:
            self._bytes -= taken

    def _room_of(self, scope: Scope) -> Room:
        room = self._uploads.get(scope["path"])
        return room if room is not None and is_form(_header(scope, b"content-type").decode("latin-1")) else self._room

    def _check_room(self, room: Room, size: int) -> None:
        room.check(size)
        if self._requests > MAX_IN_FLIGHT or self._bytes > self._largest * BODIES_IN_FLIGHT:
            raise Busy("the server has as many requests as it takes; try again")


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")


def _announced_size(scope: Scope) -> int:
    announced = _header(scope, b"content-length")
    return int(announced) if announced.isdigit() else 0
