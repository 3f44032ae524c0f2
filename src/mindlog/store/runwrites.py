"""The writes of the store's contract for derivation. The operations are in the modules named; knows no SQL."""

from __future__ import annotations

from collections.abc import Sequence

from mindlog.store import claims, inferences, logprune, runend, stagecommit
from mindlog.store.runrows import ClaimedRun, InferenceRow, RunEnd, StageCommit, StageOutcome
from mindlog.store.writes import Writes

__all__ = ["DerivationWrites", "chunks_of"]

# Very many runs go in transactions of this many, so that other writes get their turn.
_RUNS_CHUNK = 200
_PRUNE_CHUNK = 500


class DerivationWrites(Writes):
    """The writing half for workers; the methods are those of `DerivationStore`."""

    async def claim_runs(self, owner: str, limit: int, lease_us: int) -> list[ClaimedRun]:
        """Take up to `limit` open runs that are due and count the attempt."""
        return await self._write(claims.claim_runs, owner, limit, lease_us)

    async def renew_leases(self, owner: str, runs: Sequence[int], lease_us: int) -> list[int]:
        """Hold the runs longer; returns those still held."""
        return await self._write(claims.renew_leases, owner, runs, lease_us)

    async def release_leases(self, owner: str | None = None) -> int:
        """Make the owner's runs due at once, everybody's if None; returns how many."""
        return await self._write(claims.release_leases, owner)

    async def start_stage(self, run: int, owner: str, stage: str, at: int) -> None:
        """Record that a stage has begun; nothing if the run is no longer held."""
        await self._write(stagecommit.start_stage, run, owner, stage, at)

    async def commit_stage(self, commit: StageCommit) -> StageOutcome:
        """Commit a stage's results, status and event together. Raises `LeaseLost` or `RevisionGone`."""
        return await self._write(stagecommit.commit_stage, commit)

    async def end_run(self, end: RunEnd) -> int | None:
        """End the attempt; returns the LSN of a final end. Raises `LeaseLost`."""
        return await self._write(runend.end_run, end)

    async def retry_runs(self, runs: Sequence[int], stages: Sequence[str] | None = None) -> list[int]:
        """Start ended runs again, a few a transaction; returns those that were."""
        restarted: list[int] = []
        for chunk in chunks_of(runs):
            restarted += await self._write(claims.retry_runs, chunk, stages)
        return restarted

    async def cancel_runs(self, runs: Sequence[int]) -> list[int]:
        """End open runs, a few a transaction; returns those that were."""
        cancelled: list[int] = []
        for chunk in chunks_of(runs):
            cancelled += await self._write(runend.cancel_runs, chunk)
        return cancelled

    async def add_inference(self, row: InferenceRow) -> None:
        """Keep a model call."""
        await self._write(inferences.add_inference, row)

    async def prune_log(self, before: int, keep_lsn: int) -> int:
        """Drop log entries older than the instant, a few a transaction; returns how many."""
        dropped = 0
        while True:
            count = await self._write(logprune.prune_log, before, keep_lsn, _PRUNE_CHUNK)
            dropped += count
            if count < _PRUNE_CHUNK:
                return dropped


def chunks_of(runs: Sequence[int]) -> list[list[int]]:
    """Return the runs, each once, in parts that one transaction can take."""
    unique = list(dict.fromkeys(runs))
    return [unique[start : start + _RUNS_CHUNK] for start in range(0, len(unique), _RUNS_CHUNK)]
