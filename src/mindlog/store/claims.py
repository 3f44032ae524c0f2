"""The operations by which runs come to be worked on: claims, leases, fresh starts. Knows no thread and no queue.

A run is open while its status is `started`. Whoever claims an open run holds it until its `due_at` has passed and
somebody else claims it; the attempt is counted by the claim, so that one that kills the process is counted too.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from mindlog.errors import LeaseLost
from mindlog.ids import run_id
from mindlog.store.connect import Row, fetch
from mindlog.store.queries import q
from mindlog.store.runrows import ClaimedRun
from mindlog.store.runstages import DERIVE, NAMES, checked, stage_rows, with_columns
from mindlog.store.transaction import Transaction

__all__ = [
    "CLAIM",
    "RELEASE",
    "RELEASE_ALL",
    "check_held",
    "claim_runs",
    "release_leases",
    "renew_leases",
    "reopen_superseded",
    "retry_runs",
    "run_payload",
]

CLAIM = with_columns(q.claim_runs)
RELEASE = with_columns(q.release_leases)
RELEASE_ALL = with_columns(q.release_all_leases)
_ENDED = with_columns(q.ended_runs_among)
_SUPERSEDED = with_columns(q.superseded_run)
_RESTART = with_columns(q.restart_run)

run_payload = DERIVE.payload


def claim_runs(tx: Transaction, owner: str, limit: int, lease_us: int) -> list[ClaimedRun]:
    """Give the owner runs that are due; see `DerivationStore.claim_runs`."""
    tx.flush()  # the youngest may be of this group
    due = [run for (run,) in fetch(tx.connection, q.due_runs, (tx.at, limit))]
    if not due:
        return []
    claimed = fetch(tx.connection, CLAIM, (owner, tx.at + lease_us, json.dumps(due)))
    return sorted(map(_claimed, claimed), key=lambda run: due.index(run.id))


def _claimed(row: Row) -> ClaimedRun:
    run, dataset, slot, version, attempts, created_at = row[:6]
    return ClaimedRun(
        id=run,
        dataset=dataset,
        slot=slot,
        version=version,
        attempts=attempts,
        created_at=created_at,
        stages=stage_rows(row[6:]),
    )


def check_held(tx: Transaction, run: int, owner: str) -> Row:
    """Return the run's row of `held_run`. Raises `LeaseLost` unless it is open and the owner's."""
    for row in fetch(tx.connection, q.held_run, (run,)):
        if row[3] == "started" and row[4] == owner:
            return row
    raise LeaseLost(f"run_id: {run_id(run)} is not held by {owner!r}", field="run_id")


def renew_leases(tx: Transaction, owner: str, runs: Sequence[int], lease_us: int) -> list[int]:
    """Hold the runs longer; returns those that the owner holds still, in the order given."""
    values = (tx.at + lease_us, json.dumps(list(runs)), owner)
    held = {run for (run,) in fetch(tx.connection, q.renew_leases, values)}
    return [run for run in runs if run in held]


def release_leases(tx: Transaction, owner: str | None) -> int:
    """Make the owner's runs due at once, everybody's if None; returns how many."""
    if owner is None:
        tx.connection.execute(RELEASE_ALL)
    else:
        tx.connection.execute(RELEASE, (owner,))
    return tx.connection.changes()


# -- fresh starts -------------------------------------------------------------------------------------------------------
def retry_runs(tx: Transaction, runs: Sequence[int], stages: Sequence[str] | None) -> list[int]:
    """Start ended runs again; see `DerivationStore.retry_runs`. Raises `InvalidInput` for an unknown stage."""
    named = None if stages is None else {checked(stage, "stages").name for stage in stages}
    tx.flush()
    found = fetch(tx.connection, _ENDED, (json.dumps(list(runs)),))
    return [row[0] for row in found if _restart(tx, row, named)]


def reopen_superseded(tx: Transaction, slot: int, version: int) -> None:
    """Start the run of a revision again that was given up because its memory was forgotten: it is restored.

    Call it when nothing of the memory's is waiting to be flushed.
    """
    for row in fetch(tx.connection, _SUPERSEDED, (slot, version)):
        _restart(tx, row, None)


def _restart(tx: Transaction, row: Row, named: Collection[str] | None) -> bool:
    run, dataset, slot, version, status = row[:5]
    stages = dict(zip(NAMES, row[5:], strict=True))
    again = [each for each in NAMES if (stages[each] != "succeeded" if named is None else each in named)]
    if status == "succeeded" and not again:
        return False
    tx.connection.execute(_RESTART, (*(each in again for each in NAMES), run))
    for stage in again:
        tx.connection.execute(DERIVE.delete_output, (run, stage))
    tx.counts.pending += 1
    tx.add_log("run_restarted", dataset, slot, version, run_payload(run, stages=again))
    return True
