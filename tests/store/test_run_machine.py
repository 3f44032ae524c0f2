"""Random lives of runs against a model of plain objects: no run is held twice, none is lost, every attempt is counted."""

from __future__ import annotations

import asyncio
import copy
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mindlog.errors import LeaseLost, RevisionGone
from mindlog.ids import parse_number_id
from mindlog.store.runrows import RUN_ENDS, RUN_STATES, LogQuery, RunEnd, RunQuery, StageCommit
from mindlog.store.sqlite import SqliteStore
from mindlog.store.stages import DERIVE_STAGES
from mindlog.testing.conformance import Bench
from mindlog.testing.faults import armed
from tests.store.made import MODEL, HandClock

T = TypeVar("T")

STAGES = [stage.name for stage in DERIVE_STAGES]
LEASE = 1000
OWNERS = st.sampled_from(["a", "b"])
PICK = st.integers(0, 20)
PICKS = st.lists(PICK, max_size=4)


@dataclass
class Run:
    """What the model knows of a run."""

    id: int
    slot: int
    version: int
    owner: str | None = None
    due_at: int = 0
    attempts: int = 0
    ended_as: str | None = None
    stages: dict[str, str] = field(default_factory=lambda: dict.fromkeys(STAGES, "not_started"))

    def state(self, now: int) -> str:
        if self.ended_as is not None:
            return self.ended_as
        if self.owner is not None and self.due_at > now:
            return "running"
        return "waiting" if self.attempts == 0 and self.due_at <= now else "retrying"

    def let_go(self, due_at: int) -> None:
        self.owner, self.due_at = None, due_at
        self.turn("started", "not_started")

    def end(self, ended_as: str) -> None:
        self.owner, self.due_at, self.ended_as = None, 0, ended_as
        if ended_as in ("cancelled", "superseded"):
            self.turn("started", "skipped")
            self.turn("not_started", "skipped")

    def restart(self) -> None:
        self.owner, self.due_at, self.attempts, self.ended_as = None, 0, 0, None
        for stage, status in self.stages.items():
            self.stages[stage] = "succeeded" if status == "succeeded" else "not_started"

    def turn(self, status: str, into: str) -> None:
        self.stages = {stage: into if each == status else each for stage, each in self.stages.items()}


@dataclass
class Model:
    runs: dict[int, Run] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    forgotten: set[int] = field(default_factory=set)
    events: Counter[tuple[str, int]] = field(default_factory=Counter)

    def open(self) -> list[Run]:
        return [run for run in self.runs.values() if run.ended_as is None]

    def held(self) -> list[Run]:
        return [run for run in self.runs.values() if run.owner is not None]

    def is_current(self, run: Run) -> bool:
        return self.versions[run.slot] == run.version and run.slot not in self.forgotten

    def finish(self, run: Run, ended_as: str) -> None:
        run.end(ended_as)
        self.events["run_finished", run.id] += 1

    def restart(self, run: Run) -> None:
        run.restart()
        self.events["run_restarted", run.id] += 1


class Runs(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="mindlog-runs-"))
        self.runner = asyncio.Runner()
        self.clock = HandClock()
        self.model = Model()
        self.lives = 0
        self.directory = self.root / "0"
        self.open()

    def open(self) -> None:
        self.store = SqliteStore.open(self.directory, model=MODEL, clock=self.clock)
        self.bench = Bench(self.store)

    def run(self, call: Awaitable[T]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(30):
                return await call

        return self.runner.run(bounded())

    def teardown(self) -> None:
        self.store.close()
        self.runner.close()
        shutil.rmtree(self.root)

    def picked(self, picks: list[int]) -> list[Run]:
        """Some of the runs there are, each once."""
        runs = list(self.model.runs.values())
        return list({runs[pick % len(runs)].id: runs[pick % len(runs)] for pick in picks}.values()) if runs else []

    @initialize()
    def begin(self) -> None:
        """Most histories need something to be done and somebody who does it."""
        self.write(4)
        self.claim("a", 2)

    # -- memories -----------------------------------------------------------------------------------------------------
    @rule(count=st.integers(1, 4))
    def write(self, count: int) -> None:
        for persisted in self.run(self.bench.fill((f"text {n}" for n in range(count)), dedup=False)):
            self.model.versions[persisted.id.slot] = 1
            self.model.runs[persisted.lsn] = Run(persisted.lsn, persisted.id.slot, 1)

    @rule(pick=PICK)
    def edit(self, pick: int) -> None:
        live = [slot for slot in self.model.versions if slot not in self.model.forgotten]
        if live:
            slot = live[pick % len(live)]
            persisted = self.run(self.store.edit(self.bench.edit(self.bench.get(slot), "edited")))
            self.model.versions[slot] += 1
            self.model.runs[persisted.lsn] = Run(persisted.lsn, slot, persisted.id.version)

    @rule(pick=PICK)
    def forget_or_restore(self, pick: int) -> None:
        if not self.model.versions:
            return
        held = [run.slot for run in self.model.held()]
        slots = [*held, *self.model.forgotten] or list(self.model.versions)
        slot = slots[pick % len(slots)]
        if slot not in self.model.forgotten:
            self.run(self.store.forget(self.bench.number(), [slot]))
            self.model.forgotten.add(slot)
            return
        self.run(self.store.restore(self.bench.number(), [slot], 0))
        self.model.forgotten.remove(slot)
        for run in self.model.runs.values():
            if run.slot == slot and self.model.is_current(run) and run.ended_as == "superseded":
                self.model.restart(run)

    # -- workers ------------------------------------------------------------------------------------------------------
    @rule(owner=OWNERS, limit=st.integers(1, 5))
    def claim(self, owner: str, limit: int) -> None:
        now = self.clock.at
        due = sorted((run for run in self.model.open() if run.due_at <= now), key=lambda run: (run.due_at, run.id))
        claimed = self.run(self.store.claim_runs(owner, limit, LEASE))
        assert [run.id for run in claimed] == [run.id for run in due[:limit]]
        for run, got in zip(due, claimed, strict=False):
            run.let_go(now + LEASE)
            run.owner, run.attempts = owner, run.attempts + 1
            assert (got.slot, got.version, got.attempts) == (run.slot, run.version, run.attempts)
            assert {stage.name: stage.status for stage in got.stages} == run.stages

    @precondition(lambda self: self.model.held())
    @rule(pick=PICK)
    def give_up_a_forgotten_one(self, pick: int) -> None:
        """As a worker does that finds the memory forgotten."""
        run = self.one_held(pick)
        assert run.owner is not None
        if run.slot not in self.model.forgotten:
            self.run(self.store.forget(self.bench.number(), [run.slot]))
            self.model.forgotten.add(run.slot)
        self.run(self.store.end_run(RunEnd(run=run.id, owner=run.owner, ended_as="superseded")))
        self.model.finish(run, "superseded")

    @rule(owner=OWNERS, picks=PICKS)
    def renew(self, owner: str, picks: list[int]) -> None:
        held = [run for run in self.picked(picks) if run.owner == owner]
        kept = self.run(self.store.renew_leases(owner, [run.id for run in self.picked(picks)], LEASE))
        assert kept == [run.id for run in held]
        for run in held:
            run.due_at = self.clock.at + LEASE

    @rule(owner=st.none() | OWNERS)
    def release(self, owner: str | None) -> None:
        held = [run for run in self.model.open() if run.owner is not None and owner in (None, run.owner)]
        assert self.run(self.store.release_leases(owner)) == len(held)
        for run in held:
            run.let_go(0)

    @precondition(lambda self: self.model.held())
    @rule(pick=PICK, stage=st.sampled_from(STAGES))
    def start_stage(self, pick: int, stage: str) -> None:
        run = self.one_held(pick)
        assert run.owner is not None
        self.run(self.store.start_stage(run.id, "nobody", stage, self.clock.at))
        self.run(self.store.start_stage(run.id, run.owner, stage, self.clock.at))
        if run.stages[stage] not in ("succeeded", "skipped"):
            run.stages[stage] = "started"

    @precondition(lambda self: self.model.held())
    @rule(pick=PICK, stages=st.sets(st.sampled_from(STAGES)), how=st.sampled_from(["succeeded", "failed", "skipped"]))
    def commit_stages(self, pick: int, stages: set[str], how: str) -> None:
        run = self.one_held(pick)
        assert run.owner is not None
        for stage in sorted(stages):
            commit = self.stage_end(run, run.owner, stage, how)
            if self.model.is_current(run):
                self.run(self.store.commit_stage(commit))
                run.stages[stage] = how
                self.model.events["stage_completed", run.id] += 1
            else:
                with pytest.raises(RevisionGone):
                    self.run(self.store.commit_stage(commit))

    @precondition(lambda self: self.model.held())
    @rule(pick=PICK, how=st.sampled_from(RUN_ENDS))
    def end(self, pick: int, how: str) -> None:
        run = self.one_held(pick)
        assert run.owner is not None
        # As a worker does that finds the revision gone.
        how = how if self.model.is_current(run) else "superseded"
        self.run(self.store.end_run(RunEnd(run=run.id, owner=run.owner, ended_as=how)))
        self.model.finish(run, how)

    @precondition(lambda self: self.model.held())
    @rule(pick=PICK, wait=st.sampled_from([0, 500]), counted=st.booleans())
    def postpone(self, pick: int, wait: int, counted: bool) -> None:
        run = self.one_held(pick)
        assert run.owner is not None
        end = RunEnd(run=run.id, owner=run.owner, ended_as=None, due_at=wait and self.clock.at + wait, counted=counted)
        self.run(self.store.end_run(end))
        run.let_go(end.due_at)
        run.attempts -= not counted

    @rule(pick=PICK, owner=OWNERS)
    def meddle(self, pick: int, owner: str) -> None:
        """Try to commit a stage and to end a run that somebody else holds, or that is over."""
        for run in self.picked([pick]):
            if run.owner != owner:
                with pytest.raises(LeaseLost):
                    self.run(self.store.commit_stage(self.stage_end(run, owner, "hype", "succeeded")))
                with pytest.raises(LeaseLost):
                    self.run(self.store.end_run(RunEnd(run=run.id, owner=owner, ended_as="succeeded")))

    def one_held(self, pick: int) -> Run:
        held = self.model.held()
        return held[pick % len(held)]

    def stage_end(self, run: Run, owner: str, stage: str, how: str) -> StageCommit:
        return StageCommit(
            run=run.id, owner=owner, stage=stage, status=how, error=None, started_at=None, finished_at=None
        )

    # -- people -------------------------------------------------------------------------------------------------------
    @rule(picks=st.lists(PICK, max_size=2))
    def cancel(self, picks: list[int]) -> None:
        runs = self.picked(picks)
        open_runs = [run for run in runs if run.ended_as is None]
        cancelled = self.run(self.store.cancel_runs([run.id for run in runs]))
        assert sorted(cancelled) == sorted(run.id for run in open_runs)
        for run in open_runs:
            self.model.finish(run, "cancelled")

    @rule(picks=PICKS)
    def retry(self, picks: list[int]) -> None:
        runs = self.picked(picks)
        todo = [
            run
            for run in runs
            if run.ended_as is not None
            and self.model.is_current(run)
            and (run.ended_as != "succeeded" or set(run.stages.values()) != {"succeeded"})
        ]
        restarted = self.run(self.store.retry_runs([run.id for run in runs]))
        assert sorted(restarted) == sorted(run.id for run in todo)
        for run in todo:
            self.model.restart(run)

    # -- time and crashes -----------------------------------------------------------------------------------------------
    @rule(by=st.sampled_from([1, 499, 500, 999, 1000, 5000]))
    def wait(self, by: int) -> None:
        self.clock.at += by

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.open()

    @rule(owner=OWNERS, limit=st.integers(1, 5), window=st.sampled_from(["in_transaction", "after_commit_before_ack"]))
    def crash_in_a_claim(self, owner: str, limit: int, window: str) -> None:
        """A claim whose commit was reached counts, though nobody was told; the runs are due when the lease is over."""
        before = copy.deepcopy(self.model)
        with armed(window, self.copy_files):
            self.claim(owner, limit)
        if window == "in_transaction":
            self.model = before
        self.store.close()
        shutil.rmtree(self.directory)
        self.directory = self.root / str(self.lives)
        self.open()

    def copy_files(self) -> None:
        """Take the files as a kill at this instant would leave them."""
        self.lives += 1
        shutil.copytree(self.directory, self.root / str(self.lives))

    # -- what must hold -------------------------------------------------------------------------------------------------
    @invariant()
    def every_run_is_as_the_model_says(self) -> None:
        now = self.clock.at
        rows = self.store.runs(RunQuery(limit=10_000))
        assert [row.id for row in rows] == sorted(self.model.runs, reverse=True)
        for row in rows:
            run = self.model.runs[row.id]
            facts = (run.slot, run.version, run.state(now), run.attempts, run.due_at, run.ended_as is None)
            assert (row.slot, row.version, row.state, row.attempts, row.due_at, row.finished_at is None) == facts
            assert {stage.name: stage.status for stage in row.stages} == run.stages
        states = Counter(run.state(now) for run in self.model.runs.values())
        assert self.store.run_counts().by_state == {state: states[state] for state in RUN_STATES}

    @invariant()
    def what_is_open_is_counted_and_known_to_be_due(self) -> None:
        due = [run.due_at for run in self.model.open()]
        assert self.store.stats().pending_derivations == len(due)
        assert self.store.next_due() == min(due, default=None)

    @invariant()
    def every_end_and_fresh_start_is_in_the_log_once(self) -> None:
        rows = self.store.read_log(LogQuery(from_lsn=1, limit=100_000))
        about = [(row.type, parse_number_id("enc", row.payload["run"], "run")) for row in rows if "run" in row.payload]
        assert Counter(about) == self.model.events
        for run in self.model.runs.values():
            ends, starts = (self.model.events[kind, run.id] for kind in ("run_finished", "run_restarted"))
            assert ends - starts == (run.ended_as is not None)


Runs.TestCase.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestRuns = Runs.TestCase
