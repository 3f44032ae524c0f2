"""growth: whether an ack takes longer in a large store than in a small one, asked of both in turns."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import mindlog
from filled import Filled
from floor import Fsync, in_turns, percentile
from material import Material, load_material
from report import Row, Run, main

WARM_UP = 20


async def measure(run: Run) -> list[Row]:
    material = await load_material()
    few, many = (500, 5_000) if run.small else (1_000, 100_000)
    rounds = 60 if run.small else 500
    small, large, fsync = Filled(material, few, 1), Filled(material, many, 1), Fsync(run.directory)
    async with (
        mindlog.aopen(run.directory / "few", embedder=small.embedder) as first,
        mindlog.aopen(run.directory / "many", embedder=large.embedder) as second,
    ):
        await small.fill(first, 0, few)
        await large.fill(second, 0, many)
        acks = (_ack(db, material, rounds + WARM_UP) for db in (first, second))
        in_few, in_many, floors = await in_turns(rounds + WARM_UP, *acks, lambda _: fsync.once())
    fsync.close()
    before, after, floor = (1000 * percentile(each[WARM_UP:], 50) for each in (in_few, in_many, floors))
    return [
        Row(name=f"ack p50 at {few:,}", value=before, unit="ms", floor=floor, floor_is="append + fsync"),
        Row(
            name=f"ack p50 at {many:,}",
            value=after,
            unit="ms",
            floor=before,
            floor_is=f"the same at {few:,}",
            most=1.2,
            by_ratio=True,
        ),
    ]


def _ack(db: mindlog.AsyncMindlog, material: Material, count: int) -> Callable[[int], Awaitable[float]]:
    vectors = material.vectors(count, seed=31)

    async def ack(number: int) -> float:
        start = time.perf_counter()
        await db.encode_vector(f"one more {number}", vectors[number], material.fingerprint)
        return time.perf_counter() - start

    return ack


if __name__ == "__main__":
    main("growth", measure)
