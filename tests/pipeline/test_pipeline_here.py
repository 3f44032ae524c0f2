"""A pipeline of stages that only compute runs in a plain thread, with the same record."""

from __future__ import annotations

import asyncio

import pytest

from mindlog.pipeline import ADVISORY, Stage, StageStatus, Steps, Stop, Timeline, names, run_here


async def add(job: list[str]) -> None:
    job.append("added")


async def fail(job: list[str]) -> None:
    raise ValueError("no")


async def stop(job: list[str]) -> None:
    raise Stop


async def wait(job: list[str]) -> None:
    await asyncio.sleep(0)


def test_stages_that_compute_run_without_an_event_loop_and_leave_the_same_record() -> None:
    steps: Steps[list[str]] = (Stage("a", add), Stage("b", fail, policy=ADVISORY), Stage("c", stop), Stage("d", add))
    timeline, job = Timeline(names(steps)), list[str]()
    run_here(steps, job, timeline)
    assert job == ["added"]
    assert [record.status for record in timeline.stages] == [
        StageStatus.SUCCEEDED,
        StageStatus.FAILED,
        StageStatus.SUCCEEDED,
        StageStatus.SKIPPED,
    ]


def test_a_fatal_error_is_raised() -> None:
    with pytest.raises(ValueError, match="no"):
        run_here((Stage("a", fail),), list[str](), Timeline())


def test_a_stage_that_waits_is_refused_and_closed_in_the_record() -> None:
    timeline = Timeline(("a",))
    with pytest.raises(RuntimeError, match="waited"):
        run_here((Stage("a", wait),), list[str](), timeline)
    assert timeline["a"].status is StageStatus.FAILED
