"""The routes of datasets and API keys."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from mindlog.api.problems import problems
from mindlog.api.replies import DatasetPageReply, DatasetReply, KeyPageReply, KeyReply, NewKeyReply
from mindlog.api.route import call_of, new_router, reply
from mindlog.api.schemas import DatasetBody, DatasetQuery, KeyBody
from mindlog.records import Scope

router = new_router("datasets and keys")


@router.get("/v1/datasets", response_model=DatasetPageReply, responses=problems(401), summary="List datasets")
async def datasets(query: Annotated[DatasetQuery, Query()], request: Request) -> Response:
    """The datasets the caller may touch, by name."""
    call = call_of(request)
    found = await call.engine.datasets(sizes=query.sizes, caller=call.caller)
    return reply(DatasetPageReply(data=[DatasetReply.of(dataset) for dataset in found]))


@router.post(
    "/v1/datasets", response_model=DatasetReply, responses=problems(401, 413, 507), summary="Create or set up a dataset"
)
async def put_dataset(body: DatasetBody, request: Request) -> Response:
    """Creates the dataset if there is none, and sets its time zone if one is given."""
    call = call_of(request)
    return reply(DatasetReply.of(await call.engine.put_dataset(body.name, timezone=body.timezone, caller=call.caller)))


@router.get("/v1/keys", response_model=KeyPageReply, responses=problems(401), summary="List API keys")
async def keys(request: Request) -> Response:
    """The API keys the caller may manage, newest first, revoked ones too."""
    call = call_of(request)
    return reply(KeyPageReply(data=[KeyReply.of(key) for key in await call.engine.keys(caller=call.caller)]))


@router.post(
    "/v1/keys",
    status_code=201,
    response_model=NewKeyReply,
    responses=problems(401, 413, 507),
    summary="Make an API key",
)
async def create_key(body: KeyBody, request: Request) -> Response:
    """The secret is shown this once. From the first key on, every request needs one."""
    call = call_of(request)
    scopes = [Scope(scope) for scope in body.scopes]
    key, secret = await call.engine.create_key(body.name, scopes=scopes, datasets=body.datasets, caller=call.caller)
    return reply(NewKeyReply.of(key, secret=secret), 201)


@router.delete(
    "/v1/keys/{key_id}", response_model=KeyReply, responses=problems(401, 404, 507), summary="Revoke an API key"
)
async def revoke_key(key_id: str, request: Request) -> Response:
    """The key is refused from now on."""
    call = call_of(request)
    return reply(KeyReply.of(await call.engine.revoke_key(key_id, caller=call.caller)))
