"""The operations by which runs of remember come to be worked on: claims, leases, fresh starts. Knows no thread and no queue.

They are those of `claims`, but for the order: of a dataset only the oldest open run can be claimed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from mindlog.errors import LeaseLost
from mindlog.ids import run_id
from mindlog.store.connect import Row, fetch
from mindlog.store.documentrows import ClaimedRemember
from mindlog.store.queries import q
from mindlog.store.rows import from_json
from mindlog.store.runstages import REMEMBER
from mindlog.store.transaction import Transaction

__all__ = ["CLAIM", "check_held", "claim_remember", "release_remember", "renew_remember", "retry_remember"]

# What one text has gone through rests on the stages before: where one is done again, so are those after it.
_TEXT_BY_TEXT = ("extract_graph", "load_candidates", "resolve_edges", "store", "store_series")

CLAIM = REMEMBER.sql(q.claim_remember)
_RENEW = REMEMBER.sql(q.renew_leases)
_RELEASE = REMEMBER.sql(q.release_leases)
_RELEASE_ALL = REMEMBER.sql(q.release_all_leases)
_ENDED = REMEMBER.sql(q.ended_remember)
_RESTART = REMEMBER.sql(q.restart_run)


def claim_remember(tx: Transaction, owner: str, lease_us: int, busy: Collection[int]) -> ClaimedRemember | None:
    """Give the owner the oldest run that may begin; see `DocumentStore.claim_remember`."""
    for (run,) in fetch(tx.connection, q.due_remember, (tx.at, json.dumps(list(busy)))):
        return _claimed(fetch(tx.connection, CLAIM, (owner, tx.at + lease_us, run))[0])
    return None


def _claimed(row: Row) -> ClaimedRemember:
    run, dataset, document, document_id, params, attempts, created_at, chunks = row[:8]
    return ClaimedRemember(
        id=run,
        dataset=dataset,
        document=document,
        document_id=document_id,
        params=from_json(params),
        attempts=attempts,
        created_at=created_at,
        chunks=chunks,
        stages=REMEMBER.rows(row[8:]),
    )


def check_held(tx: Transaction, run: int, owner: str) -> tuple[int, int, int | None]:
    """Return dataset, document and number of chunks of a run. Raises `LeaseLost` unless it is open and the owner's."""
    for dataset, document, chunks, status, holder in fetch(tx.connection, q.held_remember, (run,)):
        if status == "started" and holder == owner:
            return dataset, document, chunks
    raise LeaseLost(f"run_id: {run_id(run, 'remember')} is not held by {owner!r}", field="run_id")


def renew_remember(tx: Transaction, owner: str, runs: Sequence[int], lease_us: int) -> list[int]:
    """Hold the runs longer; returns those that the owner holds still, in the order given."""
    values = (tx.at + lease_us, json.dumps(list(runs)), owner)
    held = {run for (run,) in fetch(tx.connection, _RENEW, values)}
    return [run for run in runs if run in held]


def release_remember(tx: Transaction, owner: str | None) -> int:
    """Make the owner's runs due at once, everybody's if None; returns how many."""
    if owner is None:
        tx.connection.execute(_RELEASE_ALL)
    else:
        tx.connection.execute(_RELEASE, (owner,))
    return tx.connection.changes()


# -- fresh starts -------------------------------------------------------------------------------------------------------
def retry_remember(tx: Transaction, runs: Sequence[int]) -> list[int]:
    """Start ended runs again; see `DocumentStore.retry_remember`."""
    # The latest first: once that is open again, the earlier runs of its document are passed over.
    restarted: list[int] = []
    for run in sorted(set(runs), reverse=True):
        restarted += [row[0] for row in fetch(tx.connection, _ENDED, (run,)) if _restart(tx, row)]
    return sorted(restarted)


def _restart(tx: Transaction, row: Row) -> bool:
    run, dataset, status = row[:3]
    stages = dict(zip(REMEMBER.names, row[3:], strict=True))
    # Of a run that succeeded the skipped stages were not asked for; of another they were never come to.
    done = ("succeeded", "skipped") if status == "succeeded" else ("succeeded",)
    again = _again({name for name, how in stages.items() if how not in done})
    if status == "succeeded" and not again:
        return False
    if stages["extract_graph"] == "failed":
        tx.connection.execute(q.reread_texts, (run,))
    tx.connection.execute(_RESTART, (*(name in again for name in REMEMBER.names), run))
    for stage in again:
        tx.connection.execute(REMEMBER.delete_output, (run, stage))
    tx.add_log("run_restarted", dataset, None, None, REMEMBER.payload(run, stages=again))
    return True


def _again(unfinished: Collection[str]) -> list[str]:
    """Return the stages that are to be done again, in order: those that have not succeeded, and what rests on them."""
    first = next((at for at, name in enumerate(_TEXT_BY_TEXT) if name in unfinished), len(_TEXT_BY_TEXT))
    again = {*unfinished, *_TEXT_BY_TEXT[first:]}
    return [name for name in REMEMBER.names if name in again]
