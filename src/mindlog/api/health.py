"""The routes that say how the server is. Open to everyone, so they show counts and states and nothing stored."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from mindlog import __version__
from mindlog.api.activity import KEPT_MINUTES
from mindlog.api.problems import problems
from mindlog.api.replies import ActivityPoint, ActivityReply, HealthReply, LiveReply, SettledReply
from mindlog.api.route import call_of, new_router, reply
from mindlog.errors import MindlogError
from mindlog.records import Health, Scope
from mindlog.wire import to_json

if TYPE_CHECKING:
    from mindlog.engine import Engine

router = new_router("health")

Seconds = Annotated[float, Query(ge=0, le=30, allow_inf_nan=False, description="Longest wait, seconds.")]

Minutes = Annotated[int, Query(ge=1, le=KEPT_MINUTES, description="How many of the newest.")]

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
        health = Health(ready=False, status="failed", reasons=(exc.detail,), store={}, indexes=(), embedder={})
    body = HealthReply.model_validate(to_json(health) | {"version": __version__})
    return reply(body, 200 if health.ready else 503)


@router.get(
    "/v1/settled", response_model=SettledReply, responses=problems(401), summary="Wait until everything is derived"
)
async def settled(request: Request, timeout: Seconds = 0.0) -> Response:
    """Answers when nothing that was written waits to be read or derived, or when the seconds have passed."""
    call = call_of(request)
    call.caller.require(Scope.READ)
    is_settled = await call.engine.settled(timeout)
    return reply(SettledReply(settled=is_settled, derives=await asyncio.to_thread(_derives, call.engine)))


def _derives(engine: Engine) -> bool:
    settings = engine.settings
    return settings.derive and (settings.remember or engine.store.next_remember() is None)


@router.get(
    "/v1/activity", response_model=ActivityReply, responses=problems(401), summary="Count calls and runs by the minute"
)
async def activity(request: Request, minutes: Minutes = 60) -> Response:
    """Since the server started, of the last day at most: one point a minute, also where nothing happened."""
    call = call_of(request)
    call.caller.require(Scope.READ)
    points = [ActivityPoint.of(each) for each in call.metrics.activity.minutes(minutes)]
    return reply(ActivityReply(points=points))


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
    call, state = call_of(request), request.app.state
    health = await call.engine.health()
    calls = await asyncio.to_thread(state.calls.up_to_now)
    text = call.metrics.scrape(health, subscribers=len(state.streams.open), calls=calls)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})
