"""The routes of knowledge: entities, statements, the graph, merge proposals."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from mindlog.api.knowledgereplies import (
    EntityDetailReply,
    EntityPageReply,
    GraphReply,
    ProposalPageReply,
    ProposalReply,
    StatementPageReply,
    StatementReply,
)
from mindlog.api.knowledgeschemas import DecisionBody, EntityQuery, GraphQuery, MergeBody, ProposalQuery, StatementQuery
from mindlog.api.problems import problems
from mindlog.api.route import call_of, new_router, reply, shown
from mindlog.views import EntityRequest, GraphRequest, StatementRequest

router = new_router("knowledge")

EntityName = Annotated[
    str, Path(description="The id of an entity.", json_schema_extra={"pattern": "^ent_[0-9A-Za-z]{13}$"})
]
StatementName = Annotated[
    str, Path(description="The id of a statement.", json_schema_extra={"pattern": "^stm_[0-9A-Za-z]{13}$"})
]
ProposalName = Annotated[
    str, Path(description="The id of a proposal.", json_schema_extra={"pattern": "^prp_[0-9A-Za-z]{13}$"})
]


@router.get("/v1/entities", response_model=EntityPageReply, responses=problems(401, 404), summary="List entities")
async def entities(query: Annotated[EntityQuery, Query()], request: Request) -> Response:
    """The things that live memories name, those known longest first."""
    call = call_of(request)
    with call.timed("entities"):
        page = await call.engine.knowledge.entities(EntityRequest(**dict(query)), caller=call.caller)
    return await shown(EntityPageReply, page)


@router.get(
    "/v1/entities/{entity_id}", response_model=EntityDetailReply, responses=problems(401, 404), summary="Read an entity"
)
async def entity(entity_id: EntityName, request: Request) -> Response:
    """Of a merged entity, the one it is one with."""
    call = call_of(request)
    return reply(EntityDetailReply.of(await call.engine.knowledge.entity(entity_id, caller=call.caller)))


@router.post(
    "/v1/entities/{entity_id}/merge",
    response_model=EntityDetailReply,
    responses=problems(401, 404, 413, 507),
    summary="Make one entity of two",
)
async def merge_entities(entity_id: EntityName, body: MergeBody, request: Request) -> Response:
    """Returns the entity that stays; `unmerge` takes it back."""
    call = call_of(request)
    with call.timed("merge_entities"):
        return reply(EntityDetailReply.of(await call.engine.knowledge.merge(entity_id, body.into, caller=call.caller)))


@router.post(
    "/v1/entities/{entity_id}/unmerge",
    response_model=EntityDetailReply,
    responses=problems(401, 404, 507),
    summary="Take a merge back",
)
async def unmerge_entity(entity_id: EntityName, request: Request) -> Response:
    """Returns the entity that is one of its own again."""
    call = call_of(request)
    with call.timed("unmerge_entity"):
        return reply(EntityDetailReply.of(await call.engine.knowledge.unmerge(entity_id, caller=call.caller)))


@router.get("/v1/proposals", response_model=ProposalPageReply, responses=problems(401, 404), summary="List proposals")
async def proposals(query: Annotated[ProposalQuery, Query()], request: Request) -> Response:
    """Pairs of entities that may be one, newest first."""
    call = call_of(request)
    status = None if query.status == "all" else query.status
    page = await call.engine.knowledge.proposals(
        query.dataset, status=status, limit=query.limit, cursor=query.cursor, caller=call.caller
    )
    return await shown(ProposalPageReply, page)


@router.post(
    "/v1/proposals/{proposal_id}",
    response_model=ProposalReply,
    responses=problems(401, 404, 409, 413, 507),
    summary="Decide a proposal",
)
async def decide_proposal(proposal_id: ProposalName, body: DecisionBody, request: Request) -> Response:
    """Accepted, its two entities become one; undone, they are two again. What was refused or undone is not proposed again."""
    call = call_of(request)
    return reply(ProposalReply.of(await call.engine.knowledge.decide(proposal_id, body.decision, caller=call.caller)))


@router.get(
    "/v1/statements", response_model=StatementPageReply, responses=problems(401, 404), summary="List statements"
)
async def statements(query: Annotated[StatementQuery, Query()], request: Request) -> Response:
    """What holds now or at the times asked for, newest first, with the words it rests on."""
    call = call_of(request)
    with call.timed("statements"):
        page = await call.engine.knowledge.statements(StatementRequest(**dict(query)), caller=call.caller)
    return await shown(StatementPageReply, page)


@router.get(
    "/v1/statements/{statement_id}",
    response_model=StatementReply,
    responses=problems(401, 404),
    summary="Read a statement",
)
async def statement(statement_id: StatementName, request: Request) -> Response:
    """Whether it holds now or did."""
    call = call_of(request)
    return reply(StatementReply.of(await call.engine.knowledge.statement(statement_id, caller=call.caller)))


@router.get("/v1/graph", response_model=GraphReply, responses=problems(401, 404), summary="Look around an entity")
async def graph(query: Annotated[GraphQuery, Query()], request: Request) -> Response:
    """The entities some relations away, and the relations between them."""
    call = call_of(request)
    with call.timed("graph"):
        found = await call.engine.knowledge.graph(GraphRequest(**dict(query)), caller=call.caller)
    return await shown(GraphReply, found)
