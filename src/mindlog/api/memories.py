"""The routes of memories: write, read, list, edit, forget, restore. Turns bodies into requests and results into replies."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic import ValidationError
from starlette.responses import Response

from mindlog.api.narrow import filters_of_query
from mindlog.api.problems import as_invalid_input, problems
from mindlog.api.replies import (
    BatchFailed,
    BatchReply,
    BatchWritten,
    EncodeReply,
    ForgetReply,
    ItemError,
    MemoryPageReply,
    MemoryReply,
)
from mindlog.api.route import IdempotencyKey, call_of, new_router, one_key, rendered, reply
from mindlog.api.schemas import BatchBody, EncodeBody, ListQuery, PatchBody, VectorBody
from mindlog.errors import InvalidInput, MindlogError
from mindlog.records import EditRequest, EncodeRequest, EncodeResult, Memory

router = new_router("memories")

MemoryName = Annotated[
    str, Path(description="The id of a revision.", json_schema_extra={"pattern": "^mem_[0-9A-Za-z]{26}$"})
]
ForgetMode = Annotated[
    str,
    Query(
        description="`soft` hides the memory until the grace period is over. `hard` is not available in this release.",
        json_schema_extra={"enum": ["soft"]},
    ),
]

_CREATED: dict[int | str, dict[str, Any]] = {
    200: {"model": EncodeReply, "description": "The text or the request was there already; this is that memory."}
}
# Checking this many items takes about a millisecond; more is done beside the event loop.
_INLINE_ITEMS = 50


@router.post(
    "/v1/memories",
    status_code=201,
    response_model=EncodeReply,
    responses=_CREATED | problems(401, 409, 413, 502, 507),
    summary="Keep a text",
)
async def encode(body: EncodeBody, request: Request, key: IdempotencyKey = None) -> Response:
    """Answers when the memory is committed, on disk and searchable. The same text in a session is kept once."""
    return await _encode(_request(body, key), request, "encode")


@router.post(
    "/v1/memories/vector",
    status_code=201,
    response_model=EncodeReply,
    responses=_CREATED | problems(401, 409, 413, 507),
    summary="Keep a text with its vector",
)
async def encode_vector(body: VectorBody, request: Request, key: IdempotencyKey = None) -> Response:
    """For callers with their own embeddings: the vector must come from the store's model."""
    return await _encode(_request(body, key), request, "encode_vector")


@router.post(
    "/v1/memories/batch",
    response_model=BatchReply,
    responses=problems(401, 413, 507),
    summary="Keep many texts",
)
async def encode_batch(body: BatchBody, request: Request) -> Response:
    """One outcome per item, in their order; a bad item fails alone."""
    call, limit = call_of(request), call_of(request).engine.settings.max_batch
    if not 1 <= len(body.items) <= limit:
        raise InvalidInput(f"items: must be 1 to {limit} items", field="items", limit=limit)
    if "idempotency-key" in request.headers:
        raise InvalidInput(
            "Idempotency-Key: a batch has none; give each item its own request_id", field="idempotency-key"
        )
    items = await _read_items(body.items)
    good = [item for item in items if isinstance(item, EncodeRequest)]
    with call.timed("encode_batch"):
        answers = iter(await call.engine.encode_batch(good, caller=call.caller) if good else ())
    outcomes = [next(answers) if isinstance(item, EncodeRequest) else item for item in items]
    return await rendered(_batch_reply, outcomes)


@router.get(
    "/v1/memories",
    response_model=MemoryPageReply,
    responses=problems(401, 404),
    summary="List memories",
)
async def list_memories(query: Annotated[ListQuery, Query()], request: Request) -> Response:
    """Current memories of a dataset, newest first."""
    call = call_of(request)
    filters = filters_of_query(query, call)
    with call.timed("list"):
        page = await call.engine.list_memories(
            query.dataset,
            filters=filters,
            entity=query.entity,
            limit=query.limit,
            cursor=query.cursor,
            caller=call.caller,
        )

    def build(memories: Sequence[Memory]) -> MemoryPageReply:
        data = [MemoryReply.of(memory) for memory in memories]
        return MemoryPageReply(data=data, has_more=page.has_more, next_cursor=page.next_cursor)

    return await rendered(build, page.data)


@router.get(
    "/v1/memories/{memory_id}",
    response_model=MemoryReply,
    responses=problems(401, 404),
    summary="Read a memory",
)
async def get(memory_id: MemoryName, request: Request) -> Response:
    """The revision the id names; `is_current` says whether there is a later one."""
    call = call_of(request)
    with call.timed("get"):
        return reply(MemoryReply.of(await call.engine.get(memory_id, caller=call.caller)))


@router.patch(
    "/v1/memories/{memory_id}",
    response_model=EncodeReply,
    responses=problems(401, 404, 409, 413, 502, 507),
    summary="Edit a memory",
)
async def edit(memory_id: MemoryName, body: PatchBody, request: Request) -> Response:
    """Makes the next revision, with an id of its own; the old id still opens the old revision."""
    call = call_of(request)
    with call.timed("edit"):
        result = await call.engine.edit(EditRequest(memory_id=memory_id, **dict(body)), caller=call.caller)
    return reply(EncodeReply.of(result))


@router.delete(
    "/v1/memories/{memory_id}",
    response_model=ForgetReply,
    responses=problems(401, 404, 507),
    summary="Forget a memory",
)
async def forget(memory_id: MemoryName, request: Request, mode: ForgetMode = "soft") -> Response:
    """Hides it from every read at once; `restore` undoes it within the grace period."""
    if mode == "hard":
        raise InvalidInput("mode: 'hard' is not available in this release; use 'soft'", field="mode")
    call = call_of(request)
    with call.timed("forget"):
        return reply(ForgetReply.of(await call.engine.forget([memory_id], mode=mode, caller=call.caller)))


@router.post(
    "/v1/memories/{memory_id}/restore",
    response_model=MemoryReply,
    responses=problems(401, 404, 507),
    summary="Undo a forget",
)
async def restore(memory_id: MemoryName, request: Request) -> Response:
    """Brings a forgotten memory back and returns it."""
    call = call_of(request)
    with call.timed("restore"):
        return reply(MemoryReply.of(await call.engine.restore(memory_id, caller=call.caller)))


async def _encode(wanted: EncodeRequest, request: Request, operation: str) -> Response:
    call = call_of(request)
    with call.timed(operation):
        result = await call.engine.encode(wanted, caller=call.caller)
    if result.was_replayed:
        return reply(EncodeReply.of(result), 200, Idempotency_Replayed="true")
    location = f"/v1/memories/{result.memory_id}"
    return reply(EncodeReply.of(result), 200 if result.was_deduplicated else 201, Location=location)


def _request(body: EncodeBody | VectorBody, key: str | None = None) -> EncodeRequest:
    options = dict(body)
    options["request_id"] = one_key(body.request_id, key)
    return EncodeRequest(**options)


async def _read_items(items: Sequence[Any]) -> list[EncodeRequest | MindlogError]:
    def read() -> list[EncodeRequest | MindlogError]:
        return [_item(item) for item in items]

    return read() if len(items) <= _INLINE_ITEMS else await asyncio.to_thread(read)


def _item(item: Any) -> EncodeRequest | MindlogError:
    try:
        return _request(EncodeBody.model_validate(item))
    except ValidationError as exc:
        faults = exc.errors(include_url=False, include_input=False)
        return as_invalid_input([fault | {"loc": ("item", *fault["loc"])} for fault in faults])
    except MindlogError as exc:
        return exc


def _batch_reply(outcomes: Sequence[EncodeResult | MindlogError]) -> BatchReply:
    return BatchReply(results=[_batch_item(index, outcome) for index, outcome in enumerate(outcomes)])


def _batch_item(index: int, outcome: EncodeResult | MindlogError) -> BatchWritten | BatchFailed:
    if isinstance(outcome, EncodeResult):
        was_there = outcome.was_deduplicated or outcome.was_replayed
        return BatchWritten.of(outcome, index=index, status=200 if was_there else 201)
    error = ItemError(code=outcome.code, detail=outcome.detail, field=outcome.field, retryable=outcome.retryable)
    return BatchFailed(index=index, status=outcome.status, error=error)
