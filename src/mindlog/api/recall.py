"""The route of recall. Turns its body into a request and its result into a reply."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import Request
from starlette.responses import Response

from mindlog.api.narrow import filters_of_body, instant
from mindlog.api.problems import problems
from mindlog.api.replies import HitReply, RecallReply
from mindlog.api.route import Call, call_of, new_router, rendered
from mindlog.api.schemas import RecallBody
from mindlog.records import Hit, RecallRequest
from mindlog.wire import time_to_json

router = new_router("recall")


@router.post(
    "/v1/recall",
    response_model=RecallReply,
    responses=problems(401, 404, 413, 502),
    summary="Find memories",
)
async def recall(body: RecallBody, request: Request) -> Response:
    """Finds memories by meaning and by word, best first. No language model is asked."""
    call = call_of(request)
    wanted = _request(body, call)
    with call.timed("recall"):
        result = await call.engine.recall(wanted, caller=call.caller)

    def build(hits: Sequence[Hit]) -> RecallReply:
        trace = None if result.trace is None else dict(result.trace)
        time = time_to_json(result.time)
        return RecallReply(hits=[HitReply.of_hit(hit) for hit in hits], context=result.context, trace=trace, time=time)

    return await rendered(build, result.hits)


def _request(body: RecallBody, call: Call) -> RecallRequest:
    return RecallRequest(
        cue=body.cue,
        dataset=body.dataset,
        limit=body.limit,
        filters=filters_of_body(body.filters, body.dataset, call),
        as_of=instant(body.as_of, "as_of", body.dataset, call),
        budget_tokens=body.budget_tokens,
        trace=body.trace,
        explain_ids=tuple(body.explain_ids),
    )
