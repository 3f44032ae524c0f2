"""The admin's routes of the questions that were asked. Everything here needs the scope `admin`."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from mindlog.api.desks import shown_outputs, shown_run
from mindlog.api.problems import problems
from mindlog.api.route import call_of, new_router, reply, shown
from mindlog.api.runreplies import InferencePageReply, OutputsReply, RunCountsReply, RunPageReply, RunReply
from mindlog.api.runschemas import CallQuery, OneRunQuery, QueryRunQuery
from mindlog.views import RunRequest

router = new_router("admin")

_RUNS = "/v1/admin/api/query-runs"

RunName = Annotated[str, Path(description="The id of a run.", json_schema_extra={"pattern": "^qry_[0-9A-Za-z]{13}$"})]


@router.get(_RUNS, response_model=RunPageReply, responses=problems(401, 404), summary="List the questions asked")
async def query_runs(query: Annotated[QueryRunQuery, Query()], request: Request) -> Response:
    """Newest first, with their answers and how each stage went."""
    call = call_of(request)
    with call.timed("query_runs"):
        page = await call.engine.query_runs.list_runs(RunRequest(**dict(query)), caller=call.caller)
    return await shown(RunPageReply, page)


@router.get(
    f"{_RUNS}/counts", response_model=RunCountsReply, responses=problems(401), summary="Count the questions asked"
)
async def query_run_counts(request: Request) -> Response:
    """By state, and by dataset and state."""
    call = call_of(request)
    return reply(RunCountsReply.of(await call.engine.query_runs.counts(caller=call.caller)))


@router.get(
    f"{_RUNS}/{{run_id}}", response_model=RunReply, responses=problems(401, 404), summary="Read a question asked"
)
async def query_run(run_id: RunName, query: Annotated[OneRunQuery, Query()], request: Request) -> Response:
    """With its answer and how each stage went."""
    call = call_of(request)
    return await shown_run(call.engine.query_runs, run_id, call.caller, outputs=query.outputs)


@router.get(
    f"{_RUNS}/{{run_id}}/outputs",
    response_model=OutputsReply,
    responses=problems(401, 404),
    summary="Read what the stages of a query produced",
)
async def query_run_outputs(run_id: RunName, request: Request) -> Response:
    """Nothing: the answer is in the run. Here so that all logs are read alike."""
    call = call_of(request)
    return await shown_outputs(call.engine.query_runs, run_id, call.caller)


@router.get(
    f"{_RUNS}/{{run_id}}/inferences",
    response_model=InferencePageReply,
    responses=problems(401, 404),
    summary="List the model calls of a query",
)
async def query_run_inferences(run_id: RunName, query: Annotated[CallQuery, Query()], request: Request) -> Response:
    """Newest first."""
    call = call_of(request)
    page = await call.engine.query_runs.inferences(run_id=run_id, **dict(query), caller=call.caller)
    return await shown(InferencePageReply, page)
