"""Observers: what they are told, how they combine, and that none of them can hurt a run or be cut off by it."""

from __future__ import annotations

import asyncio
import logging

import pytest

from mindlog.pipeline import ADVISORY, Each, Fanout, Pending, Stage, Steps, Stop, Timeline, describe, names, run

BOUND = 10

Call = tuple[object, ...]


class Notes:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def start(self, *stages: str) -> Pending:
        self.calls.append(("start", *stages))

    def done(self, error: BaseException | None, /, *stages: str) -> Pending:
        self.calls.append(("done", error, *stages))

    def skip(self, *stages: str) -> Pending:
        self.calls.append(("skip", *stages))

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        self.calls.append(("add_inference", stage, inference_id))


class SlowNotes(Notes):
    """Takes a call's note only when let, as one that writes to a disk would."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.let = asyncio.Event()

    async def start(self, *stages: str) -> None:
        await self._wait()
        super().start(*stages)

    async def done(self, error: BaseException | None, /, *stages: str) -> None:
        await self._wait()
        super().done(error, *stages)

    async def skip(self, *stages: str) -> None:
        await self._wait()
        super().skip(*stages)

    async def _wait(self) -> None:
        self.asked.set()
        await self.let.wait()


class Faulty:
    """Fails every call it is told of, at once or while it is awaited."""

    def __init__(self, error: BaseException, *, late: bool) -> None:
        self._error = error
        self._late = late
        self.calls = 0

    def start(self, *stages: str) -> Pending:
        return self._fail()

    def done(self, error: BaseException | None, /, *stages: str) -> Pending:
        return self._fail()

    def skip(self, *stages: str) -> Pending:
        return self._fail()

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        self.calls += 1
        raise OSError("disk")

    def _fail(self) -> Pending:
        self.calls += 1
        if self._late:
            return self._later()
        raise self._error

    async def _later(self) -> None:
        raise self._error


async def nothing(job: object) -> None:
    pass


async def fails(job: object) -> None:
    raise OSError("down")


async def stops(job: object) -> None:
    raise Stop


def never(job: object) -> bool:
    return False


STEPS: Steps[object] = (
    Stage("a", nothing, also=("a2",)),
    Stage("b", nothing, enabled=never),
    Stage("c", fails, policy=ADVISORY),
    Stage("d", stops),
    Each(lambda job: [1, 2], (Stage("e", nothing), Stage("f", nothing))),
)


def kinds(notes: Notes) -> list[tuple[object, ...]]:
    """The calls, errors by their kind."""
    return [tuple(type(part) if isinstance(part, Exception) else part for part in call) for call in notes.calls]


TOLD = [
    ("start", "a", "a2"),
    ("done", None, "a", "a2"),
    ("skip", "b"),
    ("start", "c"),
    ("done", OSError, "c"),
    ("start", "d"),
    ("done", None, "d"),
    ("skip", "e"),
    ("skip", "f"),
]


async def test_an_observer_is_told_of_every_stage_in_order() -> None:
    notes = Notes()
    await run(STEPS, None, notes)
    assert kinds(notes) == TOLD


async def test_an_observer_that_has_to_be_awaited_is_told_the_same() -> None:
    notes = SlowNotes()
    notes.let.set()
    await run(STEPS, None, notes)
    assert kinds(notes) == TOLD


async def test_a_group_is_told_as_one_start_and_one_end() -> None:
    notes = Notes()
    await run((Each(lambda job: [1, 2, 3], (Stage("e", nothing, also=("e2",)), Stage("f", nothing))),), None, notes)
    assert kinds(notes) == [
        ("start", "e", "e2"),
        ("start", "f"),
        ("done", None, "e", "e2"),
        ("done", None, "f"),
    ]


async def test_a_stage_runs_only_after_its_start_is_noted() -> None:
    notes = SlowNotes()
    ran = asyncio.Event()

    async def body(job: object) -> None:
        ran.set()

    task = asyncio.create_task(run((Stage("a", body),), None, notes))
    await asyncio.wait_for(notes.asked.wait(), BOUND)
    assert not ran.is_set()
    notes.let.set()
    await asyncio.wait_for(task, BOUND)
    assert ran.is_set()


@pytest.mark.parametrize(
    ("error", "late"),
    [(OSError("disk"), False), (OSError("disk"), True), (asyncio.CancelledError(), True)],
    ids=["at once", "while awaited", "cancelled while awaited"],
)
async def test_a_failing_observer_fails_neither_the_run_nor_the_other_observers(
    error: BaseException, late: bool, caplog: pytest.LogCaptureFixture
) -> None:
    before, faulty, after = Notes(), Faulty(error, late=late), Notes()
    fanout = Fanout(before, faulty, after)
    with caplog.at_level(logging.ERROR, "mindlog"):
        await run(STEPS, None, fanout)
    assert kinds(before) == kinds(after) == TOLD
    assert faulty.calls == fanout.failures == len(TOLD)
    (entry,) = caplog.records
    assert "Faulty" in entry.getMessage()


async def test_a_failing_observer_on_its_own_does_not_fail_the_run() -> None:
    faulty = Faulty(OSError("disk"), late=False)
    await run(STEPS, None, faulty)
    assert faulty.calls == len(TOLD)


async def test_the_error_of_a_stage_outranks_that_of_an_observer() -> None:
    with pytest.raises(OSError, match="down"):
        await run((Stage("a", fails),), None, Faulty(ValueError("disk"), late=True))


async def test_fanouts_nest() -> None:
    first, second = Notes(), Notes()
    await run(STEPS, None, Fanout(first, Fanout(second)))
    assert kinds(first) == kinds(second) == TOLD


async def cancel_while_the_observer_is_asked(notes: SlowNotes, steps: Steps[object]) -> None:
    """Cancels the run while it waits for the observer, and lets the observer go on only after that has sunk in."""
    task = asyncio.create_task(run(steps, None, notes))
    await asyncio.wait_for(notes.asked.wait(), BOUND)
    task.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not task.done()
    notes.let.set()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, BOUND)


async def test_a_run_cancelled_while_a_start_is_noted_closes_that_stage_without_running_it() -> None:
    ran: list[str] = []

    async def body(job: object) -> None:
        ran.append("a")

    notes = SlowNotes()
    await cancel_while_the_observer_is_asked(notes, (Stage("a", body), Stage("b", nothing)))
    assert kinds(notes) == [("start", "a"), ("done", notes.calls[1][1], "a")]
    assert isinstance(notes.calls[1][1], asyncio.CancelledError)
    assert ran == []


async def test_a_run_cancelled_while_a_success_is_noted_keeps_the_success() -> None:
    class SlowAtTheEnd(SlowNotes):
        async def start(self, *stages: str) -> None:
            self.calls.append(("start", *stages))

    notes = SlowAtTheEnd()
    await cancel_while_the_observer_is_asked(notes, (Stage("a", nothing), Stage("b", nothing)))
    assert kinds(notes) == [("start", "a"), ("done", None, "a")]


async def test_a_run_cancelled_while_a_skip_is_noted_notes_it() -> None:
    notes = SlowNotes()
    await cancel_while_the_observer_is_asked(notes, (Stage("a", nothing, enabled=never), Stage("b", nothing)))
    assert kinds(notes) == [("skip", "a")]


async def test_an_observer_that_hangs_can_be_left_by_a_second_cancellation() -> None:
    notes = SlowNotes()
    task = asyncio.create_task(run((Stage("a", nothing, enabled=never),), None, notes))
    await asyncio.wait_for(notes.asked.wait(), BOUND)
    async with asyncio.timeout(BOUND):
        while not task.done():
            task.cancel()
            await asyncio.sleep(0)
    assert task.cancelled()
    notes.let.set()
    await asyncio.sleep(0)


async def test_a_timeline_names_the_stages_the_run_never_got_to() -> None:
    steps: Steps[object] = (Stage("a", nothing), Stage("b", fails), Stage("c", nothing))
    timeline = Timeline(names(steps))
    with pytest.raises(OSError, match="down"):
        await run(steps, None, timeline)
    assert [(record.name, record.status.value) for record in timeline.stages] == [
        ("a", "succeeded"),
        ("b", "failed"),
        ("c", "not_started"),
    ]
    assert timeline["c"].started_at is timeline["c"].finished_at is timeline["c"].error is None


async def test_a_timeline_never_ends_a_stage_before_it_starts_though_the_wall_clock_goes_back() -> None:
    walls = iter([1_000_000, 0, 0, 0])
    nanoseconds = iter([500, 2_500, 7_500])
    timeline = Timeline(wall=lambda: next(walls), monotonic=lambda: next(nanoseconds))
    await run((Stage("a", nothing),), None, timeline)
    assert (timeline["a"].started_at, timeline["a"].finished_at) == (1_000_002, 1_000_007)


def test_an_error_is_described_by_its_kind_and_message() -> None:
    assert describe(ValueError("too long")) == "ValueError: too long"
    assert describe(TimeoutError()) == "TimeoutError"
    assert describe(asyncio.CancelledError("why")) == "cancelled"


def test_a_group_of_errors_is_described_by_each_of_them() -> None:
    group = ExceptionGroup("tasks", [ValueError("x"), ExceptionGroup("more", [TimeoutError()])])
    assert describe(group) == "tasks: ValueError: x; more: TimeoutError"


def test_the_description_of_an_error_is_bounded() -> None:
    assert len(describe(ValueError("x" * 10_000))) == 2000
