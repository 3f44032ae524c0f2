"""A pipeline of stages that only compute runs in a plain thread, with the same record."""

from __future__ import annotations

import asyncio

import pytest

from mindlog.pipeline import ADVISORY, Fanout, Stage, StageStatus, Steps, Stop, Timeline, names, run, run_here


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


@pytest.mark.parametrize("watched", [False, True])
async def test_a_run_does_the_same_whether_it_is_watched_or_not(watched: bool) -> None:
    """Plain stages nobody is told of take a shorter way."""

    async def run_it(steps: Steps[list[str]]) -> tuple[list[str], str]:
        job = list[str]()
        try:
            await run(steps, job, Timeline() if watched else Fanout())
        except BaseException as error:  # noqa: BLE001
            return job, repr(error)
        return job, "ended"

    async def stop_in_a_task(job: list[str]) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(stop(job))

    async def cancelled(job: list[str]) -> None:
        raise asyncio.CancelledError

    plain, last = Stage("a", add), Stage("z", add)
    assert await run_it((plain, last)) == (["added", "added"], "ended")
    assert await run_it((plain, Stage("b", fail), last)) == (["added"], "ValueError('no')")
    assert await run_it((plain, Stage("b", stop), last)) == (["added"], "ended")
    assert await run_it((plain, Stage("b", stop_in_a_task), last)) == (["added"], "ended")
    assert await run_it((plain, Stage("b", cancelled), last)) == (["added"], "CancelledError()")
    assert await run_it((Stage("b", fail, policy=ADVISORY), last)) == (["added"], "ended")
    assert await run_it((Stage("b", fail, enabled=lambda job: False), last)) == (["added"], "ended")
