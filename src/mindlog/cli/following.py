"""Waiting for a remember to end, with a bar of its chunks. Owns how often it is looked at."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from mindlog.cli.output import one_line
from mindlog.cli.progress import progress
from mindlog.errors import MindlogError

if TYPE_CHECKING:
    from mindlog.client import Client
    from mindlog.embedded import Mindlog
    from mindlog.views import RememberResult, Run

__all__ = ["ended", "heard_to_end"]

_FIRST_SECONDS, _LONGEST_SECONDS = 0.05, 0.5
_LOOKS_AT_HEALTH = 10  # once in so many looks at the run
_OPEN = ("waiting", "running", "retrying")


def ended(db: Mindlog | Client, run_id: str, title: str) -> Run:
    """Return the run when it has ended. `MindlogError` if nobody is there to perform it."""
    name = one_line(title, 40)
    with progress(f"{name}: cut", None):
        run = _until(db, run_id, lambda run: _chunks(run) > 0)
    # Every chunk is read, then reconciled: two steps on the way.
    with progress(f"{name}: {_chunks(run)} chunks", 2 * _chunks(run)) as step:
        done = 0

        def shown(run: Run) -> bool:
            nonlocal done
            before, done = done, _done(run)
            step(done - before)
            return False

        return run if run.state not in _OPEN else _until(db, run_id, shown)


def heard_to_end(db: Mindlog | Client, dataset: str, ack: RememberResult) -> str:
    """Return the state in which the run has ended, from the events of its dataset: for who may not look at runs."""
    with db.subscribe(dataset, from_lsn=ack.lsn, types=("run_finished",)) as events:
        state = next(event.data["state"] for event in events if event.data["run"] == ack.remember_run_id)
    return str(state)


def _until(db: Mindlog | Client, run_id: str, is_enough: Callable[[Run], bool]) -> Run:
    """Look at the run until that is enough or it has ended."""
    wait, looks = _FIRST_SECONDS, 0
    while True:
        run = db.run(run_id)
        if is_enough(run) or run.state not in _OPEN:
            return run
        looks += 1
        if looks % _LOOKS_AT_HEALTH == 0:
            _check_somebody_reads(db, run_id)
        time.sleep(wait)
        wait = min(wait * 1.5, _LONGEST_SECONDS)


def _check_somebody_reads(db: Mindlog | Client, run_id: str) -> None:
    if why := db.health().remember.get("paused"):
        raise MindlogError(f"{run_id} waits: {why}")


def _chunks(run: Run) -> int:
    return (run.progress or {}).get("chunks") or 0


def _done(run: Run) -> int:
    done = run.progress or {}
    return (done.get("read") or 0) + (done.get("stored") or 0)
