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
from mindlog.store.runstages import DERIVE, RunTable, checked
from mindlog.store.runtext import error_kind, storable, unicode
from mindlog.store.stages import StageInfo
from mindlog.store.transaction import Transaction

__all__ = ["checked_end", "commit_stage", "record_end", "start_stage"]

_ENDS = ("succeeded", "failed", "skipped")


@cache
def _start(stage: StageInfo) -> str:
    return DERIVE.of_stage(q.start_stage, stage)


@cache
def _end(stage: StageInfo) -> str:
    return DERIVE.of_stage(q.end_model_stage if stage.runs_model else q.end_stage, stage)


def start_stage(tx: Transaction, run: int, owner: str, stage: str, at: int) -> None:
    """Record that the stage has begun; see `DerivationStore.start_stage`."""
    tx.connection.execute(_start(checked(stage)), (at, run, owner))


def commit_stage(tx: Transaction, commit: StageCommit) -> StageOutcome:
    """Commit the stage's end; see `DerivationStore.commit_stage`."""
    stage, output = checked_end(DERIVE, commit)
    dataset, slot, version, _, _, current, forgotten_at = check_held(tx, commit.run, commit.owner)
    if current != version or forgotten_at is not None:
        raise RevisionGone(f"memory_id: {MemoryId(0, slot, version)} was edited or forgotten", field="memory_id")
    results = commit.results
    added = {} if results is None else apply_results(tx, slot, version, dataset, results)
    record_end(tx, DERIVE, _end(stage), commit, output)
    counts = {sort: count for sort, count in added.items() if count}
    payload = run_payload(
        commit.run, stage=stage.name, status=commit.status, error=error_kind(commit.error), added=counts or None
    )
    return StageOutcome(lsn=tx.add_log("stage_completed", dataset, slot, version, payload), added=added)


def checked_end(table: RunTable, commit: StageCommit) -> tuple[StageInfo, str | None]:
    """Return the stage that ends and its output as JSON. Raises `InvalidInput` for an end that there is not."""
    stage = table.checked(commit.stage)
    if commit.status not in _ENDS:
        raise InvalidInput(f"status: {commit.status!r} is none of {', '.join(_ENDS)}", field="status")
    if commit.inference_ids and not stage.runs_model:
        raise InvalidInput(f"inference_ids: {stage.name} runs no model", field="inference_ids")
    return stage, None if commit.output is None else unicode(to_json(commit.output, "output"))


def record_end(tx: Transaction, table: RunTable, sql: str, commit: StageCommit, output: str | None) -> None:
    """Write how a stage ended by the table's statement, and what it produced in place of what it did before."""
    facts: list[object] = [commit.status, storable(commit.error), commit.started_at, commit.finished_at]
    if table.checked(commit.stage).runs_model:
        facts.append(json.dumps(commit.inference_ids) if commit.inference_ids else None)
    tx.connection.execute(sql, (*facts, commit.run))
    if output is None:
        tx.connection.execute(table.delete_output, (commit.run, commit.stage))
    else:
        tx.connection.execute(table.put_output, (commit.run, commit.stage, output))
