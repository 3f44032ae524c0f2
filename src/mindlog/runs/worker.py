"""The worker: claims runs that are due, has them performed, and records how they ended. It never dies.

What waits, waits in the store: here are at most `concurrency` runs. Knows no stage, no pipeline and no table.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Generic, Protocol, TypeVar

from mindlog.clock import Clock
from mindlog.errors import LeaseLost, MindlogError
from mindlog.ids import new_id
from mindlog.pipeline import describe
from mindlog.runs.attempt import Attempt
from mindlog.runs.bell import Bell
from mindlog.runs.pace import Pace
from mindlog.runs.retry import Claimed, died, given_back, run_end
from mindlog.runs.settlement import Settlement
from mindlog.store.base import Change
from mindlog.store.runrows import RunEnd

__all__ = ["Perform", "Upkeep", "Worker", "WorkerStore"]

log = logging.getLogger(__name__)

Run = TypeVar("Run", bound=Claimed)
Perform = Callable[[Run, str], Awaitable[Attempt]]
Upkeep = Callable[[], Awaitable[int]]

# After a commit, before claiming: writes that follow one another are claimed together, and their acks left alone.
_LINGER_SECONDS = 0.01
# Between two looks for stale groups.
_TEND_SECONDS = 0.05
# Between two looks at the clock while something is due later; a clock that is set is noticed.
_LOOK_SECONDS = 1.0
_LEAST_SECONDS = 0.05
_DEFER_SECONDS = 1.0
_DEFER_STEP_SECONDS = 0.01
_STOP_SECONDS = 5.0
_BACKOFF_SECONDS = 0.5
_LONGEST_BACKOFF_SECONDS = 30.0
_SECOND = 1_000_000


class WorkerStore(Protocol[Run]):
    """What the worker needs of a store: the runs of one operation. The methods are those of `DerivationStore`."""

    async def claim_runs(self, owner: str, limit: int, lease_us: int) -> list[Run]:
        """Take runs that are due, and count the attempt."""
        ...

    async def renew_leases(self, owner: str, runs: Sequence[int], lease_us: int) -> list[int]:
        """Hold the runs longer; returns those still held."""
        ...

    async def release_leases(self, owner: str | None = None) -> int:
        """Make the owner's runs due at once, everybody's if None."""
        ...

    async def end_run(self, end: RunEnd) -> int | None:
        """End the attempt."""
        ...

    def next_due(self) -> int | None:
        """Return when the next run is due that may be claimed then."""
        ...

    def on_commit(self, listener: Callable[[Sequence[Change]], None]) -> None:
        """Call the listener after every commit of memories, on the writer's thread."""
        ...

    def on_log(self, listener: Callable[[int], None]) -> None:
        """Call the listener after every commit that added to the log, on the writer's thread."""
        ...

    def stale_groups(self, limit: int) -> list[tuple[int, int, str, int]]:
        """Return groups to be reconciled again."""
        ...


class Worker(Generic[Run]):
    """Claims, performs and ends runs between `start` and `stop`, on one event loop.

    perform: does a run's stages and says how it went. upkeep: does a piece of what else is to be done (stale groups) and
    returns how much. is_busy: whether claiming should wait a moment, for writes go first; it waits a second at most.
    """

    def __init__(
        self,
        store: WorkerStore[Run],
        perform: Perform[Run],
        upkeep: Upkeep,
        pace: Pace,
        clock: Clock,
        *,
        settlement: Settlement,
        is_busy: Callable[[], bool] | None = None,
    ) -> None:
        self.owner = new_id("wrk")
        self.unrecorded = 0
        """Ends of stages and runs that the store did not take."""
        self.trouble: dict[str, str] = {}
        """What of the worker's own doings fails at the moment, and why."""
        self._store = store
        self._perform = perform
        self._upkeep = upkeep
        self._pace = pace
        self._clock = clock
        self._settlement = settlement
        self._is_busy = is_busy
        self._lease_us = int(pace.lease_seconds * _SECOND)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._ending: set[int] = set()
        self._loops: list[asyncio.Task[None]] = []
        self._recovered = False
        self._is_more_due = True
        self._claiming: asyncio.Task[list[Run]] | None = None
        self._unwell = False
        self._work = asyncio.Event()
        self._stale = asyncio.Event()
        self._room = asyncio.Event()
        self._moved = asyncio.Event()
        self._bells: tuple[Bell, ...] = ()

    # -- from outside -------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Begin. Runs that a worker before held when its process died are due at once."""
        loop = asyncio.get_running_loop()
        work, stale = self._bells = (Bell(loop, self._work.set), Bell(loop, self._stale.set))
        self._store.on_commit(lambda changes: work.ring())
        self._store.on_log(lambda lsn: stale.ring())
        self._loops = [
            loop.create_task(self._for_ever("claiming runs", self._claim, self._rest)),
            loop.create_task(self._for_ever("holding leases", self._renew, self._until_leases_age)),
            loop.create_task(self._for_ever("upkeep", self._tend, self._until_stale)),
        ]

    async def stop(self, within: float = _STOP_SECONDS) -> None:
        """Break off what runs, give it back, and release every lease. Takes `within` seconds at most, and some writes.

        Safe to call twice, and without a start.
        """
        loops, self._loops = self._loops, []
        if not loops:
            return
        for bell in self._bells:
            bell.silence()
        for task in loops:
            task.cancel()
        broken_off = [run for run in self._tasks if run not in self._ending]
        self.drop(broken_off)
        claiming = [self._claiming] if self._claiming else []
        _, running = await asyncio.wait([*loops, *claiming, *self._tasks.values()], timeout=within)
        if running:
            log.warning("%d runs did not stop in time", len(running), extra={"action": "worker_stop_late"})
        unbegun = [run.id for claim in claiming if _went_well(claim) for run in claim.result()]
        try:
            await self._give_back([*broken_off, *unbegun])
        except MindlogError as exc:
            # A full disk, say: the leases are released when the store is opened again.
            log.warning("Runs could not be given back: %s", exc, extra={"action": "worker_release_failed"})

    def wake(self) -> None:
        """Look for work at once: something was made due other than by a write of a memory."""
        self._work.set()

    def drop(self, runs: Iterable[int]) -> None:
        """Break off runs that this worker has; their rows are as somebody else has left them."""
        for run in runs:
            if run in self._tasks:
                self._tasks[run].cancel()

    @property
    def running(self) -> tuple[int, ...]:
        """The runs that are being performed now."""
        return tuple(self._tasks)

    async def settled(self, timeout: float | None = None) -> bool:
        """Wait until no run waits or runs and no stale group is left; False if the seconds passed first.

        A run that failed and is to be tried again later does not hold this up.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while True:
                    self._moved.clear()
                    if self._is_idle and await asyncio.to_thread(self._nothing_due) and self._is_idle:
                        return True
                    await _set_within(self._moved, _LOOK_SECONDS)
        return False

    @property
    def _is_idle(self) -> bool:
        # Before it has recovered, what a dead process held seems to be in good hands.
        return self._recovered and not self._tasks and self._claiming is None

    def _nothing_due(self) -> bool:
        due = self._store.next_due()
        return (due is None or due > self._clock.now()) and not self._store.stale_groups(1)

    # -- claiming -----------------------------------------------------------------------------------------------------
    async def _claim(self) -> None:
        """Fill the free slots once."""
        if not self._recovered:
            await self._store.release_leases(None)
            self._recovered = True
        free = await self._free_slots()
        if await self._defer():
            await self._alone()
            free = 1
        self._work.clear()
        self._claiming = asyncio.create_task(self._store.claim_runs(self.owner, free, self._lease_us))
        # Not broken off by stopping: what it brings then is given back, and was no attempt.
        runs = await asyncio.shield(self._claiming)
        for run in runs:
            self._begin(run)
        self._claiming = None
        self._moved.set()
        self._is_more_due = len(runs) == free

    async def _free_slots(self) -> int:
        """Wait for a free slot, and a moment for more: a claim is a commit, so it had better bring several runs."""
        slots = self._pace.concurrency
        while len(self._tasks) >= slots:
            self._room.clear()
            await self._room.wait()
        if len(self._tasks) > slots // 2:
            await asyncio.sleep(_LINGER_SECONDS)
        return slots - len(self._tasks)

    async def _defer(self) -> bool:
        """Let writes go first, a second at most; say whether they still go on."""
        step = _DEFER_SECONDS
        while self._is_busy is not None and self._is_busy():
            if step <= 0:
                return True
            await asyncio.sleep(_DEFER_STEP_SECONDS)
            step -= _DEFER_STEP_SECONDS
        return False

    async def _alone(self) -> None:
        """Wait until nothing runs: among writes that do not end one run at a time goes on, for eight would halve their rate."""
        while self._tasks:
            self._room.clear()
            await self._room.wait()

    async def _rest(self) -> None:
        """Wait until there may be something due, if the last claim left nothing."""
        if self._is_more_due:
            return
        due = self._store.next_due()
        while True:
            left = None if due is None else (due - self._clock.now()) / _SECOND
            wait = None if left is None else min(max(left, _LEAST_SECONDS), _LOOK_SECONDS)
            if await _set_within(self._work, wait):
                await asyncio.sleep(_LINGER_SECONDS)
                return
            if due is not None and self._clock.now() >= due:
                return

    # -- one run ------------------------------------------------------------------------------------------------------
    def _begin(self, run: Run) -> None:
        if run.id in self._tasks and run.id not in self._ending:
            return  # its lease ran out while this worker was held up; the claim has prolonged it
        self._ending.discard(run.id)
        task = asyncio.get_running_loop().create_task(self._see_through(run), name=f"mindlog-run-{run.id}")
        self._tasks[run.id] = task
        task.add_done_callback(partial(self._over, run.id))

    def _over(self, run: int, task: asyncio.Task[None]) -> None:
        # A run that was started again the moment it ended has a new task already.
        if self._tasks.get(run) is task:
            del self._tasks[run]
            self._ending.discard(run)
        self._room.set()
        self._moved.set()

    async def _see_through(self, run: Run) -> None:
        """Perform a run and record its end. Whatever goes wrong is the run's own affair, never the worker's."""
        try:
            if run.attempts > self._pace.attempts:
                end = died(run, self.owner)
            else:
                attempt = await self._attempted(run)
                self.unrecorded += attempt.unrecorded
                end = run_end(run, self.owner, attempt, now=self._clock.now(), pace=self._pace)
            if end is not None:
                await self._end(end)
            self._unwell = False
        except Exception:
            # The lease runs out, and the run is claimed again.
            self.unrecorded += 1
            if not self._unwell:
                log.exception("The end of a run could not be recorded", extra={"action": "run_end_lost", "run": run.id})
            self._unwell = True

    async def _attempted(self, run: Run) -> Attempt:
        try:
            return await self._perform(run, self.owner)
        except Exception as exc:
            log.exception("A run broke off", extra={"action": "run_broke_off", "run": run.id})
            return Attempt(failures={"run": exc})

    async def _end(self, end: RunEnd) -> None:
        # From here on a lease that is lost breaks nothing off: the end itself says whose the run is.
        self._ending.add(end.run)
        with suppress(LeaseLost):
            await self._store.end_run(end)
            if end.ended_as is not None:
                self._settlement.ended(end.run)
            else:
                self._work.set()  # it is due sooner, perhaps, than what is waited for

    # -- holding and giving back ----------------------------------------------------------------------------------------
    async def _until_leases_age(self) -> None:
        await asyncio.sleep(self._pace.lease_seconds / 3)

    async def _renew(self) -> None:
        held = [run for run in self._tasks if run not in self._ending]
        if held:
            kept = set(await self._store.renew_leases(self.owner, held, self._lease_us))
            self.drop(run for run in held if run not in kept and run not in self._ending)

    async def _give_back(self, runs: Sequence[int]) -> None:
        now = self._clock.now()
        ends = (self._store.end_run(given_back(run, self.owner, now=now)) for run in runs)
        for error in await asyncio.gather(*ends, return_exceptions=True):
            if isinstance(error, BaseException) and not isinstance(error, LeaseLost):
                raise error
        await self._store.release_leases(self.owner)

    # -- upkeep -------------------------------------------------------------------------------------------------------
    async def _until_stale(self) -> None:
        await asyncio.sleep(_TEND_SECONDS)
        await self._stale.wait()

    async def _tend(self) -> None:
        """Do what upkeep there is; asked again once something was committed."""
        self._stale.clear()
        while await self._upkeep():
            pass
        self._moved.set()

    async def _for_ever(
        self, what: str, work: Callable[[], Awaitable[None]], wait: Callable[[], Awaitable[None]]
    ) -> None:
        """Work and wait in turns. A failure is logged once, and waited out ever longer, until it goes well again."""
        failures = 0
        while True:
            try:
                await work()
                failures = 0
                self.trouble.pop(what, None)
                await wait()
            except Exception as exc:
                failures += 1
                self.trouble[what] = describe(exc)
                if failures == 1:
                    log.exception("%s failed and is tried again", what.capitalize(), extra={"action": "worker_failed"})
                await asyncio.sleep(min(_BACKOFF_SECONDS * 2 ** min(failures, 10), _LONGEST_BACKOFF_SECONDS))


async def _set_within(event: asyncio.Event, seconds: float | None) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


def _went_well(task: asyncio.Task[list[Run]]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
