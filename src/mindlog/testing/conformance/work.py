"""What the checks of derivation work with: claims, ends of stages and runs in a line each. Owns no check."""

from __future__ import annotations

from typing import Any

from mindlog.records import Persisted
from mindlog.store.runrows import ClaimedRun, RunEnd, RunRow, StageCommit, StageRow
from mindlog.store.stages import DERIVE_STAGES
from mindlog.testing.conformance.bench import Bench

__all__ = ["LEASE_US", "STAGES", "claim", "ended", "lived", "pending", "run_of", "settle", "stage_of"]

LEASE_US = 600_000_000
STAGES = [stage.name for stage in DERIVE_STAGES]


async def claim(bench: Bench, owner: str = "w", limit: int = 100, lease_us: int = LEASE_US) -> list[ClaimedRun]:
    """Claim runs; a lease of 0 is over at once."""
    return await bench.store.claim_runs(owner, limit, lease_us)


def settle(run: int, stage: str, status: str = "succeeded", *, owner: str = "w", **facts: Any) -> StageCommit:
    """Return the end of a stage without results."""
    values: dict[str, Any] = {"error": None, "started_at": 1, "finished_at": 2} | facts
    return StageCommit(run=run, owner=owner, stage=stage, status=status, **values)


async def ended(bench: Bench, run: int, ended_as: str | None = "succeeded", *, owner: str = "w", **facts: Any) -> None:
    """End a held run or its attempt."""
    await bench.store.end_run(RunEnd(run=run, owner=owner, ended_as=ended_as, **facts))


async def lived(bench: Bench, text: str = "text", ended_as: str = "succeeded") -> Persisted:
    """Persist a memory and end its run, with every stage succeeded."""
    persisted = await bench.persist(text)
    (run,) = await claim(bench)
    for stage in STAGES:
        await bench.store.commit_stage(settle(run.id, stage))
    await ended(bench, run.id, ended_as)
    return persisted


def run_of(bench: Bench, run: int) -> RunRow:
    """Return the run's row, which must be there."""
    row = bench.store.run(run)
    assert row is not None, f"there is no run {run}"
    return row


def stage_of(row: RunRow | ClaimedRun, name: str) -> StageRow:
    """Return what the run says of a stage."""
    return next(stage for stage in row.stages if stage.name == name)


def pending(bench: Bench) -> int:
    """Return how many runs are open, as the store counts them."""
    return bench.store.stats().pending_derivations
