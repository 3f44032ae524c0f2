"""The admin's routes of the runs that remember documents. Everything here needs the scope `admin`."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from mindlog import verbs
from mindlog.api.desks import cancelled, retried, shown_outputs, shown_run
from mindlog.api.problems import problems
from mindlog.api.route import call_of, new_router, reply, shown
from mindlog.api.runreplies import (
    InferencePageReply,
    OutputsReply,
    RunCountsReply,
    RunPageReply,
    RunReply,
    RunsChangedReply,
)
from mindlog.api.runschemas import CallQuery, CancelRememberBody, OneRunQuery, RememberRunQuery, RetryRememberBody
from mindlog.views import RunRequest

router = new_router("admin")

_RUNS = "/v1/admin/api/remember-runs"

RunName = Annotated[str, Path(description="The id of a run.", json_schema_extra={"pattern": "^rem_[0-9A-Za-z]{13}$"})]


@router.get(_RUNS, response_model=RunPageReply, responses=problems(401, 404), summary="List the runs of remember")
async def remember_runs(query: Annotated[RememberRunQuery, Query()], request: Request) -> Response:
    """Newest first. Each says how far it is and how each of its stages went."""
    call = call_of(request)
    with call.timed("remember_runs"):
        page = await call.engine.remember_runs.list_runs(RunRequest(**dict(query)), caller=call.caller)
    return await shown(RunPageReply, page)


@router.get(
    f"{_RUNS}/counts", response_model=RunCountsReply, responses=problems(401), summary="Count the runs of remember"
)
async def remember_run_counts(request: Request) -> Response:
    """By state, and by dataset and state."""
    call = call_of(request)
    return reply(RunCountsReply.of(await call.engine.remember_runs.counts(caller=call.caller)))


@router.post(
    f"{_RUNS}/retry",
    response_model=RunsChangedReply,
    responses=problems(401, 404, 413, 507),
    summary="Start many runs of remember again",
)
async def retry_remember_runs(body: RetryRememberBody, request: Request) -> Response:
    """The runs named, or all that the filters find; those that failed if no status is given. What succeeded stays."""
    call, asked = call_of(request), verbs.retry_runs(**dict(body), operation="remember")
    with call.timed("retry_runs"):
        return await retried(call.engine.remember_runs, asked, call.caller)


@router.post(
    f"{_RUNS}/cancel",
    response_model=RunsChangedReply,
    responses=problems(401, 404, 413, 507),
    summary="Cancel many runs of remember",
)
async def cancel_remember_runs(body: CancelRememberBody, request: Request) -> Response:
    """The runs named, or all that the filters find. What they kept stays."""
    call, asked = call_of(request), verbs.cancel_runs(**dict(body), operation="remember")
    with call.timed("cancel_runs"):
        return await cancelled(call.engine.remember_runs, asked, call.caller)


@router.get(
    f"{_RUNS}/{{run_id}}", response_model=RunReply, responses=problems(401, 404), summary="Read a run of remember"
)
async def remember_run(run_id: RunName, query: Annotated[OneRunQuery, Query()], request: Request) -> Response:
    """With what each stage produced, unless that is not asked for."""
    call = call_of(request)
    return await shown_run(call.engine.remember_runs, run_id, call.caller, outputs=query.outputs)


@router.get(
    f"{_RUNS}/{{run_id}}/outputs",
    response_model=OutputsReply,
    responses=problems(401, 404),
    summary="Read what a run of remember produced",
)
async def remember_run_outputs(run_id: RunName, request: Request) -> Response:
    """By stage."""
    call = call_of(request)
    return await shown_outputs(call.engine.remember_runs, run_id, call.caller)


@router.get(
    f"{_RUNS}/{{run_id}}/inferences",
    response_model=InferencePageReply,
    responses=problems(401, 404),
    summary="List the model calls of a run of remember",
)
async def remember_run_inferences(run_id: RunName, query: Annotated[CallQuery, Query()], request: Request) -> Response:
    """Newest first."""
    call = call_of(request)
    page = await call.engine.remember_runs.inferences(run_id=run_id, **dict(query), caller=call.caller)
    return await shown(InferencePageReply, page)


@router.post(
    f"{_RUNS}/{{run_id}}/retry",
    response_model=RunReply,
    responses=problems(401, 404, 409, 507),
    summary="Start a run of remember again",
)
async def retry_remember_run(run_id: RunName, request: Request) -> Response:
    """One that has ended, with what did not succeed (409 if there is nothing); returns it as it is then."""
    call = call_of(request)
    await call.engine.remember_runs.retry_one(run_id, caller=call.caller)
    return await shown_run(call.engine.remember_runs, run_id, call.caller)


@router.post(
    f"{_RUNS}/{{run_id}}/cancel",
    response_model=RunReply,
    responses=problems(401, 404, 409, 507),
    summary="Cancel a run of remember",
)
async def cancel_remember_run(run_id: RunName, request: Request) -> Response:
    """One that has not ended, or was cancelled before (409 else); returns it as it is then. What it kept stays."""
    call = call_of(request)
    await call.engine.remember_runs.cancel_one(run_id, caller=call.caller)
    return await shown_run(call.engine.remember_runs, run_id, call.caller)
