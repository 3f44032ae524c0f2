"""The operations that end a run or its attempt. Knows no thread and no queue."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mindlog.errors import InvalidInput
from mindlog.store.claims import check_held, run_payload
from mindlog.store.connect import Row, fetch
from mindlog.store.queries import q
from mindlog.store.runrows import RUN_ENDS, RunEnd
from mindlog.store.runstages import DERIVE, NAMES, with_columns
from mindlog.store.runtext import error_kind, storable
from mindlog.store.transaction import Transaction

__all__ = ["BROKEN_OFF", "cancel_runs", "checked_run_end", "end_run"]

#: After these nobody will do the stages that are left.
BROKEN_OFF = ("cancelled", "superseded")

_POSTPONE = with_columns(q.postpone_run)
_FINISH = with_columns(q.finish_run)
_BREAK_OFF = with_columns(q.break_off_run)
_OPEN = q.open_runs_among


def end_run(tx: Transaction, end: RunEnd) -> int | None:
    """End the attempt; see `DerivationStore.end_run`."""
    checked_run_end(end)
    held = check_held(tx, end.run, end.owner)
    error = storable(end.error)
    if end.ended_as is not None:
        return _finish(tx, (end.run, *held[:3]), end.ended_as, error)
    tx.connection.execute(_POSTPONE, (max(end.due_at, 0), error, 0 if end.counted else 1, end.run))
    return None


def checked_run_end(end: RunEnd) -> None:
    """Raise `InvalidInput` for an end that there is not."""
    if end.ended_as is not None and end.ended_as not in RUN_ENDS:
        raise InvalidInput(f"ended_as: {end.ended_as!r} is none of {', '.join(RUN_ENDS)}", field="ended_as")


def cancel_runs(tx: Transaction, runs: Sequence[int]) -> list[int]:
    """End the open ones among the runs; see `DerivationStore.cancel_runs`."""
    tx.flush()
    found = fetch(tx.connection, _OPEN, (json.dumps(list(runs)),))
    for row in found:
        _finish(tx, row, "cancelled", None)
    return [row[0] for row in found]


def _finish(tx: Transaction, run: Row, ended_as: str, error: str | None) -> int:
    """End the run (id, dataset, slot, version) for good and tell the log; returns the LSN."""
    identity, dataset, slot, version = run
    status = "succeeded" if ended_as == "succeeded" else "failed"
    sql = _BREAK_OFF if ended_as in BROKEN_OFF else _FINISH
    stages = fetch(tx.connection, sql, (status, ended_as, error, tx.at, identity))[0]
    failed = [stage for stage, how in zip(NAMES, stages, strict=True) if how == "failed"]
    tx.counts.pending -= 1
    payload = run_payload(
        identity,
        operation=DERIVE.operation,
        status=status,
        state=ended_as,
        error=error_kind(error),
        failed_stages=failed or None,
    )
    return tx.add_log("run_finished", dataset, slot, version, payload)
