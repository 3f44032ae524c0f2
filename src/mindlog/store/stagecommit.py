"""The operations of a stage of a held run: its start, and its end with what it found. Knows no thread and no queue."""

from __future__ import annotations

import json
from functools import cache

from mindlog.errors import InvalidInput, RevisionGone
from mindlog.ids import MemoryId
from mindlog.store.claims import check_held, run_payload
from mindlog.store.derived import apply_results
from mindlog.store.queries import q
from mindlog.store.rows import to_json
from mindlog.store.runrows import StageCommit, StageOutcome
from mindlog.store.runstages import checked
from mindlog.store.runtext import error_kind, storable, unicode
from mindlog.store.stages import StageInfo
from mindlog.store.transaction import Transaction

__all__ = ["commit_stage", "start_stage"]

_ENDS = ("succeeded", "failed", "skipped")


@cache
def _start(stage: StageInfo) -> str:
    return q.start_stage.replace("/*stage*/", stage.name)


@cache
def _end(stage: StageInfo) -> str:
    return (q.end_model_stage if stage.runs_model else q.end_stage).replace("/*stage*/", stage.name)


def start_stage(tx: Transaction, run: int, owner: str, stage: str, at: int) -> None:
    """Record that the stage has begun; see `DerivationStore.start_stage`."""
    tx.connection.execute(_start(checked(stage)), (at, run, owner))


def commit_stage(tx: Transaction, commit: StageCommit) -> StageOutcome:
    """Commit the stage's end; see `DerivationStore.commit_stage`."""
    stage = _checked(commit)
    output = None if commit.output is None else unicode(to_json(commit.output, "output"))
    dataset, slot, version, _, _, current, forgotten_at = check_held(tx, commit.run, commit.owner)
    if current != version or forgotten_at is not None:
        raise RevisionGone(f"memory_id: {MemoryId(0, slot, version)} was edited or forgotten", field="memory_id")
    results = commit.results
    added = {} if results is None else apply_results(tx, slot, version, dataset, results)
    _record(tx, stage, commit, output)
    counts = {sort: count for sort, count in added.items() if count}
    payload = run_payload(
        commit.run, stage=stage.name, status=commit.status, error=error_kind(commit.error), added=counts or None
    )
    return StageOutcome(lsn=tx.add_log("stage_completed", dataset, slot, version, payload), added=added)


def _checked(commit: StageCommit) -> StageInfo:
    stage = checked(commit.stage)
    if commit.status not in _ENDS:
        raise InvalidInput(f"status: {commit.status!r} is none of {', '.join(_ENDS)}", field="status")
    if commit.inference_ids and not stage.runs_model:
        raise InvalidInput(f"inference_ids: {stage.name} runs no model", field="inference_ids")
    return stage


def _record(tx: Transaction, stage: StageInfo, commit: StageCommit, output: str | None) -> None:
    facts: list[object] = [commit.status, storable(commit.error), commit.started_at, commit.finished_at]
    if stage.runs_model:
        facts.append(json.dumps(commit.inference_ids) if commit.inference_ids else None)
    tx.connection.execute(_end(stage), (*facts, commit.run))
    if output is None:
        tx.connection.execute(q.delete_output, (commit.run, stage.name))
    else:
        tx.connection.execute(q.put_output, (commit.run, stage.name, output))
