"""The record of one query: an observer that keeps how every stage went, written with the answer. It never fails the call."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mindlog.clock import Clock
from mindlog.ids import run_id
from mindlog.pipeline import StageStatus, describe
from mindlog.store.askingrows import NewQuery, QueryEnd
from mindlog.store.runrows import StageRow
from mindlog.store.stages import QUERY_STAGES

if TYPE_CHECKING:
    from mindlog.query.job import QueryJob

__all__ = ["LogTrouble", "QueryLog", "QueryLogStore"]

log = logging.getLogger(__name__)


class QueryLogStore(Protocol):
    """What the log needs of a store."""

    async def start_query(self, new: NewQuery) -> int:
        """Record a query."""
        ...

    async def end_query(self, end: QueryEnd) -> None:
        """Record how it ended."""
        ...


@dataclass(slots=True)
class LogTrouble:
    """How many entries the log could not take, and why the last one. One for each engine; health shows it."""

    lost: int = 0
    reason: str | None = None

    def note(self, error: BaseException) -> None:
        """Count an entry that was lost; the first is logged."""
        self.lost += 1
        self.reason = describe(error)
        if self.lost == 1:
            log.error("The log of queries cannot be written: %s", self.reason, extra={"action": "query_log_lost"})

    def well(self) -> None:
        """Note that an entry was taken."""
        self.reason = None


class QueryLog:
    """Told by the runner. The row is begun beside the work and ended, with all its stages, before the answer is given."""

    def __init__(self, store: QueryLogStore, new: NewQuery, clock: Clock, trouble: LogTrouble) -> None:
        self._store = store
        self._clock = clock
        self._trouble = trouble
        self._stages = {stage.name: _unstarted(stage.name) for stage in QUERY_STAGES}
        self._inferences: defaultdict[str, list[str]] = defaultdict(list)
        self._starting = asyncio.create_task(store.start_query(new))
        self._starting.add_done_callback(self._noted)

    async def run_id(self) -> str:
        """Return the id of the row, empty if it could not be begun."""
        number = await self._number()
        return "" if number is None else run_id(number, "query")

    async def _number(self) -> int | None:
        # Waited for and not awaited: whatever became of it is no error of the call.
        await asyncio.wait({self._starting})
        begun = not self._starting.cancelled() and self._starting.exception() is None
        return self._starting.result() if begun else None

    def _noted(self, task: asyncio.Task[Any]) -> None:
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            self._trouble.note(error)

    # -- told by the runner -------------------------------------------------------------------------------------------
    def start(self, *stages: str) -> None:
        """Note when the stages began."""
        for stage in stages:
            self._put(stage, status="started", started_at=self._clock.now())

    def done(self, error: BaseException | None, /, *stages: str) -> None:
        """Note how the stages ended."""
        status = StageStatus.SUCCEEDED if error is None else StageStatus.FAILED
        for stage in stages:
            reason = None if error is None else describe(error)
            self._put(stage, status=status.value, error=reason, finished_at=self._clock.now())

    def skip(self, *stages: str) -> None:
        """Note that the stages are not used."""
        for stage in stages:
            self._put(stage, status=StageStatus.SKIPPED.value)

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        """Note a model call."""
        self._inferences[stage].append(inference_id)

    # -- the end ------------------------------------------------------------------------------------------------------
    async def end(self, error: BaseException | None, job: QueryJob | None) -> None:
        """Write how the call ended, with the answer of the job if it has one; also if the caller is gone meanwhile."""
        await asyncio.shield(asyncio.create_task(self._finish(error, job)))

    async def _finish(self, error: BaseException | None, job: QueryJob | None) -> None:
        number = await self._number()
        if number is None:
            return
        end = QueryEnd(
            run=number,
            status="succeeded" if error is None else "failed",
            error=None if error is None else describe(error),
            finished_at=self._clock.now(),
            stages=tuple(self._stage(name) for name in self._stages),
            answer=None if job is None else job.answer,
            answered_by=None if job is None else job.answered_by,
            citations=() if job is None else tuple(asdict(each) for each in job.citations),
        )
        ending = asyncio.create_task(self._store.end_query(end))
        ending.add_done_callback(self._noted)
        await asyncio.wait({ending})
        if not ending.cancelled() and ending.exception() is None:
            self._trouble.well()

    def _put(self, stage: str, **facts: Any) -> None:
        self._stages[stage] |= facts

    def _stage(self, name: str) -> StageRow:
        return StageRow(**self._stages[name], inference_ids=tuple(self._inferences[name]))


def _unstarted(name: str) -> dict[str, Any]:
    return {"name": name, "status": "not_started", "error": None, "started_at": None, "finished_at": None}
