"""Runs and model calls as the surfaces show them: ids in text form, each stage with what it does. Knows no store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mindlog.ids import MemoryId, run_id
from mindlog.store.runrows import InferenceRow, RunRow, StageRow
from mindlog.store.stages import DERIVE_STAGES
from mindlog.views import Inference, Run, RunStage

__all__ = ["Outputs", "shown_inference", "shown_run"]

Outputs = Mapping[str, Mapping[str, Any]]

_DOES = {stage.name: stage.does for stage in DERIVE_STAGES}


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
        finished_at=row.finished_at,
        has_failed_stage=any(stage.status == "failed" for stage in row.stages),
        stages=tuple(_shown_stage(stage, outputs or {}) for stage in row.stages),
    )


def _shown_stage(stage: StageRow, outputs: Outputs) -> RunStage:
    return RunStage(
        name=stage.name,
        does=_DOES[stage.name],
        status=stage.status,
        error=stage.error,
        started_at=stage.started_at,
        finished_at=stage.finished_at,
        inference_ids=stage.inference_ids,
        output=outputs.get(stage.name),
    )


def shown_inference(row: InferenceRow) -> Inference:
    """Return the model call of a row, its prompt as messages."""
    facts = {name: getattr(row, name) for name in InferenceRow.__dataclass_fields__ if name not in ("id", "prompt")}
    prompt = None if row.prompt is None else tuple({"role": role, "content": text} for role, text in row.prompt)
    return Inference(inference_id=row.id, prompt=prompt, **facts)
