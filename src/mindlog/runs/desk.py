"""The desk for runs: list them, look into one, start again what failed, cancel what waits. For admins.

Owns the caller's checks and how requests become queries. Another dataset's run is one that does not exist.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import merge
from itertools import islice
from typing import Any

from mindlog.access import Caller
from mindlog.clock import Clock, check_instant, from_iso
from mindlog.cursor import check_limit, listing_tag, read_cursor, write_cursor
from mindlog.errors import DatasetNotFound, InvalidInput, RunNotFound
from mindlog.ids import MemoryId, parse_run_id
from mindlog.records import Scope
from mindlog.runs.calls import CallDesk, check_stage
from mindlog.runs.settlement import Settlement
from mindlog.runs.shown import shown_run
from mindlog.runs.worker import Worker
from mindlog.store.base import Store
from mindlog.store.runrows import RunQuery, RunRow
from mindlog.views import Inference, Page, Run, RunRequest

__all__ = ["RunDesk"]

_CHUNK = 500  # runs read or changed at a time
_SECOND = 1_000_000


class RunDesk:
    """What admins can do with runs. `worker` is None where this process does not derive."""

    def __init__(
        self, store: Store, settlement: Settlement, worker: Worker | None, clock: Clock, *, max_limit: int
    ) -> None:
        self._store = store
        self._settlement = settlement
        self._worker = worker
        self._clock = clock
        self._max_limit = max_limit
        self._calls = CallDesk(store, max_limit=max_limit)

    # -- looking ------------------------------------------------------------------------------------------------------
    async def list_runs(self, request: RunRequest, *, caller: Caller) -> Page[Run]:
        """Return one page of the runs the caller may see, newest first. `InvalidInput` names what is not known."""
        return await asyncio.to_thread(self._page, request, self._query(request, caller), caller)

    async def counts(self, *, caller: Caller) -> dict[str, Any]:
        """Return how many runs there are `by_state`, the same `by_dataset`, and the age of the oldest that waits, `oldest_seconds`."""
        caller.require(Scope.ADMIN)
        counts = await asyncio.to_thread(self._store.run_counts)
        by_dataset = {name: dict(states) for name, states in counts.by_dataset.items() if caller.sees(name)}
        by_state: dict[str, int] = {}
        for states in by_dataset.values():
            for state, count in states.items():
                by_state[state] = by_state.get(state, 0) + count
        # Whose run the oldest is, the count does not say.
        oldest = counts.oldest_created_at if caller.datasets is None else None
        age = None if oldest is None else max(self._clock.now() - oldest, 0) / _SECOND
        return {"by_state": by_state, "by_dataset": by_dataset, "oldest_seconds": age}

    async def run(self, run_id: str, *, caller: Caller) -> Run:
        """Return one run with what each stage produced. `RunNotFound`."""
        caller.require(Scope.ADMIN)
        (row,) = await asyncio.to_thread(self._seen, [run_id], caller, "run_id")
        return shown_run(row, await asyncio.to_thread(self._store.run_outputs, row.id))

    async def inferences(
        self,
        *,
        run_id: str | None = None,
        stage: str | None = None,
        failed: bool | None = None,
        limit: int = 50,
        cursor: str | None = None,
        caller: Caller,
    ) -> Page[Inference]:
        """Return one page of model calls, newest first. A page may hold fewer than `limit` and not be the last."""
        caller.require(Scope.ADMIN)
        if run_id is not None:
            await asyncio.to_thread(self._seen, [run_id], caller, "run_id")
        return await self._calls.page(run_id, stage, failed, limit, cursor, caller)

    async def inference(self, inference_id: str, *, caller: Caller) -> Inference:
        """Return one model call. `InferenceNotFound`."""
        caller.require(Scope.ADMIN)
        return await self._calls.call(inference_id, caller)

    # -- changing -----------------------------------------------------------------------------------------------------
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

    async def _retry(self, runs: Sequence[int], stages: Sequence[str] | None) -> int:
        for stage in stages or ():
            check_stage(stage, "stages")
        started = 0
        for chunk in _chunks(runs):
            started += len(await self._store.retry_runs(chunk, stages))
        if started and self._worker is not None:
            self._worker.wake()
        return started

    async def _cancel(self, runs: Sequence[int]) -> int:
        ended = 0
        for chunk in _chunks(runs):
            cancelled = await self._store.cancel_runs(chunk)
            ended += len(cancelled)
            if self._worker is not None:
                self._worker.drop(cancelled)
            for run in cancelled:
                self._settlement.ended(run)
        return ended

    # -- inside -------------------------------------------------------------------------------------------------------
    async def _numbers(self, run_ids: Sequence[str], caller: Caller) -> list[int]:
        """Return the numbers of runs; all of them exist and are within reach, or none is touched."""
        caller.require(Scope.ADMIN)
        if len(run_ids) > self._max_limit:
            raise InvalidInput(f"run_ids: at most {self._max_limit}", field="run_ids", limit=self._max_limit)
        return [row.id for row in await asyncio.to_thread(self._seen, run_ids, caller, "run_ids")]

    def _seen(self, run_ids: Iterable[str], caller: Caller, field: str) -> list[RunRow]:
        rows: list[RunRow] = []
        for run_id in run_ids:
            row = self._store.run(parse_run_id(run_id, field))
            if row is None or not caller.sees(row.dataset):
                raise RunNotFound(f"{field}: there is no run {run_id}", field=field)
            rows.append(row)
        return rows

    async def _matching(self, request: RunRequest, caller: Caller) -> list[int]:
        return await asyncio.to_thread(self._all, self._query(request, caller), caller)

    def _query(self, request: RunRequest, caller: Caller) -> RunQuery:
        caller.require(Scope.ADMIN, request.dataset)
        check_limit(request.limit, self._max_limit)
        dataset = None if request.dataset is None else self._store.dataset(request.dataset)
        if request.dataset is not None and dataset is None:
            raise DatasetNotFound(f"dataset: there is no dataset {request.dataset!r}", field="dataset")
        zone = None if dataset is None else dataset.timezone
        return RunQuery(
            dataset=None if dataset is None else dataset.number,
            status=request.status,
            state=request.state,
            stage=request.stage,
            stage_status=request.stage_status,
            text=request.text or None,
            slot=None if request.memory_id is None else MemoryId.parse(request.memory_id).slot,
            created_from=_instant(request.created_from, "created_from", zone),
            created_to=_instant(request.created_to, "created_to", zone),
            before_id=None if request.cursor is None else read_cursor(request.cursor, _tag(request)),
        )

    def _page(self, request: RunRequest, query: RunQuery, caller: Caller) -> Page[Run]:
        # One more than asked for tells whether there is a next page.
        rows = self._rows(replace(query, limit=request.limit + 1), caller)
        page = rows[: request.limit]
        cursor = write_cursor(_tag(request), page[-1].id) if len(rows) > request.limit else None
        return Page(data=tuple(map(shown_run, page)), next_cursor=cursor)

    def _rows(self, query: RunQuery, caller: Caller) -> list[RunRow]:
        """Return the rows of the query that the caller may see, newest first."""
        if caller.datasets is None or query.dataset is not None:
            return self._store.runs(query)
        seen = [dataset.number for dataset in self._store.datasets() if caller.sees(dataset.name)]
        found = [self._store.runs(replace(query, dataset=number)) for number in seen]
        return list(islice(merge(*found, key=lambda row: row.id, reverse=True), query.limit))

    def _all(self, query: RunQuery, caller: Caller) -> list[int]:
        """Return the numbers of all runs of the query from its cursor on."""
        runs: list[int] = []
        while True:
            page = self._rows(replace(query, limit=_CHUNK), caller)
            runs += [row.id for row in page]
            if len(page) < _CHUNK:
                return runs
            query = replace(query, before_id=runs[-1])


def _tag(request: RunRequest) -> str:
    return listing_tag(replace(request, limit=0, cursor=None))


def _instant(value: str | int | None, field: str, zone: str | None) -> int | None:
    if value is None:
        return None
    return from_iso(value, field=field, default_zone=zone) if isinstance(value, str) else check_instant(value, field)


def _chunks(runs: Sequence[int]) -> list[Sequence[int]]:
    return [runs[start : start + _CHUNK] for start in range(0, len(runs), _CHUNK)]
