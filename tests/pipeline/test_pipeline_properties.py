"""Any list of steps, whatever its stages do: every stage ends closed, with the status the rules give it.

The rules are written here a second time, in another way: the visits of a run to its stages are laid out in a row and
followed up to the first that ends the run; then each stage is judged by what its visits came to and if any are left.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from mindlog.pipeline import (
    ADVISORY,
    Each,
    Fanout,
    Pending,
    Policy,
    Stage,
    StageStatus,
    Steps,
    Stop,
    Timeline,
    names,
    run,
)

Path: TypeAlias = tuple[int, ...]
"""Which item of which item: the job of these runs."""


class Act(Enum):
    """What a stage does on a visit."""

    WORK = auto()
    SKIP = auto()  # enabled says no
    BREAK = auto()  # enabled raises
    FAIL = auto()
    STOP = auto()
    STOP_IN_A_TASK = auto()
    CANCEL = auto()  # the call is cancelled while the stage runs


@dataclass(frozen=True)
class StagePlan:
    name: str
    policy: Policy
    also: tuple[str, ...]
    acts: tuple[Act, ...]

    def act(self, path: Path) -> Act:
        return self.acts[sum(path) % len(self.acts)]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)


@dataclass(frozen=True)
class EachPlan:
    counts: tuple[int, ...]
    steps: tuple[StepPlan, ...]

    def items(self, path: Path) -> list[Path]:
        return [(*path, item) for item in range(self.counts[sum(path) % len(self.counts)])]


StepPlan: TypeAlias = StagePlan | EachPlan


# ---- random plans

MOSTLY_WORK = st.sampled_from([Act.WORK] * 8 + [Act.SKIP] * 3 + [act for act in Act if act is not Act.WORK])


@st.composite
def stage_plans(draw: st.DrawFn) -> StagePlan:
    return StagePlan(
        name="",
        policy=draw(st.sampled_from([*Policy, ADVISORY])),
        also=("",) * draw(st.sampled_from([0, 0, 0, 1, 2])),
        acts=tuple(draw(st.lists(MOSTLY_WORK, min_size=1, max_size=4))),
    )


def group_plans(steps: st.SearchStrategy[StepPlan]) -> st.SearchStrategy[StepPlan]:
    counts = st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple)
    return st.builds(EachPlan, counts=counts, steps=st.lists(steps, max_size=3).map(tuple))


def named(steps: Iterable[StepPlan], numbers: Iterator[int]) -> Iterator[StepPlan]:
    """The same plans, with every stage given a name of its own."""
    for step in steps:
        if isinstance(step, EachPlan):
            yield EachPlan(step.counts, tuple(named(step.steps, numbers)))
        else:
            name, *also = (f"s{next(numbers)}" for _ in step.names)
            yield StagePlan(name, step.policy, tuple(also), step.acts)


PLANS = st.lists(st.recursive(stage_plans(), group_plans, max_leaves=5), max_size=5).map(
    lambda steps: tuple(named(steps, iter(range(1000))))
)


# ---- the plan as a pipeline


class Failed(Exception):
    """A stage failed as planned."""


def planned_stage(plan: StagePlan) -> Stage[Path]:
    def enabled(path: Path) -> bool:
        if plan.act(path) is Act.BREAK:
            raise Failed(plan.name, path)
        return plan.act(path) is not Act.SKIP

    async def body(path: Path) -> None:
        await asyncio.sleep(0)
        match plan.act(path):
            case Act.FAIL:
                raise Failed(plan.name, path)
            case Act.STOP:
                raise Stop
            case Act.STOP_IN_A_TASK:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(stop())
            case Act.CANCEL:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
                await asyncio.Event().wait()
            case _:
                pass

    asks = {Act.BREAK, Act.SKIP} & {*plan.acts}
    return Stage(plan.name, body, policy=plan.policy, enabled=enabled if asks else None, also=plan.also)


async def stop() -> None:
    raise Stop


def pipeline(plans: tuple[StepPlan, ...]) -> Steps[Path]:
    return tuple(
        planned_stage(plan) if isinstance(plan, StagePlan) else Each(plan.items, pipeline(plan.steps)) for plan in plans
    )


# ---- the rules, a second time


@dataclass(frozen=True)
class Expected:
    statuses: dict[str, StageStatus]
    raised: type[BaseException] | None
    blamed: tuple[str, Path] | None


def visits(plans: Iterable[StepPlan], path: Path) -> Iterator[tuple[StagePlan, Path | None]]:
    """Every visit a run makes if nothing ends it; with no path for the one of a stage whose group has no items."""
    for plan in plans:
        if isinstance(plan, StagePlan):
            yield plan, path
        elif items := plan.items(path):
            for item in items:
                yield from visits(plan.steps, item)
        else:
            yield from ((stage, None) for stage in all_stages(plan.steps))


def all_stages(plans: Iterable[StepPlan]) -> Iterator[StagePlan]:
    for plan in plans:
        if isinstance(plan, StagePlan):
            yield plan
        else:
            yield from all_stages(plan.steps)


def expected(plans: tuple[StepPlan, ...]) -> Expected:
    row = list(visits(plans, ()))
    acts: defaultdict[str, list[Act]] = defaultdict(list)
    raised: type[BaseException] | None = None
    blamed: tuple[str, Path] | None = None
    left: set[str] = set()
    for at, (stage, path) in enumerate(row):
        act = Act.SKIP if path is None else stage.act(path)
        acts[stage.name].append(act)
        if act is Act.CANCEL:
            raised = asyncio.CancelledError
        elif act in {Act.FAIL, Act.BREAK} and stage.policy is Policy.FATAL:
            raised, blamed = Failed, (stage.name, path or ())
        if raised:
            left = {later.name for later, _ in row[at + 1 :]}
        if raised or act in {Act.STOP, Act.STOP_IN_A_TASK}:
            break
    judged = {stage: judge(acts[stage.name], broken_off=stage.name in left) for stage in all_stages(plans)}
    return Expected({name: status for stage, status in judged.items() for name in stage.names}, raised, blamed)


def judge(acts: list[Act], *, broken_off: bool) -> StageStatus:
    if {Act.FAIL, Act.BREAK, Act.CANCEL} & {*acts}:
        return StageStatus.FAILED
    if {*acts} <= {Act.SKIP}:
        return StageStatus.NOT_STARTED if broken_off else StageStatus.SKIPPED
    return StageStatus.FAILED if broken_off else StageStatus.SUCCEEDED


# ---- what observers see


class Notes:
    """Keeps the calls, and holds the rule that a stage is started and done once, or skipped once."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []

    def start(self, *stages: str) -> Pending:
        self.calls.append(("start", *stages))

    def done(self, error: BaseException | None, /, *stages: str) -> Pending:
        self.calls.append(("done", *stages))

    def skip(self, *stages: str) -> Pending:
        self.calls.append(("skip", *stages))

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        raise AssertionError("no model here")

    def check(self, stages: Iterable[StagePlan]) -> None:
        for stage in stages:
            own = [kind for kind, *told in self.calls if stage.name in told]
            assert own in ([], ["skip"], ["start", "done"]), (stage.name, own)
            assert all(tuple(told) == stage.names for _, *told in self.calls if stage.name in told)


class SlowNotes(Notes):
    """Takes a turn of the loop for every call, and cancels the run at one of them."""

    def __init__(self, cancel_at: int | None = None) -> None:
        super().__init__()
        self.task: asyncio.Task[None] | None = None
        self._cancel_at = cancel_at
        self.cancelled = False

    async def start(self, *stages: str) -> None:
        await self._turn()
        super().start(*stages)

    async def done(self, error: BaseException | None, /, *stages: str) -> None:
        await self._turn()
        super().done(error, *stages)

    async def skip(self, *stages: str) -> None:
        await self._turn()
        super().skip(*stages)

    async def _turn(self) -> None:
        if len(self.calls) == self._cancel_at and not self.cancelled and self.task is not None:
            self.cancelled = True
            self.task.cancel()
        for _ in range(3):
            await asyncio.sleep(0)


async def outcome(plans: tuple[StepPlan, ...], *observers: Timeline | Notes) -> BaseException | None:
    """Runs the plan in a task of its own; what it raised."""
    task = asyncio.create_task(run(pipeline(plans), (), Fanout(*observers)))
    for observer in observers:
        if isinstance(observer, SlowNotes):
            observer.task = task
    return await ended(task)


async def ended(task: asyncio.Task[None]) -> BaseException | None:
    await asyncio.wait([task], timeout=60)
    return asyncio.CancelledError() if task.cancelled() else task.exception()


@settings(deadline=None, max_examples=200)
@given(plans=PLANS, slow=st.booleans())
def test_statuses_and_error_are_those_of_the_rules(plans: tuple[StepPlan, ...], slow: bool) -> None:
    timeline, notes = Timeline(names(pipeline(plans))), SlowNotes() if slow else Notes()
    error = asyncio.run(outcome(plans, timeline, notes))
    right = expected(plans)
    assert {record.name: record.status for record in timeline.stages} == right.statuses
    assert (None if error is None else type(error)) is right.raised
    assert right.blamed is None or (isinstance(error, Failed) and error.args == right.blamed)
    notes.check(all_stages(plans))


@settings(deadline=None, max_examples=60)
@given(plans=PLANS)
def test_the_names_are_the_stages_an_observer_sees_in_a_run_that_nothing_breaks_off(
    plans: tuple[StepPlan, ...],
) -> None:
    timeline = Timeline()
    error = asyncio.run(outcome(plans, timeline))
    seen, listed = {record.name for record in timeline.stages}, names(pipeline(plans))
    assert seen <= {*listed}
    assert error is not None or seen == {*listed}
    assert listed == tuple(name for stage in all_stages(plans) for name in stage.names)


@settings(deadline=None, max_examples=60)
@given(plans=PLANS)
def test_every_stage_that_starts_is_closed_and_timed_in_order(plans: tuple[StepPlan, ...]) -> None:
    timeline = Timeline()
    asyncio.run(outcome(plans, timeline))
    for record in timeline.stages:
        assert record.status is not StageStatus.STARTED
        assert (record.started_at is None) is (record.status is StageStatus.SKIPPED)
        assert (record.finished_at or 0) >= (record.started_at or 0)
        assert (record.error is not None) is (record.status is StageStatus.FAILED)


@settings(deadline=None, max_examples=120)
@given(plans=PLANS, cancel_at=st.integers(0, 20))
def test_a_cancellation_while_observers_write_leaves_no_stage_open(plans: tuple[StepPlan, ...], cancel_at: int) -> None:
    timeline, notes = Timeline(), SlowNotes(cancel_at)
    error = asyncio.run(outcome(plans, timeline, notes))
    assert not notes.cancelled or isinstance(error, asyncio.CancelledError)
    assert StageStatus.STARTED not in {record.status for record in timeline.stages}
    notes.check(all_stages(plans))


@settings(deadline=None, max_examples=120)
@given(plans=PLANS, turns=st.integers(0, 40))
def test_a_cancellation_at_any_turn_of_the_loop_leaves_no_stage_open(plans: tuple[StepPlan, ...], turns: int) -> None:
    async def cancelled_after_turns() -> BaseException | None:
        call = asyncio.create_task(run(pipeline(plans), (), Fanout(timeline, notes)))
        for _ in range(turns):
            await asyncio.sleep(0)
        return await ended(call) if call.cancel() else asyncio.CancelledError("the run had ended before")

    timeline, notes = Timeline(), SlowNotes()
    error = asyncio.run(cancelled_after_turns())
    # Before Python 3.13 a TaskGroup whose task has just failed keeps a cancellation to itself.
    if not any(Act.STOP_IN_A_TASK in stage.acts for stage in all_stages(plans)):
        assert isinstance(error, asyncio.CancelledError)
    assert StageStatus.STARTED not in {record.status for record in timeline.stages}
    notes.check(all_stages(plans))
