"""The routes of what surrounds a memory: everything there is to know of it, and its links."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from mindlog.api.knowledgereplies import EdgeReply, InspectionReply, LinksReply
from mindlog.api.knowledgeschemas import LinkBody, LinkQuery
from mindlog.api.problems import problems
from mindlog.api.route import call_of, new_router, reply, shown

router = new_router("memories")

MemoryName = Annotated[
    str, Path(description="The id of a revision.", json_schema_extra={"pattern": "^mem_[0-9A-Za-z]{26}$"})
]


@router.get(
    "/v1/memories/{memory_id}/inspect",
    response_model=InspectionReply,
    responses=problems(401, 404),
    summary="Inspect a memory",
)
async def inspect(memory_id: MemoryName, request: Request) -> Response:
    """Everything there is to know of a revision: terms, questions, links, entities, statements, versions, runs."""
    call = call_of(request)
    with call.timed("inspect"):
        found = await call.engine.inspect(memory_id, caller=call.caller)
    return await shown(InspectionReply, found)


@router.get(
    "/v1/memories/{memory_id}/links",
    response_model=LinksReply,
    responses=problems(401, 404),
    summary="List a memory's links",
)
async def links(memory_id: MemoryName, request: Request) -> Response:
    """From it and to it, strongest first."""
    call = call_of(request)
    found = await call.engine.knowledge.links(memory_id, caller=call.caller)
    return await shown(LinksReply, {"data": found})


@router.post(
    "/v1/memories/{memory_id}/links",
    response_model=EdgeReply,
    responses=problems(401, 404, 413, 507),
    summary="Link two memories",
)
async def link(memory_id: MemoryName, body: LinkBody, request: Request) -> Response:
    """The same link again changes its weight."""
    call = call_of(request)
    edge = await call.engine.knowledge.link(memory_id, body.target, body.kind, weight=body.weight, caller=call.caller)
    return reply(EdgeReply.of(edge))


@router.delete(
    "/v1/memories/{memory_id}/links",
    status_code=204,
    responses=problems(401, 404, 507),
    summary="Take a link away",
)
async def unlink(memory_id: MemoryName, query: Annotated[LinkQuery, Query()], request: Request) -> Response:
    """Whoever made it."""
    call = call_of(request)
    await call.engine.knowledge.unlink(memory_id, query.target, query.kind, caller=call.caller)
    return Response(status_code=204)
