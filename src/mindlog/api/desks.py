"""What the routes of the three logs do the same way with a desk. Knows no route."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from mindlog import verbs
from mindlog.access import Caller
from mindlog.api.route import reply, shown
from mindlog.api.runreplies import OutputsReply, RunReply, RunsChangedReply
from mindlog.runs.desk import RunDesk
from mindlog.runs.logdesk import LogDesk
from mindlog.wire import to_json

__all__ = ["cancelled", "retried", "shown_outputs", "shown_run"]


async def retried(desk: RunDesk[Any], asked: verbs.RunChange, caller: Caller) -> Response:
    """Start many runs again and say how many were."""
    if asked.run_ids is None:
        done = await desk.retry_where(asked.request, stages=asked.stages, caller=caller)
    else:
        done = await desk.retry(asked.run_ids, stages=asked.stages, caller=caller)
    return reply(RunsChangedReply(runs=done))


async def cancelled(desk: RunDesk[Any], asked: verbs.RunChange, caller: Caller) -> Response:
    """Cancel many runs and say how many were."""
    if asked.run_ids is None:
        done = await desk.cancel_where(asked.request, caller=caller)
    else:
        done = await desk.cancel(asked.run_ids, caller=caller)
    return reply(RunsChangedReply(runs=done))


async def shown_run(desk: LogDesk[Any], run_id: str, caller: Caller, *, outputs: bool = True) -> Response:
    """Show one run, with what each stage produced if `outputs`."""
    return await shown(RunReply, await desk.run(run_id, outputs=outputs, caller=caller))


async def shown_outputs(desk: LogDesk[Any], run_id: str, caller: Caller) -> Response:
    """Show what the stages of a run produced."""
    outputs: dict[str, Any] = to_json(await desk.outputs(run_id, caller=caller))
    return reply(OutputsReply(outputs=outputs))
