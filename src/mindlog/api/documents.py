"""The routes of documents and questions. Turns bodies into requests and results into replies."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Request
from starlette.responses import Response

from mindlog.api.answers import AnswerStream
from mindlog.api.documentreplies import (
    DocumentPageReply,
    DocumentReply,
    DocumentTextPageReply,
    QueryReply,
    RememberReply,
)
from mindlog.api.documentschemas import DocumentQuery, OneDocumentQuery, QueryBody, RememberBody, RememberForm
from mindlog.api.narrow import filters_of_body
from mindlog.api.problems import problems
from mindlog.api.route import Call, IdempotencyKey, call_of, new_router, one_key, reply, shown
from mindlog.api.upload import read_upload, request_body
from mindlog.views import QueryRequest, RememberRequest

router = new_router("documents")

DocumentName = Annotated[str, Path(description="The id of a document.", json_schema_extra={"maxLength": 256})]

_TAKEN: dict[int | str, dict[str, Any]] = {
    200: {"model": RememberReply, "description": "The run is over, or this request id was answered before."}
}
_EVENT = {
    "type": "object",
    "properties": {"event": {"enum": ["text", "result", "error"]}, "data": {"type": "string"}},
    "required": ["event", "data"],
}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/event-stream": {"schema": _EVENT}},
        "description": "The answer; with `stream`, events: `text` pieces, then `result`, or `error` with a problem.",
    }
}


@router.post(
    "/v1/remember",
    status_code=202,
    response_model=RememberReply,
    responses=_TAKEN | problems(401, 409, 413, 415, 502, 507),
    openapi_extra=request_body(RememberBody, RememberForm),
    summary="Remember a document",
)
async def remember(request: Request, key: IdempotencyKey = None) -> Response:
    """Answers when the document and the run that reads it are on disk. As JSON with its text or address, or as a form with the file."""
    call, wanted = call_of(request), await _wanted(request, key)
    with call.timed("remember"):
        result = await call.engine.remember(wanted, caller=call.caller)
    headers = {"Location": f"/v1/admin/api/remember-runs/{result.remember_run_id}"}
    if result.was_replayed:
        headers["Idempotency_Replayed"] = "true"
    status = 200 if result.was_replayed or wanted.wait == "derived" else 202
    return await shown(RememberReply, result, status, **headers)


@router.get("/v1/documents", response_model=DocumentPageReply, responses=problems(401, 404), summary="List documents")
async def documents(query: Annotated[DocumentQuery, Query()], request: Request) -> Response:
    """Newest first."""
    call = call_of(request)
    page = await call.engine.documents(query.dataset, limit=query.limit, cursor=query.cursor, caller=call.caller)
    return await shown(DocumentPageReply, page)


# Before the route of one document: an id may have slashes.
@router.get(
    "/v1/documents/{document_id:path}/texts",
    response_model=DocumentTextPageReply,
    responses=problems(401, 404),
    summary="List a document's texts",
)
async def document_texts(
    document_id: DocumentName, query: Annotated[DocumentQuery, Query()], request: Request
) -> Response:
    """Of its current version: the chunks in order, then what was added to them."""
    call = call_of(request)
    page = await call.engine.document_texts(
        document_id, query.dataset, limit=query.limit, cursor=query.cursor, caller=call.caller
    )
    return await shown(DocumentTextPageReply, page)


@router.get(
    "/v1/documents/{document_id:path}",
    response_model=DocumentReply,
    responses=problems(401, 404),
    summary="Read what is known of a document",
)
async def document(
    document_id: DocumentName, query: Annotated[OneDocumentQuery, Query()], request: Request
) -> Response:
    """Its title, kind and size, and the run whose texts it has now."""
    call = call_of(request)
    return reply(DocumentReply.of(await call.engine.document(document_id, query.dataset, caller=call.caller)))


@router.post(
    "/v1/query",
    response_model=QueryReply,
    responses=_STREAM | problems(401, 404, 413, 502),
    summary="Ask a question",
)
async def query(body: QueryBody, request: Request) -> Response:
    """Answers from what is remembered, with citations `[n]`; without a language model from the best sentences and statements."""
    call = call_of(request)
    wanted = _asked(body, call)
    if body.stream:
        parts = call.engine.query_stream(wanted, caller=call.caller)
        return AnswerStream(parts, request.app.state.streams, call.metrics)
    with call.timed("query"), call.metrics.question() as answered:
        result = await call.engine.query(wanted, caller=call.caller)
        answered(result.answered_by)
    return await shown(QueryReply, result)


async def _wanted(request: Request, key: str | None) -> RememberRequest:
    body = await read_upload(request, RememberBody, RememberForm)
    fields: dict[str, Any] = dict(body)
    fields["request_id"] = one_key(body.request_id, key)
    if isinstance(body, RememberForm):
        fields["data"] = fields.pop("document")
    return RememberRequest(**fields)


def _asked(body: QueryBody, call: Call) -> QueryRequest:
    return QueryRequest(
        question=body.question,
        dataset=body.dataset,
        session=body.session,
        as_of=body.as_of,
        limit=body.limit,
        filters=filters_of_body(body.filters, body.dataset, call),
        options=body.options,
    )
