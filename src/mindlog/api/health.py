"""The routes that say how the server is. Open to everyone, so they show counts and states and nothing stored."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from mindlog import __version__
from mindlog.api.problems import problems
from mindlog.api.replies import HealthReply, LiveReply
from mindlog.api.route import call_of, new_router, reply
from mindlog.errors import MindlogError

router = new_router("health")

_NOT_READY: dict[int | str, dict[str, Any]] = {
    503: {"model": HealthReply, "description": "Writes or recall fail; `reasons` says why."}
}


@router.get("/livez", response_model=LiveReply, responses=problems(), summary="Is the process alive")
async def livez() -> Response:
    """Answers as long as the event loop turns."""
    return reply(LiveReply())


@router.get("/readyz", response_model=HealthReply, responses=problems() | _NOT_READY, summary="Can it write and recall")
async def readyz(request: Request) -> Response:
    """503 only if writes or recall fail. A backlog or an index being rebuilt is `degraded`, with its numbers."""
    try:
        health = await call_of(request).engine.health()
    except MindlogError as exc:
        body = HealthReply(
            status="failed", ready=False, reasons=[exc.detail], version=__version__, store={}, indexes=[], embedder={}
        )
        return reply(body, 503)
    body = HealthReply(
        status=health.status,
        ready=health.ready,
        reasons=list(health.reasons),
        version=__version__,
        store=dict(health.store),
        indexes=[dict(index) for index in health.indexes],
        embedder=dict(health.embedder),
    )
    return reply(body, 200 if health.ready else 503)


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Prometheus text format."}
    }
    | problems(),
    summary="Numbers for Prometheus",
)
async def metrics(request: Request) -> Response:
    """Requests, operations and stages with their durations, and how the store and its indexes are."""
    call = call_of(request)
    return Response(call.metrics.scrape(await call.engine.health()), headers={"Content-Type": CONTENT_TYPE_LATEST})
