"""The HTTP application over one engine: routes, middleware in its order, and the last answer to what nobody expected.

The engine is opened and closed by whoever calls `create_app`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from mindlog import __version__
from mindlog.api import (
    admin,
    adminui,
    docs,
    documents,
    health,
    knowledge,
    links,
    memories,
    queryruns,
    recall,
    rememberruns,
    runs,
    subscribe,
    world,
)
from mindlog.api.auth import Gate, is_loopback
from mindlog.api.callcounts import CallCounts
from mindlog.api.metrics import Metrics
from mindlog.api.middleware import Admission, HttpMiddleware, RequestIds, Watch
from mindlog.api.openapi import DESCRIPTION, describe
from mindlog.api.problems import HANDLERS, ProblemResponse, request_id_of
from mindlog.api.stream import Streams
from mindlog.api.upload import rooms

if TYPE_CHECKING:
    from mindlog.engine import Engine

__all__ = ["create_app"]

logger = logging.getLogger(__name__)

# FastAPI can report to a collector named by the environment; nothing leaves this process unasked.
_NO_TELEMETRY = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
_ROUTERS = (
    memories.router,
    links.router,
    recall.router,
    documents.router,
    knowledge.router,
    world.router,
    subscribe.router,
    admin.router,
    runs.router,
    rememberruns.router,
    queryruns.router,
    health.router,
    docs.router,
    adminui.router,
)


def create_app(engine: Engine, *, local: bool | None = None, metrics: Metrics | None = None) -> FastAPI:
    """Return the application that serves an open engine.

    `local`: it is reached by a loopback address only, so callers without a key are trusted while there is no key; by
    default what the engine's settings say of the host. `metrics`: those the engine was opened with, to show its stages.
    """
    local = is_loopback(engine.settings.host) if local is None else local
    metrics, uploads = metrics or Metrics(), rooms(engine.settings)
    app = FastAPI(
        title="mindlog",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_NO_TELEMETRY,  # type: ignore[arg-type]
        exception_handlers=HANDLERS,
        middleware=[  # outermost first
            Middleware(RequestIds),
            Middleware(Watch, metrics=metrics),
            Middleware(LastAnswer),
            Middleware(Gate, engine=engine, local=local),
            Middleware(Admission, max_body=engine.settings.max_body_bytes, uploads=uploads),
        ],
    )
    app.state.engine, app.state.metrics = engine, metrics
    app.state.rooms = uploads
    app.state.streams, app.state.calls = Streams(), CallCounts(engine.store)
    app.openapi = lambda: describe(app)
    for router in _ROUTERS:
        app.include_router(router)
    return app


class LastAnswer(HttpMiddleware):
    """Middleware that logs what nobody expected and answers 500 without telling its text; a gone caller gets nothing."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, whatever happens."""
        started = False

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        except ClientDisconnect:
            logger.debug("The caller left before its request was complete", extra={"action": "client_disconnected"})
        except Exception:
            if started:
                raise
            logger.exception("%s %s failed unexpectedly", scope["method"], scope["path"], extra={"action": "crashed"})
            await _unexpected(scope)(scope, receive, send)


def _unexpected(scope: Scope) -> ProblemResponse:
    return ProblemResponse(
        500, "internal_error", "the server failed; its log has the reason under this request id", request_id_of(scope)
    )
