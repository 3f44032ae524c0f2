"""The operations that end a run of remember or its attempt. Knows no thread and no queue.

With the run ends what its texts' derivations waited for: those that it has not stored are derived as any memory is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from mindlog.store.connect import fetch
from mindlog.store.queries import q
from mindlog.store.rememberclaims import check_held
from mindlog.store.runend import BROKEN_OFF, checked_run_end
from mindlog.store.runrows import HELD_BACK, RunEnd
from mindlog.store.runstages import REMEMBER
from mindlog.store.runtext import error_kind, storable
from mindlog.store.transaction import Transaction

__all__ = ["cancel_remember", "end_remember"]

_POSTPONE = REMEMBER.sql(q.postpone_run)
_FINISH = REMEMBER.sql(q.finish_run)
_BREAK_OFF = REMEMBER.sql(q.break_off_run)


def end_remember(tx: Transaction, end: RunEnd) -> int | None:
    """End the attempt; see `DocumentStore.end_remember`."""
    checked_run_end(end)
    dataset, _, _ = check_held(tx, end.run, end.owner)
    error = storable(end.error)
    if end.ended_as is not None:
        return _finish(tx, end.run, dataset, end.ended_as, error)
    tx.connection.execute(_POSTPONE, (max(end.due_at, 0), error, 0 if end.counted else 1, end.run))
    return None


def cancel_remember(tx: Transaction, runs: Sequence[int]) -> list[int]:
    """End the open ones among the runs; see `DocumentStore.cancel_remember`."""
    found = fetch(tx.connection, q.open_remembers_among, (json.dumps(list(runs)),))
    for run, dataset in found:
        _finish(tx, run, dataset, "cancelled", None)
    return [run for run, _ in found]


def _finish(tx: Transaction, run: int, dataset: int, ended_as: str, error: str | None) -> int:
    status = "succeeded" if ended_as == "succeeded" else "failed"
    sql = _BREAK_OFF if ended_as in BROKEN_OFF else _FINISH
    stages = fetch(tx.connection, sql, (status, ended_as, error, tx.at, run))[0]
    failed = [stage for stage, how in zip(REMEMBER.names, stages, strict=True) if how == "failed"]
    tx.flush()  # a text that is waited for may be of this group
    tx.connection.execute(q.release_texts, (HELD_BACK, run))
    tx.made_due |= tx.connection.changes() > 0
    payload = REMEMBER.payload(
        run,
        operation=REMEMBER.operation,
        status=status,
        state=ended_as,
        error=error_kind(error),
        failed_stages=failed or None,
    )
    return tx.add_log("run_finished", dataset, None, None, payload)
