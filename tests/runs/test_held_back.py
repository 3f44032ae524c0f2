"""A derivation that waits for its document is nobody's work until the document lets go of it; then a worker hears at once."""

from __future__ import annotations

from pathlib import Path

from mindlog.store.runrows import ClaimedRun
from mindlog.testing.conformance.papers import Papers
from tests.runs.made import BOUND, House, Stages, house


async def held_back(home: House, *words: str) -> tuple[Papers, int, list[int]]:
    """A remember that goes on, its run, and the derivations of its chunks."""
    papers = Papers(home.bench)
    run = await papers.begun()
    slots = [(await papers.keep(run, n, each)).memory_id.slot for n, each in enumerate(words)]
    return papers, run, [home.store.runs_of(slot)[0].id for slot in slots]


class Counting:
    """A store that counts how often it is asked for runs."""

    def __init__(self, home: House) -> None:
        self.claims = 0
        self._claim = home.store.claim_runs
        home.store.claim_runs = self.claim_runs  # type: ignore[method-assign]

    async def claim_runs(self, owner: str, limit: int, lease_us: int) -> list[ClaimedRun]:
        self.claims += 1
        return await self._claim(owner, limit, lease_us)


async def test_a_worker_neither_claims_what_is_held_back_nor_asks_for_it_again_and_again(tmp_path: Path) -> None:
    """It is counted as work that is not done, and does not hold `settled` up: who holds it back is asked for that."""
    async with house(tmp_path) as home:
        _, _, runs = await held_back(home, "one", "two")
        stages, counting = Stages(home.store), Counting(home)
        async with home.working(stages) as worker:
            assert await worker.settled(BOUND)
            asked = counting.claims
            (other,) = await home.keep("a memory of its own")
            await home.ended(other)
            assert await worker.settled(BOUND)
            assert counting.claims <= asked + 4
            assert stages.seen == [(other, 1)]
            assert [home.row(run).state for run in runs] == ["waiting", "waiting"]
            assert home.store.stats().pending_derivations == 2


async def test_a_worker_hears_when_a_text_is_stored_and_when_the_run_is_over(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        papers, run, (first, second, third) = await held_back(home, "one", "two", "three")
        async with home.working(Stages(home.store)) as worker:
            assert await worker.settled(BOUND)
            await papers.store(run, 1)
            await home.ended(second)
            assert home.counts() == {"waiting": 2, "succeeded": 1}
            await papers.end(run, None, due_at=1)
            assert await worker.settled(BOUND)
            assert home.counts() == {"waiting": 2, "succeeded": 1}
            assert await home.store.cancel_remember([run]) == [run]
            await home.ended(first, third)
            assert home.counts() == {"succeeded": 3}
