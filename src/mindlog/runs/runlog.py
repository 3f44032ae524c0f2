"""The run log: an observer that commits what a stage made together with how the stage ended.

So the record can never be ahead of the data, nor behind it. Knows no stage and no table.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, Protocol

from mindlog.clock import Clock, SystemClock
from mindlog.errors import LeaseLost, RevisionGone
from mindlog.pipeline import StageStatus, describe
from mindlog.runs.attempt import Attempt
from mindlog.store.runrows import ClaimedRun, StageCommit, StageOutcome, StageResults
from mindlog.store.stages import DERIVE_STAGES

__all__ = ["RunLog", "RunLogStore", "StageWork", "settled_stages"]

_RUN_A_MODEL = frozenset(stage.name for stage in DERIVE_STAGES if stage.runs_model)


class StageWork(Protocol):
    """What a stage leaves for its record."""

    def take(self) -> tuple[StageResults | None, Mapping[str, Any]]:
        """Return the results and the output of the stage that has ended, and start anew."""
        ...

    async def release(self) -> None:
        """Let go of what the stage held until its results were committed."""
        ...


class RunLogStore(Protocol):
    """What the log needs of a store."""

    async def start_stage(self, run: int, owner: str, stage: str, at: int) -> None:
        """Record that a stage has begun."""
        ...

    async def commit_stage(self, commit: StageCommit) -> StageOutcome:
        """Commit results, status and event of a stage together."""
        ...


def settled_stages(run: ClaimedRun) -> frozenset[str]:
    """Return the stages that earlier attempts have settled: they are not run again, nor recorded again."""
    settled = (StageStatus.SUCCEEDED, StageStatus.SKIPPED)
    return frozenset(row.name for row in run.stages if row.status in settled)


class RunLog:
    """The record of one attempt at one run; `attempt` says how it went.

    long: a stage that runs a model may take long, so its start is committed too. unhurried: stages that the next one does not
    wait for: their ends are on their way to the store, in order, and several go in one commit; await `settle` before `attempt`
    is read. An error of the record itself becomes the stage's failure in `attempt` and is raised, so that whoever combines
    observers counts it.
    """

    def __init__(
        self,
        store: RunLogStore,
        run: ClaimedRun,
        owner: str,
        work: StageWork,
        clock: Clock | None = None,
        *,
        long: bool = False,
        unhurried: Collection[str] = (),
    ) -> None:
        self.attempt = Attempt()
        self._store = store
        self._run = run
        self._owner = owner
        self._work = work
        self._clock = clock or SystemClock()
        self._long = long
        self._unhurried = frozenset(unhurried)
        self._under_way: list[asyncio.Task[None]] = []
        self._settled = settled_stages(run)
        self._started: dict[str, int] = {}
        self._inferences: defaultdict[str, list[str]] = defaultdict(list)

    async def start(self, *stages: str) -> None:
        """Note when the stages began; commit it for one that may take long."""
        at = self._clock.now()
        self._started.update(dict.fromkeys(stages, at))
        for stage in stages:
            if self._long and stage in _RUN_A_MODEL and not self.attempt.is_over:
                await self._store.start_stage(self._run.id, self._owner, stage, at)

    async def done(self, error: BaseException | None, /, *stages: str) -> None:
        """Commit how the stages ended, with what they made; a failed one may have made something too."""
        try:
            results, output = self._work.take()
            for stage in stages:
                if error is not None and not isinstance(error, asyncio.CancelledError):
                    self.attempt.failures[stage] = error
                await self._commit(self._end(stage, error, results, output))
                results, output = None, {}
        finally:
            await self._work.release()

    async def skip(self, *stages: str) -> None:
        """Commit that the stages are not used, unless that is settled already."""
        for stage in stages:
            if stage not in self._settled:
                await self._commit(self._made(stage, StageStatus.SKIPPED))

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        """Note a model call of the stage."""
        self._inferences[stage].append(inference_id)

    def _end(
        self, stage: str, error: BaseException | None, results: StageResults | None, output: Mapping[str, Any]
    ) -> StageCommit:
        status = StageStatus.SUCCEEDED if error is None else StageStatus.FAILED
        reason = None if error is None else describe(error)
        return self._made(stage, status, error=reason, results=results, output=output or None)

    def _made(self, stage: str, status: StageStatus, **ended: Any) -> StageCommit:
        started_at = self._started.get(stage)
        # A clock that was set back must not make a stage end before it began.
        finished_at = None if started_at is None else max(started_at, self._clock.now())
        return StageCommit(
            run=self._run.id,
            owner=self._owner,
            stage=stage,
            status=status.value,
            started_at=started_at,
            finished_at=finished_at,
            inference_ids=tuple(self._inferences[stage]),
            **{"error": None, **ended},
        )

    async def settle(self) -> None:
        """Wait until every end is on record, or `attempt` says why not."""
        under_way, self._under_way = self._under_way, []
        if under_way:
            await asyncio.wait(under_way)

    async def _commit(self, commit: StageCommit) -> None:
        putting = asyncio.create_task(self._put(commit))
        putting.add_done_callback(_looked_at)
        self._under_way.append(putting)
        if commit.stage not in self._unhurried:
            await self.settle()
            putting.result()

    async def _put(self, commit: StageCommit) -> None:
        if self.attempt.is_over:
            return
        try:
            await self._store.commit_stage(commit)
        except LeaseLost:
            self.attempt.lost = True
        except RevisionGone:
            self.attempt.gone = True
        except BaseException as exc:
            # What could not be recorded did not happen: the stage is to be run again.
            self.attempt.failures[commit.stage] = exc
            self.attempt.unrecorded += 1
            raise


def _looked_at(task: asyncio.Task[None]) -> None:
    # What went wrong is in `attempt`; asyncio would call it an error that nobody has seen.
    if not task.cancelled():
        task.exception()
