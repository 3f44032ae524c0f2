"""The verbs of what goes on behind a write: derivation runs, model calls, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mindlog.errors import InvalidInput
from mindlog.verbs.forms import Time, time_of
from mindlog.views import Run, RunRequest, SubscribeRequest

__all__ = [
    "InferencePage",
    "RunChange",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChange:
    """Which runs to start again or to cancel: those named, or all that a listing finds (`run_ids` None)."""

    run_ids: tuple[str, ...] | None
    request: RunRequest
    stages: tuple[str, ...] | None = None


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
    status: str | None = None,
    state: str | None = None,
    stage: str | None = None,
    stage_status: str | None = None,
    text: str | None = None,
    memory_id: str | None = None,
    created_from: Time | None = None,
    created_to: Time | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> RunRequest:
    """Return one page of derivation runs, newest first; what is None does not narrow.

    `stage_status` is that of `stage`, or of any stage. `text` is looked for in the memory's text and in errors.

    Raises:
        DatasetNotFound: there is no such dataset.
        InvalidInput: a word is not known, or another value is refused.
    """
    return RunRequest(
        dataset=dataset,
        status=status,
        state=state,
        stage=stage,
        stage_status=stage_status,
        text=text,
        memory_id=memory_id,
        created_from=time_of(created_from),
        created_to=time_of(created_to),
        limit=limit,
        cursor=cursor,
    )


def run_counts() -> None:
    """Return how many runs there are, `by_state` and `by_dataset`, and the age of the oldest that waits, `oldest_seconds`."""


def run(run_id: str) -> str:
    """Return one run, with what each stage produced.

    Raises:
        RunNotFound: there is none.
    """
    return run_id


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
    created_from: Time | None = None,
    created_to: Time | None = None,
) -> RunChange:
    """Start ended runs again, `stages` of them or what has not succeeded; returns how many.

    Which: one or more by id, or without ids all that `runs` finds; those that failed, if no status is asked for.

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
        created_from=time_of(created_from),
        created_to=time_of(created_to),
    )
    return _change(run_ids, request, stages)


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
    created_from: Time | None = None,
    created_to: Time | None = None,
) -> RunChange:
    """End runs that have not ended, breaking off those under way; returns how many.

    Which: one or more by id, or without ids all that `runs` finds.

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
        created_from=time_of(created_from),
        created_to=time_of(created_to),
    )
    return _change(run_ids, request)


def _change(run_ids: str | Iterable[str] | None, request: RunRequest, stages: Iterable[str] | None = None) -> RunChange:
    chosen = (run_ids,) if isinstance(run_ids, str) else None if run_ids is None else tuple(run_ids)
    if chosen is not None and request != RunRequest():
        raise InvalidInput("run_ids: either ids or filters, not both", field="run_ids")
    return RunChange(run_ids=chosen, request=request, stages=None if stages is None else tuple(stages))


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
