"""The runs of remember as a worker sees them: of each dataset one at a time, several datasets at once.

Which run of a dataset is next the store says: one that is held keeps the later ones of its dataset waiting. Knows no stage; the
worker is that of derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mindlog.store.documentrows import ClaimedRemember
from mindlog.store.runrows import RunEnd

if TYPE_CHECKING:
    from mindlog.clock import Clock
    from mindlog.store.base import Change, Store

__all__ = ["RememberRuns"]


class RememberRuns:
    """A store's documents that wait to be read, by the words of `runs.worker.WorkerStore`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def claim_runs(self, owner: str, limit: int, lease_us: int) -> list[ClaimedRemember]:
        """Take runs that are due, of each dataset the first, of none that has one under way.

        A claim is a commit, and this is asked after every commit of others: it looks first whether there is anything to take.
        """
        claimed: list[ClaimedRemember] = []
        while len(claimed) < limit and self._is_any_due():
            run = await self._store.claim_remember(owner, lease_us, ())
            if run is None:
                break
            claimed.append(run)
        return claimed

    def _is_any_due(self) -> bool:
        due = self._store.next_remember()
        return due is not None and due <= self._clock.now()

    async def renew_leases(self, owner: str, runs: Sequence[int], lease_us: int) -> list[int]:
        """Hold the runs longer; returns those still held."""
        return await self._store.renew_remember(owner, runs, lease_us)

    async def release_leases(self, owner: str | None = None) -> int:
        """Make the owner's runs due at once, everybody's if None; returns how many."""
        return await self._store.release_remember(owner)

    async def end_run(self, end: RunEnd) -> int | None:
        """End the attempt; the dataset's next run may begin."""
        return await self._store.end_remember(end)

    def next_due(self) -> int | None:
        """Return when the next run is due, of those that are the first of their dataset."""
        return self._store.next_remember()

    def on_commit(self, listener: Callable[[Sequence[Change]], None]) -> None:
        """Call the listener after every commit that added to the log: the start, the end and the restart of a run do."""
        self._store.on_log(lambda lsn: listener(()))

    def on_log(self, listener: Callable[[int], None]) -> None:
        """Call nobody: this only wakes upkeep, and of that there is none."""

    def stale_groups(self, limit: int) -> list[tuple[int, int, str, int]]:
        """Groups are the affair of derivation's worker."""
        return []
