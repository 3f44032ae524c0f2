"""Waiting for the end of runs: told, or found out, and never longer than asked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mindlog.runs.settlement import Settlement
from mindlog.store.runrows import RunEnd
from tests.runs.made import BOUND, OWNER, House, house


async def end(home: House, run: int) -> None:
    await home.store.end_run(RunEnd(run=run, owner=OWNER, ended_as="succeeded"))


async def test_a_run_that_has_ended_is_not_waited_for(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (run,) = await home.keep("tea")
        await home.claim()
        await end(home, run)
        assert await home.settlement.wait([run], BOUND) == {run}


async def test_who_waits_is_told(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        runs = await home.keep("one", "two", "three")
        await home.claim(3)
        waiting = [asyncio.create_task(home.settlement.wait(some, BOUND)) for some in (runs, runs[:1], runs[1:])]
        await asyncio.sleep(0)
        for run in runs:
            await end(home, run)
            home.settlement.ended(run)
        assert await asyncio.gather(*waiting) == [set(runs), set(runs[:1]), set(runs[1:])]


async def test_an_end_that_nobody_told_of_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindlog.runs.settlement._LOOK_SECONDS", 0.01)
    async with house(tmp_path) as home:
        (run,) = await home.keep("tea")
        await home.claim()
        waiting = asyncio.create_task(home.settlement.wait([run], BOUND))
        await asyncio.sleep(0)
        await end(home, run)
        assert await asyncio.wait_for(waiting, BOUND) == {run}


async def test_an_end_between_the_look_and_the_wait_is_not_missed(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (run,) = await home.keep("tea")
        await home.claim()
        loop = asyncio.get_running_loop()
        look = home.store.run

        class Slow:
            """Looks at the row, and answers only after the run has ended and that was told."""

            def run(self, number: int) -> object:
                seen = look(number)
                asyncio.run_coroutine_threadsafe(self._over(number), loop).result(BOUND)
                return seen

            async def _over(self, number: int) -> None:
                if look(number).status == "started":  # type: ignore[union-attr]
                    await end(home, number)
                    settlement.ended(number)

        settlement = Settlement(Slow())  # type: ignore[arg-type]
        assert await settlement.wait([run], BOUND) == {run}


async def test_the_wait_is_over_when_its_time_is(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        done, open_run = await home.keep("one", "two")
        await home.claim(2)
        await end(home, done)
        assert await home.settlement.wait([done, open_run], 0.05) == {done}
        home.settlement.ended(open_run)  # nobody is left to be told


async def test_a_run_that_does_not_exist_has_ended(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        assert await home.settlement.wait([12345], BOUND) == {12345}
        assert await home.settlement.wait([], BOUND) == set()


async def test_a_waiter_that_is_cancelled_leaves_the_others_alone(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (run,) = await home.keep("tea")
        await home.claim()
        leaves, stays = (asyncio.create_task(home.settlement.wait([run], BOUND)) for _ in range(2))
        await asyncio.sleep(0)
        leaves.cancel()
        await asyncio.wait([leaves])
        await end(home, run)
        home.settlement.ended(run)
        assert await stays == {run}
