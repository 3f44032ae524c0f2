"""The store's contract for derivation: claims, stage commits, run rows, inferences, log reads. Knows no SQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from mindlog.store.runrows import (
    CallSums,
    ClaimedRun,
    EventRow,
    InferenceQuery,
    InferenceRow,
    LogQuery,
    RunCounts,
    RunEnd,
    RunQuery,
    RunRow,
    StageCommit,
    StageOutcome,
)

__all__ = ["DerivationStore"]


class DerivationStore(Protocol):
    """The half of a store that workers use."""

    # -- writes -------------------------------------------------------------------------------------------------------
    async def claim_runs(self, owner: str, limit: int, lease_us: int) -> list[ClaimedRun]:
        """Take up to `limit` started runs that are due, new ones first by rising id, and count the attempt before it is made.

        A run whose lease is over is due, also to the owner that let it run out.
        """
        ...

    async def renew_leases(self, owner: str, runs: Sequence[int], lease_us: int) -> list[int]:
        """Hold the runs longer; returns those still held."""
        ...

    async def release_leases(self, owner: str | None = None) -> int:
        """Make the owner's runs due at once (every held run if None: at start, when all owners are dead). Returns how many.

        The attempt stays counted; a stage that was under way is not_started again.
        """
        ...

    async def start_stage(self, run: int, owner: str, stage: str, at: int) -> None:
        """Record that a stage has begun; for long ones. Nothing if the run is no longer held or the stage is settled."""
        ...

    async def commit_stage(self, commit: StageCommit) -> StageOutcome:
        """Commit a stage's results, status and `stage_completed` event together. Without an output there is none any more.

        The event's payload: run, stage, status, error (its kind alone: content is never in the log), added (if any).
        `LeaseLost` if the run is not started or another holds it; `RevisionGone` if the memory is forgotten or edited since.
        """
        ...

    async def end_run(self, end: RunEnd) -> int | None:
        """End the attempt. A final end writes `run_finished` and returns its LSN; None if the run goes on later.

        The event's payload: run, operation, status, state, error (its kind alone), failed_stages (if any).
        Stages that are not settled become skipped if the run is cancelled or superseded. `LeaseLost` if the run is not
        started or another holds it.
        """
        ...

    async def retry_runs(self, runs: Sequence[int], stages: Sequence[str] | None = None) -> list[int]:
        """Start runs again that have ended, with attempts at 0; returns those that were started again.

        What has not succeeded is reset to not_started, or the stages named whatever they were. A run whose revision is
        gone is passed over, and one that has nothing to do. Each writes `run_restarted`.
        """
        ...

    async def cancel_runs(self, runs: Sequence[int]) -> list[int]:
        """End runs that have not: state cancelled. A worker that holds one finds its lease lost. Returns those ended."""
        ...

    async def add_inference(self, row: InferenceRow) -> None:
        """Keep a model call; one with its id that is there stays as it is."""
        ...

    def on_log(self, listener: Callable[[int], None]) -> None:
        """Call the listener with the last LSN after every commit that added log entries and before its acks.

        It runs on the writer's thread, after the listeners of `on_commit`: hand over and return.
        """
        ...

    async def prune_log(self, before: int, keep_lsn: int) -> int:
        """Drop log entries older than the instant, from the oldest on and at most up to `keep_lsn`; returns how many.

        The last entry stays.
        """
        ...

    # -- reads --------------------------------------------------------------------------------------------------------
    def next_due(self) -> int | None:
        """Return the earliest `due_at` of the started runs, None if there is none; by one index lookup.

        0 means at once; that of a held run is the end of its lease.
        """
        ...

    def runs(self, query: RunQuery) -> list[RunRow]:
        """Return run rows, newest first."""
        ...

    def run(self, run: int) -> RunRow | None:
        """Return one run row."""
        ...

    def runs_of(self, slot: int, version: int | None = None) -> list[RunRow]:
        """Return the runs of a memory, newest revision first."""
        ...

    def run_counts(self) -> RunCounts:
        """Count the runs by state and dataset."""
        ...

    def run_outputs(self, run: int) -> dict[str, Mapping[str, Any]]:
        """Return what each stage of a run produced, by stage. Empty if the memory is forgotten."""
        ...

    def inferences(self, query: InferenceQuery) -> list[InferenceRow]:
        """Return model calls, newest first."""
        ...

    def inference(self, inference_id: str) -> InferenceRow | None:
        """Return one model call."""
        ...

    def call_sums(self, run_ids: Collection[str]) -> dict[str, CallSums]:
        """Return what the model calls of runs came to, by the ids of those that have made any; from an index alone."""
        ...

    def spent_since(self, at: int) -> tuple[int, float]:
        """Return tokens and cost of the model calls started at or after the instant."""
        ...

    def read_log(self, query: LogQuery) -> list[EventRow]:
        """Return the log entries of the query in LSN order."""
        ...

    @property
    def oldest_lsn(self) -> int:
        """The LSN of the oldest entry still in the log (1 if nothing was pruned)."""
        ...
