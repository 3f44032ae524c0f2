"""Who waits until runs have ended. Owns the waiting; whoever ends a run tells, and the store is asked for the truth."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol

__all__ = ["Ending", "RunReads", "Settlement"]

# How often the store is asked again: nobody waits longer than this for a run that ended without telling.
_LOOK_SECONDS = 2.0


class Ending(Protocol):
    """What is to be known of a run row."""

    @property
    def status(self) -> str:
        """`started` until the run has ended."""
        ...


class RunReads(Protocol):
    """What this needs of a log."""

    def run(self, run: int) -> Ending | None:
        """Return one run row."""
        ...


class Settlement:
    """Tells waiters of the ends of runs. For one event loop."""

    def __init__(self, store: RunReads) -> None:
        self._store = store
        self._waits: defaultdict[int, set[_Wait]] = defaultdict(set)
        self._closed = False

    async def wait(self, runs: Iterable[int], timeout: float) -> set[int]:
        """Wait until all of the runs have ended, at most `timeout` seconds; return those that have.

        A run that there is no row of has ended. After `close` nobody waits.
        """
        wait = _Wait(set(runs))
        asked = frozenset(wait.missing)
        for run in asked:
            self._waits[run].add(wait)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await self._until_over(wait)
        finally:
            self._forget(wait, asked)
        return set(asked) - wait.missing

    def ended(self, run: int) -> None:
        """Say that a run has ended."""
        for wait in self._waits.pop(run, ()):
            wait.ended(run)

    def close(self) -> None:
        """Let everybody go: no run will end here any more."""
        self._closed = True
        for waits in self._waits.values():
            for wait in waits:
                wait.over.set()

    async def _until_over(self, wait: _Wait) -> None:
        # Asked only after the wait is known: a run that ends in between is told of.
        while wait.missing and not self._closed:
            for run in await asyncio.to_thread(self._over, tuple(wait.missing)):
                wait.ended(run)
            await wait.over_within(_LOOK_SECONDS)

    def _over(self, runs: tuple[int, ...]) -> list[int]:
        rows = ((run, self._store.run(run)) for run in runs)
        return [run for run, row in rows if row is None or row.status != "started"]

    def _forget(self, wait: _Wait, runs: Iterable[int]) -> None:
        for run in runs:
            waits = self._waits.get(run)
            if waits is not None:
                waits.discard(wait)
                if not waits:
                    del self._waits[run]


class _Wait:
    """One caller's wait."""

    __slots__ = ("missing", "over")

    def __init__(self, missing: set[int]) -> None:
        self.missing = missing
        self.over = asyncio.Event()

    def ended(self, run: int) -> None:
        self.missing.discard(run)
        if not self.missing:
            self.over.set()

    async def over_within(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.over.wait()
