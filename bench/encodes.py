"""encodes: how many memories a second the engine keeps, sustained, with vectors given and with text."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import mindlog
from floor import ROW_BYTES, Fsync, embedding_rate
from material import Material, load_material, sentences
from mindlog.models.load import load_default
from report import Row, Run, main

CALLERS = 64
BATCH = 500
BATCHES_AT_ONCE = 4
LEAST = 10_000


async def measure(run: Run) -> list[Row]:
    material = await load_material()
    count = 5_000 if run.small else 100_000
    rows = []
    for name, group, work in (
        (f"{CALLERS} callers", CALLERS, _one_by_one),
        (f"batches of {BATCH}", BATCH, _in_batches),
    ):
        before = _append_rate(run, group)
        taken, cpu = await work(run, material, count)
        floor = (before + _append_rate(run, group)) / 2
        title, of = f"encodes, vectors given, {name}", f"appends of {group} + fsync"
        rows += [
            Row(
                name=f"{title}, {count:,} memories",
                value=count / taken,
                unit="/s",
                floor=floor,
                floor_is=of,
                least=LEAST,
            ),
            Row(name=f"{title}, processor time each", value=1e6 * cpu / count, unit="us"),
        ]
    return [*rows, await _texts(run)]


def _append_rate(run: Run, group: int) -> float:
    """Memories a second that a bare file takes, so many to an fsync."""
    fsync = Fsync(run.directory, group * ROW_BYTES)
    taken = [fsync.once() for _ in range(20 if run.small else 100)]
    fsync.close()
    return group * len(taken) / sum(taken)


async def _one_by_one(run: Run, material: Material, count: int) -> tuple[float, float]:
    vectors = material.vectors(count)
    async with mindlog.aopen(run.directory / "callers") as db:

        async def keep(number: int) -> None:
            session = f"session {number // 20}"
            await db.encode_vector(f"memory {number}", vectors[number], material.fingerprint, session=session)

        return await _by_callers(CALLERS, count, keep)


async def _in_batches(run: Run, material: Material, count: int) -> tuple[float, float]:
    vectors = material.vectors(count)
    async with mindlog.aopen(run.directory / "batches") as db:

        async def keep(number: int) -> None:
            at = number * BATCH
            items = [
                mindlog.EncodeRequest(
                    text=f"memory {n}",
                    vector=vectors[n],
                    embedding_model=material.fingerprint,
                    session=f"session {n // 20}",
                )
                for n in range(at, min(at + BATCH, count))
            ]
            assert not any(isinstance(each, mindlog.MindlogError) for each in await db.encode_batch(items))

        return await _by_callers(BATCHES_AT_ONCE, -(-count // BATCH), keep)


async def _texts(run: Run) -> Row:
    """Text with 64 callers, and the embedder alone before and after: the machine may change its speed meanwhile."""
    count = 300 if run.small else 3_000
    bare = load_default(cache_bytes=0)
    texts = sentences(count)
    async with mindlog.aopen(run.directory / "texts") as db:
        await asyncio.gather(*(db.encode(text) for text in sentences(CALLERS, seed=3)))
        before = await embedding_rate(bare, sentences(count // 2, seed=4))

        async def keep(number: int) -> None:
            await db.encode(texts[number])

        taken, _ = await _by_callers(CALLERS, count, keep)
        after = await embedding_rate(bare, sentences(count // 2, seed=5))
    await bare.aclose()
    return Row(
        name=f"encodes, text, {CALLERS} callers",
        value=count / taken,
        unit="/s",
        floor=(before + after) / 2,
        floor_is="the embedder's own batch",
        least=0.85,
        by_ratio=True,
    )


async def _by_callers(callers: int, count: int, work: Callable[[int], Awaitable[None]]) -> tuple[float, float]:
    """Let so many callers, each one call after the other, do the numbers from 0 to `count`.

    Returns the seconds it took and the processor seconds of all threads.
    """
    numbers = iter(range(count))

    async def caller() -> None:
        for number in numbers:
            await work(number)

    start, cpu = time.perf_counter(), time.process_time()
    async with asyncio.TaskGroup() as group:
        for _ in range(callers):
            group.create_task(caller())
    return time.perf_counter() - start, time.process_time() - cpu


if __name__ == "__main__":
    main("encodes", measure)
