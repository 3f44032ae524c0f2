"""What follows from an attempt: done, again later, or given up. Owns that policy; knows no store and no clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, cast

from mindlog.errors import LlmPaused, MindlogError, StoreFull
from mindlog.pipeline.observer import MAX_ERROR_CHARS, describe
from mindlog.runs.attempt import Attempt
from mindlog.runs.pace import Pace
from mindlog.store.runrows import RunEnd

__all__ = ["Claimed", "died", "given_back", "run_end"]

_LONGEST_SECONDS = 3600.0
_GROWTH = 4
# Nothing of this was the run's doing, and the attempt is not counted; the run's age makes its waits longer instead.
_NOT_ITS_FAULT = (LlmPaused, StoreFull)
_AGE_SHARE = 4
_LONGEST_PAUSED_SECONDS = 300.0
_SECOND = 1_000_000


class Claimed(Protocol):
    """What is to be known of a run that a worker holds; `attempts` counts this one."""

    @property
    def id(self) -> int:
        """Its number."""
        ...

    @property
    def attempts(self) -> int:
        """How often it was claimed."""
        ...

    @property
    def created_at(self) -> int:
        """Since when it is there."""
        ...


def run_end(run: Claimed, owner: str, attempt: Attempt, *, now: int, pace: Pace) -> RunEnd | None:
    """Return how the attempt ends the run; None if the run is not this worker's to end."""
    if attempt.lost:
        return None
    if attempt.gone:
        return RunEnd(run=run.id, owner=owner, ended_as="superseded")
    if not attempt.failures:
        return RunEnd(run=run.id, owner=owner, ended_as="succeeded")
    return _after_failures(run, owner, attempt.failures, now, pace)


def given_back(run: int, owner: str, *, now: int) -> RunEnd:
    """Return the end of an attempt that was broken off by closing: it is due again at once and does not count."""
    return RunEnd(run=run, owner=owner, ended_as=None, due_at=now, counted=False)


def died(run: Claimed, owner: str) -> RunEnd:
    """Return the end of a run that has no attempts left and yet no end: it may be what ends processes."""
    error = f"given up after {run.attempts - 1} attempts: the process ended during the last"
    return RunEnd(run=run.id, owner=owner, ended_as="quarantined", error=error)


def _after_failures(run: Claimed, owner: str, failures: Mapping[str, BaseException], now: int, pace: Pace) -> RunEnd:
    error = "; ".join(f"{stage} failed: {describe(failure)}" for stage, failure in failures.items())[:MAX_ERROR_CHARS]
    found = [leaf for failure in failures.values() for leaf in _leaves(failure)]
    if not any(map(_may_pass, found)):
        return RunEnd(run=run.id, owner=owner, ended_as="failed", error=error)
    if all(isinstance(leaf, _NOT_ITS_FAULT) for leaf in found):
        wait = max(_asked(found), _paused(run, now, pace))
        return RunEnd(run=run.id, owner=owner, ended_as=None, error=error, due_at=_after(now, wait), counted=False)
    if run.attempts >= pace.attempts:
        return RunEnd(run=run.id, owner=owner, ended_as="quarantined", error=error)
    wait = max(_asked(found), _backoff(run.attempts, pace))
    return RunEnd(run=run.id, owner=owner, ended_as=None, error=error, due_at=_after(now, wait))


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return [leaf for each in group.exceptions for leaf in _leaves(each)]
    return [error]


def _may_pass(error: BaseException) -> bool:
    # Ours say so themselves. Of any other nobody knows, so it is tried again, and quarantined in the end.
    return error.retryable if isinstance(error, MindlogError) else True


def _asked(errors: list[BaseException]) -> float:
    """Return the longest wait in seconds that one of the errors asks for."""
    return max((each.extra.get("retry_after") or 0.0 for each in errors if isinstance(each, MindlogError)), default=0.0)


def _backoff(attempts: int, pace: Pace) -> float:
    # The exponent is bounded, so that no setting of the attempts makes the number overflow.
    return min(pace.backoff_seconds * _GROWTH ** min(attempts - 1, 16), _LONGEST_SECONDS)


def _paused(run: Claimed, now: int, pace: Pace) -> float:
    age = (now - run.created_at) / _SECOND
    return max(pace.backoff_seconds, min(age / _AGE_SHARE, _LONGEST_PAUSED_SECONDS))


def _after(now: int, seconds: float) -> int:
    return now + int(seconds * _SECOND)
