"""The operations of a stage of a held run of remember: its start and its end. Knows no thread and no queue.

What the stage has made is in the store already, text by text; its end says how it went. A run goes on after a crash where it
broke off, so a stage keeps the start it had.
"""

from __future__ import annotations

from functools import cache

from mindlog.store.queries import q
from mindlog.store.rememberclaims import check_held
from mindlog.store.runrows import StageCommit
from mindlog.store.runstages import REMEMBER
from mindlog.store.runtext import error_kind
from mindlog.store.stagecommit import checked_end, record_end
from mindlog.store.stages import StageInfo
from mindlog.store.transaction import Transaction

__all__ = ["commit_remember_stage", "start_remember_stage"]


@cache
def _start(stage: StageInfo) -> str:
    return REMEMBER.of_stage(q.start_remember_stage, stage)


@cache
def _end(stage: StageInfo) -> str:
    return REMEMBER.of_stage(q.end_remember_model_stage if stage.runs_model else q.end_remember_stage, stage)


def start_remember_stage(tx: Transaction, run: int, owner: str, stage: str, at: int) -> None:
    """Record that the stage has begun; see `DocumentStore.start_remember_stage`."""
    tx.connection.execute(_start(REMEMBER.checked(stage)), (at, run, owner))


def commit_remember_stage(tx: Transaction, commit: StageCommit) -> int:
    """Commit the stage's end and tell the log; see `DocumentStore.commit_remember_stage`."""
    stage, output = checked_end(REMEMBER, commit)
    dataset, _, _ = check_held(tx, commit.run, commit.owner)
    record_end(tx, REMEMBER, _end(stage), commit, output)
    payload = REMEMBER.payload(commit.run, stage=stage.name, status=commit.status, error=error_kind(commit.error))
    return tx.add_log("stage_completed", dataset, None, None, payload)
