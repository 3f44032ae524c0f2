"""The desk for runs that a worker performs: what the log's desk shows, and starting again and cancelling. For admins."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from mindlog.access import Caller
from mindlog.clock import Clock
from mindlog.errors import InvalidInput, NothingToRetry, RunEnded, RunNotEnded
from mindlog.records import Scope
from mindlog.runs.books import LogRow, WorkBook
from mindlog.runs.calls import check_stage
from mindlog.runs.logdesk import LogDesk
from mindlog.runs.settlement import Settlement
from mindlog.store.base import Store
from mindlog.store.runrows import OPEN_STATES
from mindlog.views import RunRequest

__all__ = ["RunDesk", "Works"]

_CHUNK = 500  # runs changed at a time

Row = TypeVar("Row", bound=LogRow)


class Works(Protocol):
    """What the desk tells a worker."""

    def wake(self) -> None:
        """Look for work at once."""
        ...

    def drop(self, runs: Iterable[int]) -> None:
        """Break off runs that this worker has."""
        ...


class RunDesk(LogDesk[Row]):
    """What admins can do with the runs of one operation. `worker` is None where this process does not perform them."""

    def __init__(
        self,
        book: WorkBook[Row],
        store: Store,
        settlement: Settlement,
        worker: Works | None,
        clock: Clock,
        *,
        max_limit: int,
    ) -> None:
        super().__init__(book, store, clock, max_limit=max_limit)
        self._work = book
        self._settlement = settlement
        self._worker = worker

    async def retry(self, run_ids: Sequence[str], *, stages: Sequence[str] | None = None, caller: Caller) -> int:
        """Start ended runs again, what has not succeeded or the stages named; returns how many. `RunNotFound` for any."""
        return await self._retry(await self._numbers(run_ids, caller), stages)

    async def retry_where(self, request: RunRequest, *, stages: Sequence[str] | None = None, caller: Caller) -> int:
        """Start the ended runs of a listing again, all its pages; those that failed, if it names no status."""
        if request.status is None and request.state is None and request.stage_status is None:
            request = replace(request, status="failed")
        return await self._retry(await self._matching(request, caller), stages)

    async def cancel(self, run_ids: Sequence[str], *, caller: Caller) -> int:
        """End runs that have not ended, breaking off those under way; returns how many. `RunNotFound` for any."""
        return await self._cancel(await self._numbers(run_ids, caller))

    async def cancel_where(self, request: RunRequest, *, caller: Caller) -> int:
        """End the runs of a listing that have not ended, all its pages."""
        if request.status is None and request.state is None:
            request = replace(request, status="started")
        return await self._cancel(await self._matching(request, caller))

    async def retry_one(self, run_id: str, *, stages: Sequence[str] | None = None, caller: Caller) -> None:
        """Start one ended run again. `RunNotFound`; `RunNotEnded` or `NothingToRetry` where it stays as it is."""
        (run,) = await self._numbers([run_id], caller, "run_id")
        if await self._retry([run], stages):
            return
        state = await self._state(run_id, caller)
        if state in OPEN_STATES:
            raise RunNotEnded(f"run_id: {run_id} is {state}; it is started again when it has ended", field="run_id")
        raise NothingToRetry(f"run_id: {run_id} ({state}) has nothing to do again", field="run_id")

    async def cancel_one(self, run_id: str, *, caller: Caller) -> None:
        """End one run that has not ended; nothing for one that was cancelled before. `RunNotFound`, `RunEnded`."""
        (run,) = await self._numbers([run_id], caller, "run_id")
        if await self._cancel([run]):
            return
        state = await self._state(run_id, caller)
        if state != "cancelled":
            raise RunEnded(f"run_id: {run_id} has ended: {state}", field="run_id")

    async def _state(self, run_id: str, caller: Caller) -> str:
        return (await self.run(run_id, outputs=False, caller=caller)).state

    async def _retry(self, runs: Sequence[int], stages: Sequence[str] | None) -> int:
        for stage in stages or ():
            check_stage(stage, "stages", self._work.stages)
        started = 0
        for chunk in _chunks(runs):
            started += len(await self._work.retry(chunk, stages))
        if started and self._worker is not None:
            self._worker.wake()
        return started

    async def _cancel(self, runs: Sequence[int]) -> int:
        ended = 0
        for chunk in _chunks(runs):
            cancelled = await self._work.cancel(chunk)
            ended += len(cancelled)
            if self._worker is not None:
                self._worker.drop(cancelled)
            for run in cancelled:
                self._settlement.ended(run)
        return ended

    async def _numbers(self, run_ids: Sequence[str], caller: Caller, field: str = "run_ids") -> list[int]:
        """Return the numbers of runs; all of them exist and are within reach, or none is touched."""
        caller.require(Scope.ADMIN)
        if len(run_ids) > self._max_limit:
            raise InvalidInput(f"run_ids: at most {self._max_limit}", field="run_ids", limit=self._max_limit)
        return [row.id for row in await asyncio.to_thread(self._seen, run_ids, caller, field)]

    async def _matching(self, request: RunRequest, caller: Caller) -> list[int]:
        return await asyncio.to_thread(self._all, self._query(request, caller), caller)


def _chunks(runs: Sequence[int]) -> list[Sequence[int]]:
    return [runs[start : start + _CHUNK] for start in range(0, len(runs), _CHUNK)]
