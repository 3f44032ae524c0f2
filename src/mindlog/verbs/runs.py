"""The verbs of what goes on behind a call: the runs of three logs, model calls, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from mindlog.errors import InvalidInput
from mindlog.ids import Operation, operation_of
from mindlog.verbs.forms import Time, time_of
from mindlog.views import Run, RunRequest, SubscribeRequest

__all__ = [
    "InferencePage",
    "OneRun",
    "RunChange",
    "RunPage",
    "cancel_runs",
    "inference",
    "inferences",
    "outputs_of",
    "retry_runs",
    "run",
    "run_counts",
    "run_outputs",
    "runs",
    "subscribe",
]

_OPERATIONS: tuple[Operation, ...] = get_args(Operation)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """Which page of which runs, of which log."""

    operation: Operation
    request: RunRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChange:
    """Which runs of a log to start again or to cancel: those named, or all that a listing finds (`run_ids` None)."""

    operation: Operation
    run_ids: tuple[str, ...] | None
    request: RunRequest
    stages: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRun:
    """Which run of any log, and whether with what its stages produced."""

    run_id: str
    outputs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InferencePage:
    """Which page of which model calls."""

    run_id: str | None
    stage: str | None
    failed: bool | None
    limit: int
    cursor: str | None


def runs(
    dataset: str | None = None,
    *,
    operation: Operation = "encode",
    status: str | None = None,
    state: str | None = None,
    stage: str | None = None,
    stage_status: str | None = None,
    text: str | None = None,
    memory_id: str | None = None,
    document_id: str | None = None,
    session: str | None = None,
    created_from: Time | None = None,
    created_to: Time | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> RunPage:
    """Return one page of runs, newest first: derivations of memories, or those of `remember` or `query`.

    What is None does not narrow. `stage_status` is that of `stage`, or of any stage. `text` is looked for in what the run
    is of (the memory's text, the document's title, the question) and in errors. `memory_id` is for derivations,
    `document_id` for remember, `session` for queries.

    Raises:
        DatasetNotFound: there is no such dataset.
        InvalidInput: a word is not known, or another value is refused.
    """
    request = RunRequest(
        dataset=dataset,
        status=status,
        state=state,
        stage=stage,
        stage_status=stage_status,
        text=text,
        memory_id=memory_id,
        document_id=document_id,
        session=session,
        created_from=time_of(created_from),
        created_to=time_of(created_to),
        limit=limit,
        cursor=cursor,
    )
    return RunPage(operation=_known(operation), request=request)


def run_counts(operation: Operation = "encode") -> Operation:
    """Return how many runs there are, `by_state` and `by_dataset`, and the age of the oldest that waits, `oldest_seconds`."""
    return _known(operation)


def run(run_id: str, *, outputs: bool = True) -> OneRun:
    """Return one run of any log, with what each stage produced unless `outputs` is False.

    Raises:
        RunNotFound: there is none.
    """
    return OneRun(run_id=run_id, outputs=outputs)


def run_outputs(run_id: str) -> str:
    """Return what each stage of a run produced, by the stage's name.

    Raises:
        RunNotFound: there is none.
    """
    return run_id


def outputs_of(found: Run) -> dict[str, Mapping[str, Any]]:
    """Return what the stages of a run produced, by name."""
    return {stage.name: stage.output for stage in found.stages if stage.output is not None}


def retry_runs(
    run_ids: str | Iterable[str] | None = None,
    *,
    stages: Iterable[str] | None = None,
    dataset: str | None = None,
    status: str | None = None,
    state: str | None = None,
    stage: str | None = None,
    stage_status: str | None = None,
    text: str | None = None,
    memory_id: str | None = None,
    document_id: str | None = None,
    created_from: Time | None = None,
    created_to: Time | None = None,
    operation: Operation = "encode",
) -> RunChange:
    """Start ended runs again, `stages` of them or what has not succeeded; returns how many.

    Which: one or more by id, or without ids all that `runs` finds; those that failed, if no status is asked for. Of a
    remember, the stages cannot be chosen; a query is not run again.

    Raises:
        RunNotFound: one of the ids is of no run.
        InvalidInput: a word is not known, or there are ids and filters.
    """
    request = RunRequest(
        dataset=dataset,
        status=status,
        state=state,
        stage=stage,
        stage_status=stage_status,
        text=text,
        memory_id=memory_id,
        document_id=document_id,
        created_from=time_of(created_from),
        created_to=time_of(created_to),
    )
    return _change(operation, run_ids, request, stages)


def cancel_runs(
    run_ids: str | Iterable[str] | None = None,
    *,
    dataset: str | None = None,
    status: str | None = None,
    state: str | None = None,
    stage: str | None = None,
    stage_status: str | None = None,
    text: str | None = None,
    memory_id: str | None = None,
    document_id: str | None = None,
    created_from: Time | None = None,
    created_to: Time | None = None,
    operation: Operation = "encode",
) -> RunChange:
    """End runs that have not ended, breaking off those under way; returns how many.

    Which: one or more by id, or without ids all that `runs` finds. A query cannot be cancelled by others.

    Raises:
        RunNotFound: one of the ids is of no run.
        InvalidInput: a word is not known, or there are ids and filters.
    """
    request = RunRequest(
        dataset=dataset,
        status=status,
        state=state,
        stage=stage,
        stage_status=stage_status,
        text=text,
        memory_id=memory_id,
        document_id=document_id,
        created_from=time_of(created_from),
        created_to=time_of(created_to),
    )
    return _change(operation, run_ids, request)


def _change(
    operation: Operation,
    run_ids: str | Iterable[str] | None,
    request: RunRequest,
    stages: Iterable[str] | None = None,
) -> RunChange:
    chosen = (run_ids,) if isinstance(run_ids, str) else None if run_ids is None else tuple(run_ids)
    if chosen is not None and request != RunRequest():
        raise InvalidInput("run_ids: either ids or filters, not both", field="run_ids")
    operation = _known(operation) if not chosen else _common(chosen)
    if operation == "query":
        field = "operation" if not chosen else "run_ids"
        raise InvalidInput(f"{field}: a query is neither run again nor cancelled by others", field=field)
    if operation == "remember" and stages is not None:
        raise InvalidInput("stages: of a remember, all that did not succeed is done again", field="stages")
    return RunChange(
        operation=operation,
        run_ids=chosen,
        request=request,
        stages=None if stages is None else tuple(stages),
    )


def _common(run_ids: tuple[str, ...]) -> Operation:
    operations: set[Operation] = {operation_of(each) for each in run_ids}
    if len(operations) > 1:
        raise InvalidInput("run_ids: must be of one operation", field="run_ids")
    return operations.pop()


def _known(operation: Operation) -> Operation:
    if operation not in _OPERATIONS:
        raise InvalidInput(f"operation: must be one of {', '.join(_OPERATIONS)}", field="operation")
    return operation


def inferences(
    *,
    run_id: str | None = None,
    stage: str | None = None,
    failed: bool | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> InferencePage:
    """Return one page of model calls, newest first. A page may hold fewer than `limit` and not be the last.

    Raises:
        RunNotFound: `run_id` is of no run.
        InvalidInput: the stage is not known, or another value is refused.
    """
    return InferencePage(run_id=run_id, stage=stage, failed=failed, limit=limit, cursor=cursor)


def inference(inference_id: str) -> str:
    """Return one model call: its prompt, output, tokens, cost and time.

    Raises:
        InferenceNotFound: there is none.
    """
    return inference_id


def subscribe(
    dataset: str | None = None,
    *,
    from_lsn: int | None = None,
    types: Iterable[str] = (),
    session: str | None = None,
    kind: str | None = None,
    memory_id: str | None = None,
) -> SubscribeRequest:
    """Return the events from `from_lsn` on (None: from now on) as they happen, in order, each once; ends when closed.

    Raises:
        LsnGone: the log no longer has that LSN.
        DatasetNotFound: there is no such dataset.
        InvalidInput: an event type or another value is not known.
        Busy: there are as many subscribers as there may be.
    """
    return SubscribeRequest(
        dataset=dataset, from_lsn=from_lsn, types=tuple(types), session=session, kind=kind, memory_id=memory_id
    )
