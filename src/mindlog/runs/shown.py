"""Runs and model calls as the surfaces show them: ids in text form, each stage with what it does. Knows no store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mindlog.ids import MemoryId, run_id
from mindlog.store.askingrows import QueryRow
from mindlog.store.documentrows import RememberRow
from mindlog.store.runrows import InferenceRow, RunRow, StageRow
from mindlog.store.stages import DERIVE_STAGES, QUERY_STAGES, REMEMBER_STAGES
from mindlog.views import Inference, Run, RunStage

__all__ = ["Outputs", "listed", "shown_inference", "shown_query", "shown_remember", "shown_run"]

Outputs = Mapping[str, Mapping[str, Any]]

_CALLS, _CALLS_LISTED = 200, 20  # ids of model calls of a stage that are shown
_DOES = {stage.name: stage.does for stage in (*DERIVE_STAGES, *REMEMBER_STAGES, *QUERY_STAGES)}


def shown_run(row: RunRow, outputs: Outputs | None = None) -> Run:
    """Return the run of a row; `outputs` are those of its stages by name, left out where nobody asked for them."""
    return Run(
        run_id=run_id(row.id),
        operation="encode",
        dataset=row.dataset,
        memory_id=str(MemoryId(0, row.slot, row.version)),
        status=row.status,
        state=row.state,
        error=row.error,
        attempts=row.attempts,
        next_attempt_at=row.due_at if row.state == "retrying" else None,
        created_at=row.created_at,
        started_at=_started_at(row.stages),
        finished_at=row.finished_at,
        has_failed_stage=_has_failed(row.stages),
        stages=_shown_stages(row.stages, outputs),
        flags=_flags(row),
        is_hidden=row.is_hidden,
    )


def shown_remember(row: RememberRow, outputs: Outputs | None = None) -> Run:
    """Return the run of a document's row; `outputs` as above."""
    return Run(
        run_id=run_id(row.id, "remember"),
        operation="remember",
        dataset=row.dataset,
        document_id=row.document_id,
        title=row.title,
        progress={"chunks": row.chunks, "read": row.read, "stored": row.stored},
        user=row.user,
        parameters=row.params,
        status=row.status,
        state=row.state,
        error=row.error,
        attempts=row.attempts,
        next_attempt_at=row.due_at if row.state == "retrying" else None,
        created_at=row.created_at,
        started_at=_started_at(row.stages),
        finished_at=row.finished_at,
        has_failed_stage=_has_failed(row.stages),
        stages=_shown_stages(row.stages, outputs),
        flags=_flags(row),
        is_hidden=row.is_hidden,
    )


def shown_query(row: QueryRow) -> Run:
    """Return the run of a question's row."""
    return Run(
        run_id=run_id(row.id, "query"),
        operation="query",
        dataset=row.dataset,
        question=row.question,
        session=row.session,
        answer=row.answer,
        answered_by=row.answered_by,
        user=row.user,
        parameters=row.params,
        status=row.status,
        state="running" if row.status == "started" else row.status,
        error=row.error,
        attempts=1,
        next_attempt_at=None,
        created_at=row.created_at,
        started_at=_started_at(row.stages),
        finished_at=row.finished_at,
        has_failed_stage=_has_failed(row.stages),
        stages=_shown_stages(row.stages, None),
        flags=_flags(row),
        is_hidden=row.is_hidden,
    )


def listed(run: Run) -> Run:
    """Return the run as one of many: with fewer ids of model calls, which of a long document are thousands."""
    stages = (replace(stage, inference_ids=stage.inference_ids[:_CALLS_LISTED]) for stage in run.stages)
    return replace(run, stages=tuple(stages))


def _flags(row: RunRow | RememberRow | QueryRow) -> tuple[str, ...]:
    """Return what is to be looked at though the run succeeded."""
    return tuple(_flagged(row)) if row.status == "succeeded" else ()


def _flagged(row: RunRow | RememberRow | QueryRow) -> Iterator[str]:
    if _has_failed(row.stages):
        yield "failed_stage"
    if isinstance(row, QueryRow) and row.answered_by == "llm" and not row.citations:
        yield "answer_without_citation"


def _started_at(stages: Sequence[StageRow]) -> int | None:
    return min((stage.started_at for stage in stages if stage.started_at is not None), default=None)


def _has_failed(stages: Sequence[StageRow]) -> bool:
    return any(stage.status == "failed" for stage in stages)


def _shown_stages(stages: Sequence[StageRow], outputs: Outputs | None) -> tuple[RunStage, ...]:
    return tuple(_shown_stage(stage, outputs or {}) for stage in stages)


def _shown_stage(stage: StageRow, outputs: Outputs) -> RunStage:
    return RunStage(
        name=stage.name,
        does=_DOES[stage.name],
        status=stage.status,
        error=stage.error,
        started_at=stage.started_at,
        finished_at=stage.finished_at,
        calls=len(stage.inference_ids),
        inference_ids=stage.inference_ids[:_CALLS],
        output=outputs.get(stage.name),
    )


def shown_inference(row: InferenceRow) -> Inference:
    """Return the model call of a row, its prompt as messages."""
    facts = {name: getattr(row, name) for name in InferenceRow.__dataclass_fields__ if name not in ("id", "prompt")}
    prompt = None if row.prompt is None else tuple({"role": role, "content": text} for role, text in row.prompt)
    return Inference(inference_id=row.id, prompt=prompt, **facts)
