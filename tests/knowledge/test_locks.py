"""One holder at a time for each dataset, first come first served, and nothing kept of who has gone."""

from __future__ import annotations

import asyncio

import pytest

from mindlog.knowledge.locks import DatasetLocks

BOUND = 10


async def test_a_dataset_has_one_holder_at_a_time_in_the_order_of_asking() -> None:
    locks, order, inside = DatasetLocks(), list[int](), 0

    async def one(number: int) -> None:
        nonlocal inside
        async with locks.hold(7):
            inside += 1
            assert inside == 1
            order.append(number)
            await asyncio.sleep(0)
            inside -= 1

    async with asyncio.timeout(BOUND):
        await asyncio.gather(*(one(number) for number in range(20)))
    assert order == list(range(20))
    assert len(locks) == 0


async def test_datasets_do_not_wait_for_each_other() -> None:
    locks = DatasetLocks()
    async with asyncio.timeout(BOUND), locks.hold(1), locks.hold(2):
        assert len(locks) == 2
    assert len(locks) == 0


async def test_who_fails_or_gives_up_waiting_lets_the_next_one_in() -> None:
    locks = DatasetLocks()
    with pytest.raises(OSError, match="failed"):
        async with locks.hold(1):
            raise OSError("failed")
    async with locks.hold(1):
        waiting = asyncio.create_task(held(locks))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
    async with asyncio.timeout(BOUND):
        await held(locks)
    assert len(locks) == 0


async def held(locks: DatasetLocks) -> None:
    async with locks.hold(1):
        pass
