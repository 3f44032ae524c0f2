"""The admin's routes of derivation runs, model calls and stages. Everything here needs the scope `admin`."""

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
    InferenceReply,
    OutputsReply,
    RunCountsReply,
    RunPageReply,
    RunReply,
    RunsChangedReply,
    StageInfoReply,
    StagesReply,
)
from mindlog.api.runschemas import (
    CallQuery,
    CancelBody,
    InferenceQuery,
    OneRunQuery,
    RetryBody,
    RetryStagesBody,
    RunQuery,
)
from mindlog.records import Scope
from mindlog.store.stages import DERIVE_STAGES, ENCODE_STAGES, QUERY_STAGES, REMEMBER_STAGES
from mindlog.views import RunRequest

router = new_router("admin")

_RUNS = "/v1/admin/api/encode-runs"
_CALLS = "/v1/admin/api/inferences"

RunName = Annotated[str, Path(description="The id of a run.", json_schema_extra={"pattern": "^enc_[0-9A-Za-z]{13}$"})]
InferenceName = Annotated[str, Path(description="The id of a model call.", json_schema_extra={"maxLength": 64})]


@router.get(_RUNS, response_model=RunPageReply, responses=problems(401, 404), summary="List derivation runs")
async def runs(query: Annotated[RunQuery, Query()], request: Request) -> Response:
    """Newest first. Each says what state it is in and how each of its stages went."""
    call = call_of(request)
    with call.timed("runs"):
        page = await call.engine.runs.list_runs(RunRequest(**dict(query)), caller=call.caller)
    return await shown(RunPageReply, page)


@router.get(f"{_RUNS}/counts", response_model=RunCountsReply, responses=problems(401), summary="Count derivation runs")
async def run_counts(request: Request) -> Response:
    """By state, and by dataset and state."""
    call = call_of(request)
    return reply(RunCountsReply.of(await call.engine.runs.counts(caller=call.caller)))


@router.post(
    f"{_RUNS}/retry",
    response_model=RunsChangedReply,
    responses=problems(401, 404, 413, 507),
    summary="Start many runs again",
)
async def retry_runs(body: RetryBody, request: Request) -> Response:
    """The runs named, or all that the filters find; those that failed if no status is given."""
    call, asked = call_of(request), verbs.retry_runs(**dict(body))
    with call.timed("retry_runs"):
        return await retried(call.engine.runs, asked, call.caller)


@router.post(
    f"{_RUNS}/cancel",
    response_model=RunsChangedReply,
    responses=problems(401, 404, 413, 507),
    summary="Cancel many runs",
)
async def cancel_runs(body: CancelBody, request: Request) -> Response:
    """The runs named, or all that the filters find. What has ended stays as it is."""
    call, asked = call_of(request), verbs.cancel_runs(**dict(body))
    with call.timed("cancel_runs"):
        return await cancelled(call.engine.runs, asked, call.caller)


@router.get(
    f"{_RUNS}/{{run_id}}", response_model=RunReply, responses=problems(401, 404), summary="Read a derivation run"
)
async def run(run_id: RunName, query: Annotated[OneRunQuery, Query()], request: Request) -> Response:
    """With what each stage produced, unless that is not asked for."""
    call = call_of(request)
    return await shown_run(call.engine.runs, run_id, call.caller, outputs=query.outputs)


@router.get(
    f"{_RUNS}/{{run_id}}/outputs",
    response_model=OutputsReply,
    responses=problems(401, 404),
    summary="Read what a run produced",
)
async def run_outputs(run_id: RunName, request: Request) -> Response:
    """By stage."""
    call = call_of(request)
    return await shown_outputs(call.engine.runs, run_id, call.caller)


@router.get(
    f"{_RUNS}/{{run_id}}/inferences",
    response_model=InferencePageReply,
    responses=problems(401, 404),
    summary="List a run's model calls",
)
async def run_inferences(run_id: RunName, query: Annotated[CallQuery, Query()], request: Request) -> Response:
    """Newest first."""
    call = call_of(request)
    page = await call.engine.runs.inferences(run_id=run_id, **dict(query), caller=call.caller)
    return await shown(InferencePageReply, page)


@router.post(
    f"{_RUNS}/{{run_id}}/retry",
    response_model=RunReply,
    responses=problems(401, 404, 409, 413, 507),
    summary="Start a run again",
)
async def retry_run(run_id: RunName, request: Request, body: RetryStagesBody | None = None) -> Response:
    """One that has ended and has something to do again (409 else); returns it as it is then."""
    call = call_of(request)
    await call.engine.runs.retry_one(run_id, stages=body and body.stages, caller=call.caller)
    return await shown_run(call.engine.runs, run_id, call.caller)


@router.post(
    f"{_RUNS}/{{run_id}}/cancel",
    response_model=RunReply,
    responses=problems(401, 404, 409, 507),
    summary="Cancel a run",
)
async def cancel_run(run_id: RunName, request: Request) -> Response:
    """One that has not ended, or was cancelled before (409 else); returns it as it is then."""
    call = call_of(request)
    await call.engine.runs.cancel_one(run_id, caller=call.caller)
    return await shown_run(call.engine.runs, run_id, call.caller)


@router.get(_CALLS, response_model=InferencePageReply, responses=problems(401, 404), summary="List model calls")
async def inferences(query: Annotated[InferenceQuery, Query()], request: Request) -> Response:
    """Newest first, with prompts and outputs where they are kept."""
    call = call_of(request)
    page = await call.engine.runs.inferences(**dict(query), caller=call.caller)
    return await shown(InferencePageReply, page)


@router.get(
    f"{_CALLS}/{{inference_id}}",
    response_model=InferenceReply,
    responses=problems(401, 404),
    summary="Read a model call",
)
async def inference(inference_id: InferenceName, request: Request) -> Response:
    """Its prompt, its output, what it cost."""
    call = call_of(request)
    return await shown(InferenceReply, await call.engine.runs.inference(inference_id, caller=call.caller))


@router.get("/v1/admin/api/stages", response_model=StagesReply, responses=problems(401), summary="List the stages")
async def stages(request: Request) -> Response:
    """What each stage of each operation does."""
    call_of(request).caller.require(Scope.ADMIN)
    encode, derive, remember, query = (
        [StageInfoReply.model_validate(stage, from_attributes=True) for stage in table]
        for table in (ENCODE_STAGES, DERIVE_STAGES, REMEMBER_STAGES, QUERY_STAGES)
    )
    return reply(StagesReply(encode=encode, derive=derive, remember=remember, query=query))
