"""What the tests of runs are made with: a real store, memories in it, and stages that do as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mindlog.clock import Clock, SystemClock
from mindlog.pipeline import ADVISORY, Stage, Steps, run
from mindlog.runs.attempt import Attempt
from mindlog.runs.pace import Pace
from mindlog.runs.runlog import RunLog, settled_stages
from mindlog.runs.settlement import Settlement
from mindlog.runs.worker import Worker
from mindlog.settings import Settings
from mindlog.store.runrows import ClaimedRun, RunRow, StageResults, StageRow
from mindlog.store.sqlite import SqliteStore
from mindlog.store.stages import DERIVE_STAGES
from mindlog.testing.conformance.bench import Bench
from tests.store.made import MODEL

BOUND = 20.0  # seconds any wait of these tests may take
LEASE = 60_000_000
OWNER = "tests"
STAGES = tuple(stage.name for stage in DERIVE_STAGES)

Do = Callable[["Work"], Awaitable[None]]


@dataclass
class Work:
    """The job of a run of made-up stages: what they leave for the run log, and whether it let go."""

    run: ClaimedRun
    results: StageResults | None = None
    output: dict[str, Any] = field(default_factory=dict)
    released: int = 0

    def take(self) -> tuple[StageResults | None, dict[str, Any]]:
        taken = self.results, self.output
        self.results, self.output = None, {}
        return taken

    async def release(self) -> None:
        self.released += 1


async def nothing(work: Work) -> None:
    """A stage that does nothing."""


def steps(work: Work, **does: Do) -> Steps[Work]:
    """All stages of a derivation; those named do as told, and none that is settled runs again."""
    settled = settled_stages(work.run)

    def is_open(name: str) -> Callable[[Work], bool]:
        return lambda _: name not in settled

    return tuple(Stage(name, does.get(name, nothing), policy=ADVISORY, enabled=is_open(name)) for name in STAGES)


class Stages:
    """A `Perform` whose stages do as `does` says; `seen` are the (run, attempt) it was given, in order."""

    def __init__(self, store: SqliteStore, clock: Clock | None = None, *, long: bool = False, **does: Do) -> None:
        self.store = store
        self.clock = clock
        self.long = long
        self.does = does
        self.seen: list[tuple[int, int]] = []
        self.most = 0
        self._running = 0

    async def __call__(self, claimed: ClaimedRun, owner: str) -> Attempt:
        self.seen.append((claimed.id, claimed.attempts))
        work = Work(claimed)
        record = RunLog(self.store, claimed, owner, work, self.clock, long=self.long)
        self._running += 1
        self.most = max(self.most, self._running)
        try:
            await run(steps(work, **self.does), work, record)
        finally:
            self._running -= 1
        return record.attempt


class Gate:
    """A stage that waits: `entered` counts who came, `open` lets all through."""

    def __init__(self) -> None:
        self.entered = 0
        self.cancelled = 0
        self._came = asyncio.Condition()
        self._open = asyncio.Event()

    async def __call__(self, work: Work) -> None:
        async with self._came:
            self.entered += 1
            self._came.notify_all()
        try:
            await self._open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    def open(self) -> None:
        self._open.set()

    async def came(self, count: int = 1) -> None:
        async with asyncio.timeout(BOUND), self._came:
            await self._came.wait_for(lambda: self.entered >= count)


async def no_upkeep() -> int:
    return 0


def failing(error: Callable[[], BaseException], times: int | None = None) -> Do:
    """A stage that raises a new error the first `times` times, or always."""
    left = [times]

    async def stage(work: Work) -> None:
        if left[0] is None:
            raise error()
        if left[0] > 0:
            left[0] -= 1
            raise error()

    return stage


@dataclass
class House:
    """An open store and what works on it."""

    store: SqliteStore
    bench: Bench
    settings: Settings
    clock: Clock
    settlement: Settlement

    async def keep(self, *texts: str, **facts: object) -> list[int]:
        """The runs of memories that were kept."""
        return [persisted.lsn for persisted in await self.bench.fill(texts, **facts)]

    async def claim(self, limit: int = 1, owner: str = OWNER) -> list[ClaimedRun]:
        return await self.store.claim_runs(owner, limit, LEASE)

    def row(self, run: int) -> RunRow:
        row = self.store.run(run)
        assert row is not None
        return row

    def counts(self) -> dict[str, int]:
        """How many runs are in which state, without those that none is in."""
        return {state: count for state, count in self.store.run_counts().by_state.items() if count}

    def stage(self, run: int, name: str) -> StageRow:
        return next(stage for stage in self.row(run).stages if stage.name == name)

    def worker(self, perform: Any, upkeep: Any = no_upkeep, **more: Any) -> Worker:
        return Worker(
            self.store, perform, upkeep, Pace.of_derive(self.settings), self.clock, settlement=self.settlement, **more
        )

    @asynccontextmanager
    async def working(self, perform: Any, upkeep: Any = no_upkeep, **more: Any) -> AsyncGenerator[Worker]:
        """A worker at work, stopped in the end."""
        worker = self.worker(perform, upkeep, **more)
        worker.start()
        try:
            yield worker
        finally:
            await asyncio.wait_for(worker.stop(), BOUND)

    async def ended(self, *runs: int) -> None:
        """Wait until the runs have ended."""
        assert await self.settlement.wait(runs, BOUND) == set(runs)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it holds, looking again after every commit."""
        grown = asyncio.Event()
        loop = asyncio.get_running_loop()
        self.store.on_log(lambda lsn: loop.call_soon_threadsafe(grown.set))
        async with asyncio.timeout(BOUND):
            while not await asyncio.to_thread(holds):
                # Not everything is told to the log: a retry that is put off, say.
                await asyncio.wait([asyncio.ensure_future(grown.wait())], timeout=0.02)
                grown.clear()


@asynccontextmanager
async def house(path: Path, clock: Clock | None = None, **settings: object) -> AsyncGenerator[House]:
    """A house on `path`/data, closed in the end."""
    chosen = Settings(data=path / "data", **settings)  # type: ignore[arg-type]
    time = clock or SystemClock()
    store = SqliteStore.open(chosen.data, model=MODEL, settings=chosen, clock=time)
    try:
        yield House(store, Bench(store), chosen, time, Settlement(store))
    finally:
        await store.aclose()
