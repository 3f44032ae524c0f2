"""The worker: what waits is done in order, once, within bounds; what goes wrong is the run's affair and never the worker's."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import apsw
import pytest

from mindlog.errors import LlmFailed, LlmMisconfigured, LlmPaused
from mindlog.runs.attempt import Attempt
from mindlog.store.runrows import ClaimedRun
from mindlog.testing.faults import armed, raising
from tests.runs.made import BOUND, LEASE, OWNER, STAGES, Gate, Stages, Work, failing, house
from tests.store.made import HandClock

MINUTE = 60_000_000


async def test_what_waits_is_done_in_the_order_it_was_written(tmp_path: Path) -> None:
    async with house(tmp_path, derive_concurrency=1) as home:
        runs = await home.keep(*(f"text {n}" for n in range(20)))
        stages = Stages(home.store)
        async with home.working(stages):
            await home.ended(*runs)
        assert [run for run, _ in stages.seen] == runs
        assert {home.row(run).state for run in runs} == {"succeeded"}
        assert home.store.stats().pending_derivations == 0


async def test_a_single_write_is_derived_without_another_one_coming(tmp_path: Path) -> None:
    async with house(tmp_path) as home, home.working(Stages(home.store)):
        (run,) = await home.keep("one short message")
        await home.ended(run)


async def test_no_more_run_at_once_than_are_allowed_and_the_rest_waits_in_the_store(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path, derive_concurrency=3) as home:
        runs = await home.keep(*(f"text {n}" for n in range(30)))
        stages = Stages(home.store, extractor=gate)
        async with home.working(stages) as worker:
            await gate.came(3)
            assert len(worker.running) == 3
            assert home.counts() == {"waiting": 27, "running": 3}
            gate.open()
            await home.ended(*runs)
        assert stages.most == 3


async def test_a_failed_stage_is_tried_again_and_the_others_are_not(tmp_path: Path) -> None:
    counted: list[str] = []

    async def count(work: Work) -> None:
        counted.append("auto_edge")

    async with house(tmp_path, derive_backoff_seconds=0.001) as home:
        (run,) = await home.keep("tea")
        stages = Stages(home.store, auto_edge=count, extractor=failing(lambda: LlmFailed("no answer"), times=2))
        async with home.working(stages):
            await home.ended(run)
        assert [attempts for _, attempts in stages.seen] == [1, 2, 3]
        assert counted == ["auto_edge"]
        assert (home.row(run).state, home.row(run).error) == ("succeeded", None)


async def test_a_stage_that_keeps_failing_is_quarantined_and_can_be_started_again(tmp_path: Path) -> None:
    async with house(tmp_path, derive_backoff_seconds=0.001, derive_attempts=5) as home:
        (run,) = await home.keep("tea")
        stages = Stages(home.store, extractor=failing(lambda: LlmFailed("no answer"), times=5))
        async with home.working(stages) as worker:
            await home.ended(run)
            row = home.row(run)
            assert (row.status, row.state, row.attempts) == ("failed", "quarantined", 5)
            assert row.error == "extractor failed: LlmFailed: no answer"
            assert await home.store.retry_runs([run]) == [run]
            worker.wake()
            await home.ended(run)
        assert home.row(run).state == "succeeded"
        assert [attempts for _, attempts in stages.seen] == [1, 2, 3, 4, 5, 1]


async def test_what_no_retry_can_help_has_failed_at_once(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (run,) = await home.keep("tea")
        stages = Stages(home.store, hype=failing(lambda: LlmMisconfigured("bad key")))
        async with home.working(stages):
            await home.ended(run)
        assert (home.row(run).state, len(stages.seen)) == ("failed", 1)


async def test_a_run_is_tried_again_no_sooner_than_it_is_due(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock, derive_backoff_seconds=60) as home:
        (run,) = await home.keep("tea")
        stages = Stages(home.store, clock, extractor=failing(LlmFailed, times=1))
        async with home.working(stages) as worker:
            await home.until(lambda: home.row(run).state == "retrying")
            assert home.row(run).due_at == clock.at + MINUTE
            (other,) = await home.keep("coffee")
            await home.ended(other)
            assert home.row(run).state == "retrying"
            clock.at += MINUTE
            worker.wake()
            await home.ended(run)
        assert stages.seen == [(run, 1), (other, 1), (run, 2)]


async def test_a_paused_model_costs_no_attempts(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock, derive_attempts=2, derive_backoff_seconds=1) as home:
        (run,) = await home.keep("tea")
        stages = Stages(home.store, clock, extractor=failing(lambda: LlmPaused(retry_after=5), times=6))
        async with home.working(stages) as worker:
            for tried in range(1, 7):
                await home.until(lambda tried=tried: len(stages.seen) == tried and home.row(run).state != "running")
                assert home.row(run).attempts == 0
                clock.at += 10 * MINUTE
                worker.wake()
            await home.ended(run)
        assert home.row(run).state == "succeeded"


async def test_a_run_that_another_process_held_when_it_died_is_taken_up_again(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        runs = await home.keep("one", "two")
        claimed = await home.claim(2, owner="dead")
        await home.store.start_stage(claimed[0].id, "dead", "extractor", 5)
        async with home.working(Stages(home.store)) as worker:
            await home.ended(*runs)
            assert worker.owner != "dead"
        assert [home.row(run).attempts for run in runs] == [2, 2]
        assert {home.row(run).state for run in runs} == {"succeeded"}


async def test_a_run_that_has_outlived_all_its_attempts_is_not_tried_again(tmp_path: Path) -> None:
    async with house(tmp_path, derive_attempts=3) as home:
        runs = await home.keep("poison", "good")
        for _ in range(3):
            await home.claim(1, owner="dead")
            await home.store.release_leases("dead")
        stages = Stages(home.store)
        async with home.working(stages):
            await home.ended(*runs)
        assert [home.row(run).state for run in runs] == ["quarantined", "succeeded"]
        assert [run for run, _ in stages.seen] == runs[1:]


async def test_a_bug_in_what_performs_is_a_failed_attempt_of_that_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(tmp_path, derive_attempts=2, derive_backoff_seconds=0.001) as home:
        bad, good = await home.keep("bad", "good")
        stages = Stages(home.store)

        async def perform(claimed: ClaimedRun, owner: str) -> Attempt:
            if claimed.id == bad:
                raise ZeroDivisionError("a bug")
            return await stages(claimed, owner)

        async with home.working(perform):
            await home.ended(bad, good)
        assert [home.row(run).state for run in (bad, good)] == ["quarantined", "succeeded"]
        assert home.row(bad).error == "run failed: ZeroDivisionError: a bug"
    assert "A run broke off" in caplog.text


async def test_a_run_whose_memory_is_forgotten_or_edited_is_superseded(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path) as home:
        forgotten, edited = await home.keep("forgotten", "edited")
        async with home.working(Stages(home.store, auto_edge=gate)):
            await gate.came(2)
            await home.store.forget(1, [home.row(forgotten).slot])
            memory = home.store.memory(home.row(edited).slot)
            assert memory is not None
            new = (await home.store.edit(home.bench.edit(memory, "other words"))).lsn
            gate.open()
            await home.ended(forgotten, edited, new)
        assert [home.row(run).state for run in (forgotten, edited, new)] == ["superseded", "superseded", "succeeded"]


async def test_stopping_breaks_off_gives_back_and_leaves_nothing_held(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path, derive_concurrency=2) as home:
        runs = await home.keep("one", "two", "three")
        async with home.working(Stages(home.store, extractor=gate, long=True)) as worker:
            await gate.came(2)
            await asyncio.wait_for(worker.stop(), BOUND)
            assert (worker.running, gate.cancelled) == ((), 2)
        rows = [home.row(run) for run in runs]
        assert [row.attempts for row in rows] == [0, 0, 0]
        assert {row.status for row in rows} == {"started"}
        assert "running" not in home.counts()
        assert home.stage(runs[0], "extractor").error == "cancelled"
        async with home.working(Stages(home.store)):
            await home.ended(*runs)
        assert {home.row(run).state for run in runs} == {"succeeded"}


async def test_stopping_takes_no_longer_than_it_may_whatever_a_stage_does(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    release = asyncio.Event()
    entered = asyncio.Event()

    async def stubborn(work: Work) -> None:
        entered.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    async with house(tmp_path) as home:
        await home.keep("tea")
        worker = home.worker(Stages(home.store, auto_edge=stubborn))
        worker.start()
        await asyncio.wait_for(entered.wait(), BOUND)
        await asyncio.wait_for(worker.stop(within=0.05), BOUND)
        assert "did not stop in time" in caplog.text
        assert "running" not in home.counts()
        release.set()
        await home.until(lambda: not worker.running)


async def test_a_run_cancelled_by_hand_is_broken_off_at_once(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path) as home:
        run, other = await home.keep("tea", "coffee")
        async with home.working(Stages(home.store, extractor=gate)) as worker:
            await gate.came(2)
            assert await home.store.cancel_runs([run]) == [run]
            worker.drop([run])
            await home.until(lambda: run not in worker.running)
            assert gate.cancelled == 1
            gate.open()
            await home.ended(other)
        row = home.row(run)
        assert (row.state, row.error) == ("cancelled", None)
        assert {stage.status for stage in row.stages} == {"succeeded", "skipped"}


async def test_leases_are_held_for_as_long_as_a_stage_takes(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path, derive_lease_seconds=0.09) as home:
        renewed = asyncio.Event()
        renew = home.store.renew_leases
        rounds = 0

        async def counting(owner: str, runs: Any, lease_us: int) -> list[int]:
            nonlocal rounds
            held = await renew(owner, runs, lease_us)
            rounds += 1
            if rounds == 5:
                renewed.set()
            return held

        home.store.renew_leases = counting  # type: ignore[method-assign]
        (run,) = await home.keep("tea")
        stages = Stages(home.store, extractor=gate)
        async with home.working(stages):
            await gate.came()
            await asyncio.wait_for(renewed.wait(), BOUND)
            gate.open()
            await home.ended(run)
        assert stages.seen == [(run, 1)]


async def test_a_lease_that_is_lost_breaks_the_run_off(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path, derive_lease_seconds=0.03) as home:
        (run,) = await home.keep("tea")
        async with home.working(Stages(home.store, extractor=gate)) as worker:
            await gate.came()
            await home.store.cancel_runs([run])
            await home.until(lambda: not worker.running)
        assert (gate.cancelled, home.row(run).state) == (1, "cancelled")


async def test_a_full_disk_is_waited_out_and_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with house(tmp_path) as home:
        (run,) = await home.keep("tea")
        with armed("in_transaction", raising(apsw.FullError, times=2)):
            async with home.working(Stages(home.store)):
                await home.ended(run)
        assert home.row(run).state == "succeeded"
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.message for record in errors] == ["Claiming runs failed and is tried again"]


async def test_an_end_that_cannot_be_recorded_is_counted_and_the_run_is_claimed_again(tmp_path: Path) -> None:
    async with house(tmp_path, derive_lease_seconds=0.2) as home:
        (run,) = await home.keep("tea")
        end = home.store.end_run
        refused = False

        async def failing_once(given: Any) -> int | None:
            nonlocal refused
            if not refused:
                refused = True
                raise apsw.FullError("full")
            return await end(given)

        home.store.end_run = failing_once  # type: ignore[method-assign]
        stages = Stages(home.store)
        async with home.working(stages) as worker:
            await home.ended(run)
            assert worker.unrecorded == 1
        assert stages.seen == [(run, 1), (run, 2)]


async def test_upkeep_is_asked_at_start_and_after_commits_until_nothing_is_left(tmp_path: Path) -> None:
    left = [2, 0]
    asked = asyncio.Event()
    again = asyncio.Event()

    async def upkeep() -> int:
        if left:
            return left.pop(0)
        (asked if not asked.is_set() else again).set()
        return 0

    async with house(tmp_path) as home, home.working(Stages(home.store), upkeep):
        await home.keep("tea")
        await asyncio.wait_for(asked.wait(), BOUND)
        await home.keep("coffee")
        await asyncio.wait_for(again.wait(), BOUND)


async def test_upkeep_that_fails_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tried = asyncio.Event()

    async def upkeep() -> int:
        tried.set()
        raise ZeroDivisionError("a bug")

    async with house(tmp_path) as home, home.working(Stages(home.store), upkeep):
        await asyncio.wait_for(tried.wait(), BOUND)
        (run,) = await home.keep("tea")
        await home.ended(run)
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == [
        "Upkeep failed and is tried again"
    ]


async def test_claiming_waits_a_moment_while_writers_are_busy_and_no_longer(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        asked = 0

        def busy() -> bool:
            nonlocal asked
            asked += 1
            return asked < 4

        (run,) = await home.keep("tea")
        async with home.working(Stages(home.store), is_busy=busy):
            await home.ended(run)
        assert asked >= 4

    async with house(tmp_path) as home:
        (run,) = await home.keep("coffee")
        async with home.working(Stages(home.store), is_busy=lambda: True):
            await home.ended(run)


async def test_while_writes_do_not_end_one_run_goes_on_at_a_time(tmp_path: Path) -> None:
    gate, busy = Gate(), True
    async with house(tmp_path) as home:
        runs = await home.keep(*(f"text {n}" for n in range(5)))
        async with home.working(Stages(home.store, hype=gate), is_busy=lambda: busy) as worker:
            await gate.came()
            assert not await worker.settled(0.2)
            assert len(worker.running) == 1
            busy = False
            gate.open()
            assert await worker.settled(BOUND)
        assert {home.row(run).state for run in runs} == {"succeeded"}


async def test_settled_is_when_nothing_waits_or_runs(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path) as home:
        runs = await home.keep(*(f"text {n}" for n in range(20)))
        async with home.working(Stages(home.store, hype=gate)) as worker:
            await gate.came()
            assert not await worker.settled(0.05)
            gate.open()
            assert await worker.settled(BOUND)
            assert {home.row(run).state for run in runs} == {"succeeded"}


async def test_what_is_to_be_tried_again_later_does_not_hold_settled_up(tmp_path: Path) -> None:
    async with house(tmp_path, derive_backoff_seconds=600) as home:
        (run,) = await home.keep("tea")
        async with home.working(Stages(home.store, hype=failing(LlmFailed))) as worker:
            assert await worker.settled(BOUND)
            assert home.row(run).state == "retrying"


async def test_ten_thousand_waiting_memories_are_held_by_the_store_alone(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path, derive_concurrency=2) as home:
        for at in range(0, 10_000, 1000):
            await home.keep(*(f"text {n}" for n in range(at, at + 1000)))
        async with home.working(Stages(home.store, auto_edge=gate)) as worker:
            await gate.came(2)
            assert len(worker.running) == 2
            assert home.counts() == {"waiting": 9998, "running": 2}


async def test_every_stage_name_of_the_tests_is_one_of_the_table() -> None:
    assert STAGES == ("auto_edge", "temporal_edge", "memory_text", "extractor", "hype")
    assert (OWNER, LEASE) == ("tests", MINUTE)


async def test_what_a_dead_process_held_is_waited_for_from_the_first_moment_on(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (lsn,) = await home.keep("tea")
        # Held by a process that is dead: by its lease alone it is nobody's to claim for long.
        assert [run.id for run in await home.store.claim_runs("dead", 1, LEASE)] == [lsn]
        async with home.working(Stages(home.store)) as worker:
            assert await worker.settled(BOUND)
            assert home.row(lsn).status == "succeeded"
