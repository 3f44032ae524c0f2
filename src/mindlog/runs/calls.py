"""Model calls as admins look them up. Owns paging among calls that a caller may see; who may ask is the desk's affair."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from mindlog.access import Caller
from mindlog.cursor import check_limit
from mindlog.errors import InferenceNotFound, InvalidCursor, InvalidInput, RunNotFound
from mindlog.runs.books import dataset_of_run
from mindlog.runs.shown import shown_inference
from mindlog.store.base import Store
from mindlog.store.runrows import InferenceQuery, InferenceRow
from mindlog.store.stages import DERIVE_STAGES, QUERY_STAGES, REMEMBER_STAGES, StageInfo
from mindlog.views import Inference, Page

__all__ = ["CallDesk", "check_stage"]

# Looked at for one page, for a caller who may see few of them.
_LOOKED_AT = 5000
_STAGES = (*DERIVE_STAGES, *REMEMBER_STAGES, *QUERY_STAGES)


class CallDesk:
    """Pages of model calls, and one by its id."""

    def __init__(self, store: Store, *, max_limit: int) -> None:
        self._store = store
        self._max_limit = max_limit

    async def page(
        self,
        run_id: str | None,
        stage: str | None,
        failed: bool | None,
        limit: int,
        cursor: str | None,
        caller: Caller,
    ) -> Page[Inference]:
        """Return one page, newest first; the cursor is the id of the last call that was looked at. `RunNotFound`."""
        check_limit(limit, self._max_limit)
        if stage is not None:
            check_stage(stage, "stage", _STAGES)
        if run_id is not None:
            await asyncio.to_thread(self._check_run, run_id, caller)
        query = InferenceQuery(run_id=run_id, stage=stage, failed=failed, limit=limit + 1, before_id=cursor)
        return await asyncio.to_thread(self._page, query, caller)

    async def call(self, inference_id: str, caller: Caller) -> Inference:
        """Return one call. `InferenceNotFound`."""
        row = await asyncio.to_thread(self._store.inference, inference_id)
        if row is None or not _sees(caller, row):
            raise InferenceNotFound(f"inference_id: there is no inference {inference_id[:64]!r}", field="inference_id")
        return shown_inference(row)

    def _check_run(self, run_id: str, caller: Caller) -> None:
        dataset = dataset_of_run(self._store, run_id, "run_id")
        if dataset is None or not caller.sees(dataset):
            raise RunNotFound(f"run_id: there is no run {run_id}", field="run_id")

    def _page(self, query: InferenceQuery, caller: Caller) -> Page[Inference]:
        if query.before_id is not None and self._store.inference(query.before_id) is None:
            raise InvalidCursor("cursor: not a cursor of this server", field="cursor")
        limit = query.limit - 1
        found: list[InferenceRow] = []
        looked_at = 0
        while True:
            rows = self._store.inferences(query)
            found += [row for row in rows if _sees(caller, row)]
            looked_at += len(rows)
            if len(found) > limit:
                return _shown(found[:limit], found[limit - 1].id)
            if len(rows) < query.limit:
                return _shown(found, None)
            if looked_at >= _LOOKED_AT:
                return _shown(found, rows[-1].id)
            query = replace(query, before_id=rows[-1].id)


def check_stage(stage: str, field: str, stages: tuple[StageInfo, ...]) -> None:
    """Refuse a name that none of the stages has."""
    names = tuple(each.name for each in stages)
    if stage not in names:
        raise InvalidInput(f"{field}: {str(stage)[:64]!r} is no stage; there are {', '.join(names)}", field=field)


def _sees(caller: Caller, row: InferenceRow) -> bool:
    return caller.datasets is None or (row.dataset is not None and caller.sees(row.dataset))


def _shown(rows: list[InferenceRow], cursor: str | None) -> Page[Inference]:
    return Page(data=tuple(map(shown_inference, rows)), next_cursor=cursor)
