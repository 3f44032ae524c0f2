"""Runs a list of steps for a job and tells an observer what becomes of every stage.

Owns the rules: what is skipped, what ends a run, how a cancelled stage is closed. Must not know what any stage does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from functools import partial
from itertools import islice
from typing import Any, NoReturn, TypeAlias, TypeVar

from mindlog.pipeline.context import InferenceSink
from mindlog.pipeline.observer import Fanout, Observer, Pending, together
from mindlog.pipeline.steps import FATAL, Each, Stage, Steps, Stop, stages

Job = TypeVar("Job")

MAX_NAMED_ITEMS = 20
"""How many failed items of an `Each` an error names; it counts them all."""

UNOBSERVED = Fanout()

_SINK_AROUND = nullcontext()


async def run(steps: Steps[Job], job: Job, observer: Observer = UNOBSERVED) -> None:
    """Runs the steps in order: each stage is skipped, or started, run and done.

    Raises the first error of a stage whose policy is fatal; the stages after it stay not started. When cancelled, it
    closes the running stage as failed, waits until the observer has that, and goes on being cancelled. Unobserved, a
    run is part of the stage around it, if there is one: its inferences are filed there.
    """
    await _run(steps, job, observer if isinstance(observer, Fanout) else Fanout(observer))


def run_here(steps: Steps[Job], job: Job, observer: Observer = UNOBSERVED) -> None:
    """Runs the steps in this thread, without an event loop: for stages that compute and never wait.

    The observer is called in this thread and must be synchronous. Raises `RuntimeError` if a stage or the observer waits.
    """
    running = run(steps, job, observer)
    try:
        running.send(None)
    except StopIteration:
        return
    running.close()
    raise RuntimeError("a stage or an observer waited; run_here is for those that do not")


async def _run(steps: Steps[Any], job: Any, record: _Record) -> bool:
    """Runs the steps; true if a stage stopped the run."""
    for at, step in enumerate(steps, start=1):
        stopped = await (_stage(step, job, record) if isinstance(step, Stage) else _each(step, job, record))
        if stopped:
            await _settled(together([record.skip(*stage.names) for stage in stages(steps[at:])]))
            return True
    return False


async def _stage(stage: Stage[Any], job: Any, record: _Record) -> bool:
    """Skips the stage, or starts, runs and ends it; true if it stopped the run."""
    if not record.observers and stage.policy is FATAL and stage.enabled is None:
        return await _unobserved(stage, job)
    body = _body(stage, job)
    if body is None:
        await _settled(record.skip(*stage.names))
        return False
    sink = InferenceSink(stage.name)
    stopped = False
    try:
        await _settled(record.start(*stage.names))
        with sink if record.observers else _SINK_AROUND:
            try:
                await body(job)
            except* Stop:
                stopped = True
    except BaseException as error:
        await _settled(_end(stage, error, sink, record))
        if stage.policy is FATAL or not isinstance(error, Exception):
            raise
        return False
    await _settled(_end(stage, None, sink, record))
    return stopped


async def _unobserved(stage: Stage[Any], job: Any) -> bool:
    """The same for a plain stage that nobody is told of: a write's stages run ten thousand times a second."""
    try:
        await stage.run(job)
    except* Stop:
        stopped = True
    else:
        stopped = False
    return stopped


def _body(stage: Stage[Any], job: Any) -> Callable[[Any], Awaitable[None]] | None:
    """What this job runs of the stage: nothing if it is not enabled; a failing `enabled` counts as a failing `run`."""
    try:
        return stage.run if stage.enabled is None or stage.enabled(job) else None
    except BaseException as error:  # noqa: BLE001  raised again where the stage runs
        return partial(_raise, error)


async def _raise(error: BaseException, _: object) -> NoReturn:
    raise error


def _end(stage: Stage[Any], error: BaseException | None, sink: InferenceSink, record: _Record) -> Pending:
    for inference_id in sink.inference_ids:
        record.add_inference(stage.name, inference_id)
    return record.done(error, *stage.names)


async def _settled(pending: Pending) -> None:
    """Waits until an observer has what it was told, even if the call is cancelled meanwhile; if twice, it gives up."""
    if pending is None:
        return
    told = asyncio.ensure_future(pending)
    try:
        await asyncio.shield(told)
    except asyncio.CancelledError:
        await asyncio.wait((told,))
        raise


async def _each(each: Each[Any, Any], job: Any, record: _Record) -> bool:
    """Runs the group for every item; true if a stage stopped the run."""
    items = tuple(each.items(job))
    group = _Group(record, each.steps, len(items))
    stopped = False
    try:
        for group.item, item in enumerate(items, start=1):
            stopped = await _run(each.steps, item, group)
            if stopped:
                break
    except BaseException as error:
        await _settled(group.interrupt(error))
        raise
    await _settled(group.finish())
    return stopped


class _Group:
    """The record of the stages in an `Each`: makes one start and one end out of what it is told for every item.

    A stage ends with its last item, or when the run leaves the group before that. By a `Stop`: as it went so far, or as
    skipped if it never started. By an error or a cancellation: as failed, or not at all if it never started.
    """

    def __init__(self, outer: _Record, steps: Steps[Any], items: int) -> None:
        self.observers = outer.observers
        self.item = 0
        self._items = items
        self._outer = outer
        self._unended = [stage.names for stage in stages(steps)]
        self._failures: dict[tuple[str, ...], dict[int, Exception | None]] = {}

    def start(self, *stages: str) -> Pending:
        if stages in self._failures:
            return None
        self._failures[stages] = {}
        return self._outer.start(*stages)

    def done(self, error: BaseException | None, /, *stages: str) -> Pending:
        failures = self._failures[stages]
        if isinstance(error, Exception):
            # An error keeps its frames alive, so of very many only the first are kept.
            failures[self.item] = error if len(failures) < MAX_NAMED_ITEMS else None
        elif error is not None:
            return None  # `interrupt` follows and ends all that has started
        return self._end(stages) if self.item == self._items else None

    def skip(self, *stages: str) -> Pending:
        return self._end(stages) if self.item == self._items else None

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        self._outer.add_inference(stage, inference_id)

    def finish(self) -> Pending:
        """Ends what has not ended: the run stopped before the last item, or there was no item."""
        return together([self._end(stages) for stages in tuple(self._unended)])

    def interrupt(self, cause: BaseException) -> Pending:
        """Ends as failed what has started and not ended: an error or a cancellation broke the run off."""
        started = [stages for stages in self._unended if stages in self._failures]
        if isinstance(cause, Exception):
            cut = ExceptionGroup(f"interrupted at item {self.item} of {self._items}", [cause])
            return together([self._outer.done(self._failure(stages) or cut, *stages) for stages in started])
        return together([self._outer.done(cause, *stages) for stages in started])

    def _end(self, stages: tuple[str, ...]) -> Pending:
        self._unended.remove(stages)
        if stages not in self._failures:
            return self._outer.skip(*stages)
        return self._outer.done(self._failure(stages), *stages)

    def _failure(self, stages: tuple[str, ...]) -> Exception | None:
        """One error out of those of the items, naming them."""
        failures = self._failures[stages]
        if not failures:
            return None
        numbers = ", ".join(map(str, islice(failures, MAX_NAMED_ITEMS)))
        more = ", …" if len(failures) > MAX_NAMED_ITEMS else ""
        named = [error for error in failures.values() if error is not None]
        return ExceptionGroup(f"failed for {len(failures)} of {self._items} items ({numbers}{more})", named)


_Record: TypeAlias = Fanout | _Group
