"""The rules of a run, one by one: what is skipped, what ends it, what the record says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

import pytest

from mindlog.pipeline import ADVISORY, Each, Policy, Stage, StageStatus, Steps, Stop, Timeline, names, run

BOUND = 10

Job = list[str]
"""The stages that ran, in order."""

Body = Callable[[Job], Awaitable[None]]


def works(name: str) -> Body:
    async def body(job: Job) -> None:
        job.append(name)

    return body


def raises(error: BaseException) -> Body:
    async def body(job: Job) -> None:
        raise error

    return body


async def stop_from_a_task(job: Job) -> None:
    async def stops() -> None:
        raise Stop

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(stops())
        tasks.create_task(asyncio.Event().wait())


def broken(job: Job) -> bool:
    raise LookupError("which job?")


def statuses(timeline: Timeline) -> dict[str, str]:
    return {record.name: record.status.value for record in timeline.stages}


async def watch(steps: Steps[Job], job: Job | None = None) -> Timeline:
    timeline = Timeline(names(steps))
    await run(steps, Job() if job is None else job, timeline)
    return timeline


async def fail(steps: Steps[Job], timeline: Timeline) -> BaseException:
    with pytest.raises(BaseException) as caught:
        await run(steps, Job(), timeline)
    return caught.value


async def test_stages_run_in_order_on_one_job() -> None:
    job: Job = []
    timeline = await watch((Stage("first", works("first")), Stage("second", works("second"))), job)
    assert job == ["first", "second"]
    assert statuses(timeline) == {"first": "succeeded", "second": "succeeded"}


async def test_an_empty_list_of_steps_runs_to_its_end() -> None:
    assert (await watch(())).stages == ()


async def test_a_run_needs_no_observer() -> None:
    job: Job = []
    await run((Stage("only", works("only")),), job)
    assert job == ["only"]


async def test_the_first_fatal_error_is_raised_as_it_is_and_later_stages_never_start() -> None:
    cause = KeyError("cause")
    error = ValueError("no")
    error.__cause__ = cause
    steps = (Stage("a", works("a")), Stage("b", raises(error)), Stage("c", raises(OSError("later"))))
    timeline = Timeline(names(steps))
    assert await fail(steps, timeline) is error
    assert error.__cause__ is cause
    assert statuses(timeline) == {"a": "succeeded", "b": "failed", "c": "not_started"}
    assert timeline["b"].error == "ValueError: no"


async def test_an_advisory_failure_is_recorded_and_the_run_goes_on() -> None:
    steps = (Stage("a", raises(OSError("down")), policy=ADVISORY), Stage("b", works("b")))
    timeline = await watch(steps)
    assert statuses(timeline) == {"a": "failed", "b": "succeeded"}
    assert timeline["a"].error == "OSError: down"


async def test_a_stage_that_is_not_enabled_is_skipped() -> None:
    job: Job = []
    steps = (
        Stage("a", works("a"), enabled=lambda job: False),
        Stage("b", works("b"), enabled=lambda job: True),
    )
    assert statuses(await watch(steps, job)) == {"a": "skipped", "b": "succeeded"}
    assert job == ["b"]


async def test_enabled_is_asked_when_the_run_gets_there() -> None:
    steps = (Stage("a", works("a")), Stage("b", works("b"), enabled=lambda job: job == ["a"]))
    assert statuses(await watch(steps)) == {"a": "succeeded", "b": "succeeded"}


@pytest.mark.parametrize("policy", Policy)
async def test_an_enabled_that_raises_fails_its_stage_under_the_stage_s_policy(policy: Policy) -> None:
    steps = (Stage("a", works("a"), policy=policy, enabled=broken), Stage("b", works("b")))
    timeline = Timeline(names(steps))
    if policy is ADVISORY:
        await run(steps, Job(), timeline)
    else:
        assert isinstance(await fail(steps, timeline), LookupError)
    assert statuses(timeline) == {"a": "failed", "b": "succeeded" if policy is ADVISORY else "not_started"}
    assert timeline["a"].error == "LookupError: which job?"
    assert timeline["a"].started_at is not None


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("stop", [raises(Stop()), stop_from_a_task], ids=["raised", "from a task group"])
async def test_stop_ends_the_run_without_an_error_and_skips_the_rest(stop: Body, policy: Policy) -> None:
    inner: Steps[Job] = (Stage("d", works("d")),)
    rest: Steps[Job] = (Stage("c", works("c"), also=("c2",)), Each(lambda job: [job], inner))
    job: Job = []
    timeline = await watch((Stage("a", works("a")), Stage("b", stop, policy=policy), *rest), job)
    assert job == ["a"]
    assert statuses(timeline) == {
        "a": "succeeded",
        "b": "succeeded",
        "c": "skipped",
        "c2": "skipped",
        "d": "skipped",
    }


async def test_an_except_exception_in_a_stage_does_not_swallow_a_stop() -> None:
    async def careless(job: Job) -> None:
        try:
            await raises(Stop())(job)
        except Exception:  # noqa: BLE001
            job.append("swallowed")

    job: Job = []
    assert statuses(await watch((Stage("a", careless), Stage("b", works("b"))), job))["b"] == "skipped"
    assert job == []


async def test_an_error_beside_a_stop_is_an_error() -> None:
    error = ValueError("no")
    timeline = Timeline()
    raised = await fail((Stage("a", raises(BaseExceptionGroup("tasks", [Stop(), error]))),), timeline)
    assert isinstance(raised, ExceptionGroup)
    assert cast("ExceptionGroup[Exception]", raised).exceptions == (error,)
    assert timeline["a"].error == "tasks: ValueError: no"


@pytest.mark.parametrize("error", [None, OSError("down"), Stop()])
async def test_a_stage_that_does_others_too_shares_start_end_and_fate_with_them(error: BaseException | None) -> None:
    steps = (
        Stage("a", raises(error) if error else works("a"), policy=ADVISORY, also=("b", "c")),
        Stage("d", works("d")),
    )
    a, b, c, _ = (await watch(steps)).stages
    assert [a.name, b.name, c.name] == ["a", "b", "c"]
    fates = {(stage.status, stage.started_at, stage.finished_at, stage.error) for stage in (a, b, c)}
    assert len(fates) == 1


@pytest.mark.parametrize("policy", Policy)
async def test_a_cancelled_stage_is_closed_as_cancelled_and_the_run_goes_on_being_cancelled(policy: Policy) -> None:
    entered = asyncio.Event()

    async def hangs(job: Job) -> None:
        entered.set()
        await asyncio.Event().wait()

    steps = (Stage("a", works("a")), Stage("b", hangs, policy=policy), Stage("c", works("c")))
    timeline = Timeline(names(steps))
    task = asyncio.create_task(run(steps, Job(), timeline))
    await asyncio.wait_for(entered.wait(), BOUND)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert statuses(timeline) == {"a": "succeeded", "b": "failed", "c": "not_started"}
    assert timeline["b"].error == "cancelled"
    assert timeline["b"].finished_at is not None


async def test_a_timeout_around_a_run_closes_the_stage_it_cuts() -> None:
    async def hangs(job: Job) -> None:
        await asyncio.Event().wait()

    timeline = Timeline()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await run((Stage("a", hangs),), Job(), timeline)
    assert timeline["a"].error == "cancelled"


async def test_what_is_no_exception_ends_the_run_even_from_an_advisory_stage() -> None:
    timeline = Timeline()
    steps = (Stage("a", raises(GeneratorExit()), policy=ADVISORY),)
    assert isinstance(await fail(steps, timeline), GeneratorExit)
    assert timeline["a"].status is StageStatus.FAILED


def test_names_are_in_order_with_also_beside_the_stage_and_groups_unfolded() -> None:
    inner: Steps[Job] = (Stage("c", works("c")), Each(lambda job: [job], (Stage("d", works("d")),)))
    steps: Steps[Job] = (
        Stage("a", works("a"), also=("a2", "a3")),
        Each(lambda job: [job], inner),
        Stage("e", works("e")),
    )
    assert names(steps) == ("a", "a2", "a3", "c", "d", "e")


@pytest.mark.parametrize(
    "steps",
    [
        (Stage("a", works("a")), Stage("a", works("a"))),
        (Stage("a", works("a"), also=("a",)),),
        (Stage("a", works("a")), Stage("b", works("b"), also=("a",))),
        (Stage("a", works("a")), Each(lambda job: [job], (Stage("a", works("a")),))),
    ],
)
def test_a_name_that_occurs_twice_is_refused(steps: Steps[Job]) -> None:
    with pytest.raises(ValueError, match="occur more often: a"):
        names(steps)
