"""The record of a document's stages: what it says is committed, what has not ended is not called ended, its own errors count."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mindlog.errors import LeaseLost, StoreFull
from mindlog.remember.record import RememberLog, settled_stages
from mindlog.runs.attempt import Attempt
from mindlog.store.documentrows import ClaimedRemember
from mindlog.store.runrows import StageCommit, StageRow
from tests.derive.made import Clock


class Paper:
    """A store that notes what it is given, or refuses it."""

    def __init__(self) -> None:
        self.starts: list[str] = []
        self.commits: list[StageCommit] = []
        self.refusal: Exception | None = None

    async def start_remember_stage(self, run: int, owner: str, stage: str, at: int) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.starts.append(stage)

    async def commit_remember_stage(self, commit: StageCommit) -> int:
        if self.refusal is not None:
            raise self.refusal
        self.commits.append(commit)
        return len(self.commits)


def row(name: str, status: str, *inferences: str) -> StageRow:
    return StageRow(
        name=name, status=status, error=None, started_at=1, finished_at=None, inference_ids=tuple(inferences)
    )


def claimed(*stages: StageRow) -> ClaimedRemember:
    facts: dict[str, Any] = {"document": 1, "document_id": "d", "params": {}, "attempts": 1, "created_at": 1}
    return ClaimedRemember(id=7, dataset=1, chunks=None, stages=stages, **facts)


def log_of(paper: Paper, *stages: StageRow) -> tuple[RememberLog, Attempt, dict[str, dict[str, Any]]]:
    attempt, outputs = Attempt(), dict[str, dict[str, Any]]()
    return RememberLog(paper, claimed(*stages), "w", attempt, outputs, Clock()), attempt, outputs


async def test_a_stage_is_committed_with_its_times_its_calls_and_what_it_shows() -> None:
    paper = Paper()
    log, attempt, outputs = log_of(paper)
    await log.start("store", "store_series")
    outputs["store"] = {"texts": 3}
    log.add_inference("store", "inf_1")
    await log.done(None, "store", "store_series")
    assert paper.starts == ["store", "store_series"]
    one, two = paper.commits
    assert (one.run, one.owner, one.stage, one.status, one.error) == (7, "w", "store", "succeeded", None)
    assert (one.output, one.inference_ids) == ({"texts": 3}, ("inf_1",))
    assert (two.stage, two.output, two.inference_ids) == ("store_series", None, ())
    assert one.started_at is not None
    assert one.finished_at is not None
    assert one.started_at < one.finished_at
    assert outputs == {}
    assert not attempt.failures


async def test_an_error_is_told_with_what_the_stage_has_to_show_all_the_same() -> None:
    paper = Paper()
    log, attempt, outputs = log_of(paper)
    await log.start("resolve_geo")
    outputs["resolve_geo"] = {"resolved": 1}
    await log.done(ValueError("down"), "resolve_geo")
    (commit,) = paper.commits
    assert (commit.status, commit.error, commit.output) == ("failed", "ValueError: down", {"resolved": 1})
    assert not attempt.failures  # the stage's own error is not the run's


async def test_what_was_broken_off_has_not_ended() -> None:
    paper = Paper()
    log, attempt, _ = log_of(paper)
    await log.start("extract_graph")
    await log.done(asyncio.CancelledError(), "extract_graph")
    assert paper.commits == []
    attempt.failures["extract_graph"] = StoreFull()
    await log.done(None, "extract_graph")
    await log.skip("web_search")
    assert paper.commits == []


async def test_a_stage_that_goes_on_keeps_the_calls_of_the_attempt_before_and_a_settled_one_is_not_skipped_again() -> (
    None
):
    paper = Paper()
    stages = row("extract_graph", "started", "inf_1"), row("web_search", "skipped"), row("resolve_geo", "failed")
    log, _, _ = log_of(paper, *stages)
    log.add_inference("extract_graph", "inf_2")
    await log.start("extract_graph")
    await log.done(None, "extract_graph")
    await log.skip("web_search", "resolve_geo", "fetch_series")
    assert [(commit.stage, commit.status) for commit in paper.commits] == [
        ("extract_graph", "succeeded"),
        ("fetch_series", "skipped"),
    ]
    assert paper.commits[0].inference_ids == ("inf_1", "inf_2")
    assert settled_stages(claimed(*stages)) == {"web_search", "resolve_geo"}


async def test_a_lease_that_is_lost_is_no_error_and_ends_the_record() -> None:
    paper = Paper()
    log, attempt, _ = log_of(paper)
    paper.refusal = LeaseLost("another has it")
    await log.start("store")
    assert (attempt.lost, attempt.failures, attempt.unrecorded) == (True, {}, 0)
    paper.refusal = None
    await log.done(None, "store")
    assert paper.commits == []


async def test_an_end_that_could_not_be_recorded_is_the_attempts_failure_and_is_counted() -> None:
    paper = Paper()
    log, attempt, _ = log_of(paper)
    await log.start("store")
    paper.refusal = StoreFull("the disk is full")
    with pytest.raises(StoreFull):
        await log.done(None, "store")
    assert isinstance(attempt.failures["store"], StoreFull)
    assert attempt.unrecorded == 1


async def test_a_clock_that_was_set_back_ends_no_stage_before_it_began() -> None:
    paper, clock = Paper(), Clock(1000)
    log = RememberLog(paper, claimed(), "w", Attempt(), {}, clock)
    await log.start("store")
    clock.at = 10
    await log.done(None, "store")
    (commit,) = paper.commits
    assert commit.started_at == commit.finished_at == 1001
