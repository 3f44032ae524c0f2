"""Documents that wait, as the worker sees them: one a dataset, in order, and nothing is asked of the writer for nothing."""

from __future__ import annotations

from pathlib import Path

from mindlog.remember.manager import RememberRuns
from mindlog.store.runrows import RunEnd
from tests.remember.enriched import World, world

LEASE = 60_000_000


async def ended(runs: RememberRuns, run: int, due_at: int | None = None) -> None:
    how = "succeeded" if due_at is None else None
    await runs.end_run(RunEnd(run=run, owner="w", ended_as=how, due_at=due_at))


def runs_of(home: World) -> RememberRuns:
    return RememberRuns(home.store, home.tools.clock)


async def test_of_each_dataset_the_first_is_claimed_and_no_later_one_while_it_is_held(tmp_path: Path) -> None:
    async with world(tmp_path) as home:
        runs = runs_of(home)
        one, two, other = [await home.accept(f"Text {n}.", dataset=d) for n, d in enumerate(("a", "a", "b"))]
        claimed = await runs.claim_runs("w", 10, LEASE)
        assert [run.id for run in claimed] == [one, other]
        assert await runs.claim_runs("w", 10, LEASE) == []
        await ended(runs, other)
        assert await runs.claim_runs("w", 10, LEASE) == []
        await ended(runs, one)
        assert [run.id for run in await runs.claim_runs("w", 10, LEASE)] == [two]


async def test_no_more_are_claimed_than_there_is_room_for(tmp_path: Path) -> None:
    async with world(tmp_path) as home:
        runs = runs_of(home)
        waiting = [await home.accept("Text.", dataset=dataset) for dataset in "abc"]
        assert [run.id for run in await runs.claim_runs("w", 2, LEASE)] == waiting[:2]
        assert [run.id for run in await runs.claim_runs("w", 2, LEASE)] == waiting[2:]


async def test_a_run_that_is_due_later_keeps_its_dataset_waiting_and_is_what_is_due_next(tmp_path: Path) -> None:
    async with world(tmp_path) as home:
        runs = runs_of(home)
        assert runs.next_due() is None
        first, second = await home.accept("One."), await home.accept("Two.")
        assert (runs.next_due() or 0) <= home.tools.clock.now()
        await runs.claim_runs("w", 1, LEASE)
        later = home.tools.clock.now() + 3_600_000_000
        await ended(runs, first, due_at=later)
        # The second is due, but not its turn: told of it, a worker would look again and again.
        assert runs.next_due() == later
        assert await runs.claim_runs("w", 9, LEASE) == []
        home.tools.clock.at = later  # type: ignore[attr-defined]
        assert [run.id for run in await runs.claim_runs("w", 9, LEASE)] == [first]
        await ended(runs, first)
        assert [run.id for run in await runs.claim_runs("w", 9, LEASE)] == [second]


async def test_where_nothing_is_due_nothing_is_written(tmp_path: Path) -> None:
    async with world(tmp_path) as home:
        runs = runs_of(home)
        asked: list[str] = []

        async def noted(*_: object) -> None:
            asked.append("claim")

        home.store.claim_remember = noted  # type: ignore[method-assign, assignment]
        assert await runs.claim_runs("w", 9, LEASE) == []
        assert asked == []
        await home.accept("One.")
        assert await runs.claim_runs("w", 9, LEASE) == []
        assert asked == ["claim"]


async def test_a_lease_is_renewed_while_it_is_held_and_everybodys_is_released(tmp_path: Path) -> None:
    async with world(tmp_path) as home:
        runs = runs_of(home)
        run = await home.accept("One.")
        await runs.claim_runs("w", 1, LEASE)
        assert await runs.renew_leases("w", [run], LEASE) == [run]
        assert await runs.renew_leases("another", [run], LEASE) == []
        assert await runs.release_leases(None) == 1
        assert await runs.renew_leases("w", [run], LEASE) == []
        (again,) = await runs.claim_runs("w", 1, LEASE)
        assert (again.id, again.attempts) == (run, 2)


async def test_the_start_and_the_end_of_a_run_wake_whoever_claims_and_there_is_no_upkeep(tmp_path: Path) -> None:
    async with world(tmp_path) as home:
        runs = runs_of(home)
        woken: list[int] = []
        tended: list[int] = []
        runs.on_commit(lambda changes: woken.append(len(changes)))
        runs.on_log(tended.append)
        run = await home.accept("One.")
        assert len(woken) == 1
        await runs.claim_runs("w", 1, LEASE)
        before = len(woken)
        await ended(runs, run)
        assert len(woken) > before
        assert tended == []
        assert runs.stale_groups(10) == []
