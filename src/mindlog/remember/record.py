"""The record of one attempt at a remember: an observer that commits how every stage ended. Knows no stage and no table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from mindlog.clock import Clock
from mindlog.errors import LeaseLost
from mindlog.pipeline import StageStatus, describe
from mindlog.runs.attempt import Attempt
from mindlog.store.documentrows import ClaimedRemember
from mindlog.store.runrows import StageCommit

__all__ = ["RememberLog", "RememberLogStore", "settled_stages"]


class RememberLogStore(Protocol):
    """What the record needs of a store."""

    async def start_remember_stage(self, run: int, owner: str, stage: str, at: int) -> None:
        """Record that a stage has begun."""
        ...

    async def commit_remember_stage(self, commit: StageCommit) -> int:
        """Commit how a stage ended."""
        ...


def settled_stages(run: ClaimedRemember) -> frozenset[str]:
    """Return the stages that earlier attempts have ended, well or not: a failed one is tried again only when somebody asks."""
    settled = (StageStatus.SUCCEEDED, StageStatus.SKIPPED, StageStatus.FAILED)
    return frozenset(row.name for row in run.stages if row.status in settled)


class RememberLog:
    """Told by the runner, it commits each start and each end. outputs: where a stage leaves what it has to show.

    What is not recorded did not happen: an error of the record itself becomes the attempt's failure, and is raised so that
    whoever combines observers counts it. A stage that goes on after a crash keeps its first start and its model calls.
    """

    def __init__(
        self,
        store: RememberLogStore,
        run: ClaimedRemember,
        owner: str,
        attempt: Attempt,
        outputs: dict[str, dict[str, Any]],
        clock: Clock,
        calls: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """calls: the model calls that earlier attempts have made, by stage: a stage that was broken off has none on its row."""
        self._store = store
        self._run = run
        self._owner = owner
        self._attempt = attempt
        self._outputs = outputs
        self._clock = clock
        self._settled = settled_stages(run)
        known = calls or {}
        self._inferences = {
            row.name: list(dict.fromkeys([*row.inference_ids, *known.get(row.name, ())])) for row in run.stages
        }
        self._started: dict[str, int] = {}

    async def start(self, *stages: str) -> None:
        """Commit when the stages began."""
        at = self._clock.now()
        self._started.update(dict.fromkeys(stages, at))
        for stage in stages:
            if not self._attempt.is_over:
                await self._recorded(stage, self._store.start_remember_stage(self._run.id, self._owner, stage, at))

    async def done(self, error: BaseException | None, /, *stages: str) -> None:
        """Commit how the stages ended, with what they have to show.

        One that was broken off by the end of the process or of the lease has not ended: it goes on in the next attempt.
        """
        if self._goes_on_later(error):
            return
        status = StageStatus.SUCCEEDED if error is None else StageStatus.FAILED
        reason = None if error is None else describe(error)
        for stage in stages:
            await self._commit(stage, status, reason, self._outputs.pop(stage, None))

    async def skip(self, *stages: str) -> None:
        """Commit that the stages are not used, unless they have ended already or nothing more of this attempt counts."""
        for stage in stages:
            if stage not in self._settled and not self._attempt.failures:
                await self._commit(stage, StageStatus.SKIPPED, None, self._outputs.pop(stage, None))

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        """Note a model call of the stage."""
        self._inferences.setdefault(stage, []).append(inference_id)

    def _goes_on_later(self, error: BaseException | None) -> bool:
        is_broken_off = error is not None and not isinstance(error, Exception)
        return self._attempt.is_over or bool(self._attempt.failures) or is_broken_off

    async def _commit(
        self, stage: str, status: StageStatus, error: str | None, output: Mapping[str, Any] | None
    ) -> None:
        started_at = self._started.get(stage)
        # A clock that was set back must not make a stage end before it began.
        finished_at = None if started_at is None else max(started_at, self._clock.now())
        commit = StageCommit(
            run=self._run.id,
            owner=self._owner,
            stage=stage,
            status=status.value,
            error=error,
            started_at=started_at,
            finished_at=finished_at,
            inference_ids=tuple(self._inferences.get(stage, ())),
            output=output,
        )
        if not self._attempt.is_over:
            await self._recorded(stage, self._store.commit_remember_stage(commit))

    async def _recorded(self, stage: str, writing: Any) -> None:
        try:
            await writing
        except LeaseLost:
            self._attempt.lost = True
        except BaseException as exc:
            self._attempt.failures.setdefault(stage, exc)
            self._attempt.unrecorded += 1
            raise
