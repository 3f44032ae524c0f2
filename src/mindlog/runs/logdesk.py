"""The desk for one operation's log: list its runs, count them, look into one, look up model calls. For admins.

Owns the caller's checks and how requests become queries. Another dataset's run is one that does not exist.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from heapq import merge
from itertools import islice
from typing import Any, Generic, TypeVar

from mindlog.access import Caller
from mindlog.clock import Clock, check_instant, from_iso
from mindlog.cursor import check_limit, listing_tag, read_cursor, write_cursor
from mindlog.errors import DatasetNotFound, InvalidInput, RunNotFound
from mindlog.ids import MemoryId, parse_run_id
from mindlog.records import Scope
from mindlog.runs.books import LogRow, RunBook
from mindlog.runs.calls import CallDesk
from mindlog.runs.shown import Outputs, listed
from mindlog.runs.spent import with_spent
from mindlog.store.base import Store
from mindlog.store.runrows import RunQuery
from mindlog.views import Inference, Page, Run, RunRequest

__all__ = ["LogDesk"]

_CHUNK = 500  # runs read at a time
_SECOND = 1_000_000
_OF_ONE_LOG = ("memory_id", "document_id", "session")

Row = TypeVar("Row", bound=LogRow)


class LogDesk(Generic[Row]):
    """What admins can see of the runs of one operation."""

    def __init__(self, book: RunBook[Row], store: Store, clock: Clock, *, max_limit: int) -> None:
        self._book = book
        self._store = store
        self._clock = clock
        self._max_limit = max_limit
        self._calls = CallDesk(store, max_limit=max_limit)

    async def list_runs(self, request: RunRequest, *, caller: Caller) -> Page[Run]:
        """Return one page of the runs the caller may see, newest first. `InvalidInput` names what is not known."""
        return await asyncio.to_thread(self._page, request, self._query(request, caller), caller)

    async def counts(self, *, caller: Caller) -> dict[str, Any]:
        """Return how many runs there are `by_state`, the same `by_dataset`, and the age of the oldest that waits, `oldest_seconds`."""
        caller.require(Scope.ADMIN)
        counts = await asyncio.to_thread(self._book.counts)
        by_dataset = {name: dict(states) for name, states in counts.by_dataset.items() if caller.sees(name)}
        by_state: dict[str, int] = {}
        for states in by_dataset.values():
            for state, count in states.items():
                by_state[state] = by_state.get(state, 0) + count
        # Whose run the oldest is, the count does not say.
        oldest = counts.oldest_created_at if caller.datasets is None else None
        age = None if oldest is None else max(self._clock.now() - oldest, 0) / _SECOND
        return {"by_state": by_state, "by_dataset": by_dataset, "oldest_seconds": age}

    async def run(self, run_id: str, *, outputs: bool = True, caller: Caller) -> Run:
        """Return one run, with what each stage produced if `outputs`. `RunNotFound`."""
        caller.require(Scope.ADMIN)
        return await asyncio.to_thread(self._shown, run_id, outputs, caller)

    async def outputs(self, run_id: str, *, caller: Caller) -> Outputs:
        """Return what each stage of a run produced, by stage. `RunNotFound`."""
        caller.require(Scope.ADMIN)
        (row,) = await asyncio.to_thread(self._seen, [run_id], caller, "run_id")
        return await asyncio.to_thread(self._book.outputs, row.id)

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
        """Return one page of model calls of every operation, newest first; `run_id` is a run of any.

        A page may hold fewer than `limit` and not be the last. `RunNotFound`.
        """
        caller.require(Scope.ADMIN)
        return await self._calls.page(run_id, stage, failed, limit, cursor, caller)

    async def inference(self, inference_id: str, *, caller: Caller) -> Inference:
        """Return one model call. `InferenceNotFound`."""
        caller.require(Scope.ADMIN)
        return await self._calls.call(inference_id, caller)

    # -- inside -------------------------------------------------------------------------------------------------------
    def _shown(self, run_id: str, outputs: bool, caller: Caller) -> Run:
        (row,) = self._seen([run_id], caller, "run_id")
        (run,) = with_spent([self._book.shown(row, self._book.outputs(row.id) if outputs else None)], self._store)
        return run

    def _seen(self, run_ids: Iterable[str], caller: Caller, field: str) -> list[Row]:
        rows: list[Row] = []
        for run_id in run_ids:
            row = self._book.run(parse_run_id(run_id, field, self._book.operation))
            if row is None or not caller.sees(row.dataset):
                raise RunNotFound(f"{field}: there is no run {run_id}", field=field)
            rows.append(row)
        return rows

    def _query(self, request: RunRequest, caller: Caller) -> RunQuery:
        caller.require(Scope.ADMIN, request.dataset)
        check_limit(request.limit, self._max_limit)
        self._check_narrowing(request)
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
            document_id=request.document_id,
            session=request.session,
            created_from=_instant(request.created_from, "created_from", zone),
            created_to=_instant(request.created_to, "created_to", zone),
            before_id=None if request.cursor is None else read_cursor(request.cursor, self._tag(request)),
        )

    def _check_narrowing(self, request: RunRequest) -> None:
        for field in _OF_ONE_LOG:
            if getattr(request, field) is not None and field not in self._book.narrows:
                raise InvalidInput(f"{field}: a run of {self._book.operation} has none", field=field)

    def _page(self, request: RunRequest, query: RunQuery, caller: Caller) -> Page[Run]:
        # One more than asked for tells whether there is a next page.
        rows = self._rows(replace(query, limit=request.limit + 1), caller)
        page = rows[: request.limit]
        cursor = write_cursor(self._tag(request), page[-1].id) if len(rows) > request.limit else None
        shown = [listed(self._book.shown(row)) for row in page]
        return Page(data=with_spent(shown, self._store), next_cursor=cursor)

    def _rows(self, query: RunQuery, caller: Caller) -> list[Row]:
        """Return the rows of the query that the caller may see, newest first."""
        if caller.datasets is None or query.dataset is not None:
            return self._book.runs(query)
        seen = [dataset.number for dataset in self._store.datasets() if caller.sees(dataset.name)]
        found = [self._book.runs(replace(query, dataset=number)) for number in seen]
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

    def _tag(self, request: RunRequest) -> str:
        return listing_tag(self._book.operation, replace(request, limit=0, cursor=None))


def _instant(value: str | int | None, field: str, zone: str | None) -> int | None:
    if value is None:
        return None
    return from_iso(value, field=field, default_zone=zone) if isinstance(value, str) else check_instant(value, field)
