"""What follows from an attempt: the end of the run, or when it is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from mindlog.errors import (
    EmbedderFailed,
    LlmBadOutput,
    LlmFailed,
    LlmMisconfigured,
    LlmPaused,
    LlmRefused,
    StoreFull,
)
from mindlog.runs.attempt import Attempt
from mindlog.runs.pace import Pace
from mindlog.runs.retry import died, given_back, run_end
from mindlog.settings import Settings
from mindlog.store.runrows import ClaimedRun, RunEnd

NOW = 1_750_000_000_000_000
SECOND = 1_000_000
PACE = Pace.of_derive(Settings(derive_attempts=5, derive_backoff_seconds=5))


def claimed(attempts: int = 1, age: int = 0) -> ClaimedRun:
    return ClaimedRun(id=7, dataset=1, slot=3, version=1, attempts=attempts, created_at=NOW - age * SECOND, stages=())


def end_of(failures: Mapping[str, BaseException], *, attempts: int = 1, age: int = 0) -> RunEnd:
    end = run_end(claimed(attempts, age), "w", Attempt(failures=dict(failures)), now=NOW, pace=PACE)
    assert end is not None
    return end


def wait_of(end: RunEnd) -> float:
    assert end.ended_as is None
    return (end.due_at - NOW) / SECOND


def test_a_run_without_failures_has_succeeded() -> None:
    end = run_end(claimed(), "w", Attempt(), now=NOW, pace=PACE)
    assert end == RunEnd(run=7, owner="w", ended_as="succeeded")


def test_a_run_that_is_held_by_another_is_not_ours_to_end() -> None:
    attempt = Attempt(lost=True, failures={"hype": LlmFailed()})
    assert run_end(claimed(), "w", attempt, now=NOW, pace=PACE) is None


def test_a_run_whose_revision_is_gone_is_superseded_whatever_failed() -> None:
    attempt = Attempt(gone=True, failures={"hype": LlmFailed()})
    assert run_end(claimed(), "w", attempt, now=NOW, pace=PACE) == RunEnd(run=7, owner="w", ended_as="superseded")


@pytest.mark.parametrize(
    "error",
    [
        LlmFailed("no answer"),
        EmbedderFailed(),
        StoreFull(),
        OSError(28, "no space"),
        TimeoutError(),
        ZeroDivisionError("a bug"),
        ExceptionGroup("two of them", [LlmRefused(), LlmFailed()]),
    ],
)
def test_what_may_pass_is_tried_again(error: Exception) -> None:
    assert end_of({"extractor": error}).ended_as is None


@pytest.mark.parametrize(
    "error",
    [
        LlmRefused("no"),
        LlmBadOutput(),
        LlmMisconfigured(),
        LlmFailed(retryable=False),
        ExceptionGroup("both", [LlmRefused(), LlmMisconfigured()]),
    ],
)
def test_what_cannot_pass_has_failed_at_once(error: Exception) -> None:
    assert end_of({"extractor": error}).ended_as == "failed"


def test_one_stage_that_may_pass_is_reason_enough_to_try_again() -> None:
    assert end_of({"extractor": LlmRefused(), "hype": LlmFailed()}).ended_as is None


def test_waits_grow_fourfold_and_never_over_an_hour() -> None:
    settings = Settings(derive_attempts=100, derive_backoff_seconds=5)
    attempt = Attempt(failures={"hype": LlmFailed()})
    waits = []
    for attempts in (1, 2, 3, 4, 5, 6, 7, 99):
        end = run_end(claimed(attempts), "w", attempt, now=NOW, pace=Pace.of_derive(settings))
        assert end is not None
        waits.append(wait_of(end))
    assert waits == [5, 20, 80, 320, 1280, 3600, 3600, 3600]


def test_a_wait_that_the_endpoint_asks_for_is_kept_if_it_is_longer() -> None:
    assert wait_of(end_of({"hype": LlmFailed(retry_after=90)})) == 90
    assert wait_of(end_of({"hype": LlmFailed(retry_after=1)})) == 5
    assert wait_of(end_of({"hype": LlmFailed(retry_after=2), "extractor": LlmFailed(retry_after=7200)})) == 7200


def test_the_last_attempt_ends_in_quarantine() -> None:
    assert end_of({"hype": LlmFailed()}, attempts=4).ended_as is None
    assert end_of({"hype": LlmFailed()}, attempts=5).ended_as == "quarantined"
    assert end_of({"hype": LlmFailed()}, attempts=6).ended_as == "quarantined"


def test_a_paused_model_costs_no_attempt_not_even_the_last() -> None:
    end = end_of({"extractor": LlmPaused(retry_after=30), "hype": LlmPaused(retry_after=40)}, attempts=5)
    assert (end.counted, wait_of(end)) == (False, 40)


def test_a_full_disk_costs_no_attempt() -> None:
    end = end_of({"memory_text": StoreFull()}, attempts=5)
    assert (end.counted, wait_of(end)) == (False, 5)


def test_a_paused_model_and_another_failure_cost_one() -> None:
    end = end_of({"extractor": LlmPaused(retry_after=30), "auto_edge": OSError()}, attempts=1)
    assert (end.counted, wait_of(end)) == (True, 30)


def test_the_longer_the_model_has_been_paused_for_a_run_the_more_seldom_it_asks() -> None:
    waits = [wait_of(end_of({"hype": LlmPaused(retry_after=1)}, age=age)) for age in (0, 100, 400, 10_000)]
    assert waits == [5, 25, 100, 300]


def test_the_error_names_every_stage_and_is_bounded() -> None:
    end = end_of({"extractor": LlmFailed("no answer"), "hype": LlmRefused("never")})
    assert end.error == "extractor failed: LlmFailed: no answer; hype failed: LlmRefused: never"
    assert len(end_of({"hype": LlmFailed("x" * 9000)}).error or "") == 2000


def test_a_run_given_back_is_due_at_once_and_has_lost_no_attempt() -> None:
    assert given_back(7, "w", now=NOW) == RunEnd(run=7, owner="w", ended_as=None, due_at=NOW, counted=False)


def test_a_run_that_outlives_its_attempts_is_quarantined() -> None:
    end = died(claimed(6), "w")
    assert end.ended_as == "quarantined"
    assert "5 attempts" in (end.error or "")


def test_a_cancellation_in_a_group_does_not_hide_the_failure() -> None:
    assert end_of({"hype": BaseExceptionGroup("g", [asyncio.CancelledError(), LlmRefused()])}).ended_as is None
