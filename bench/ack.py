"""ack: how long one caller waits for a write, against what the disk and the model ask for it."""

from __future__ import annotations

import time

import mindlog
from floor import Fsync, embedding_once, in_turns, percentile
from material import load_material, sentences
from mindlog.models.load import load_default
from report import Row, Run, main

WARM_UP = 20


async def measure(run: Run) -> list[Row]:
    rounds = 60 if run.small else 500
    return await _given(run, rounds) + await _text(run, rounds)


async def _given(run: Run, rounds: int) -> list[Row]:
    """A vector given: the ack is one commit."""
    material = await load_material()
    vectors, fsync = material.vectors(rounds + WARM_UP), Fsync(run.directory)
    async with mindlog.aopen(run.directory / "given") as db:

        async def ack(number: int) -> float:
            start = time.perf_counter()
            await db.encode_vector(f"memory {number}", vectors[number], material.fingerprint)
            return time.perf_counter() - start

        acks, floors = await in_turns(rounds + WARM_UP, ack, lambda _: fsync.once())
    fsync.close()
    acks, floors = acks[WARM_UP:], floors[WARM_UP:]
    return [
        _row("ack, vector given, p50", acks, 50, floors, "append + fsync", most=2.0),
        _row("ack, vector given, p99", acks, 99, floors, "append + fsync"),
    ]


async def _text(run: Run, rounds: int) -> list[Row]:
    """A text of 20 tokens: the ack is one embedding and one commit."""
    texts, others, fsync = sentences(rounds + WARM_UP), sentences(rounds + WARM_UP, seed=8), Fsync(run.directory)
    bare = load_default(cache_bytes=0)
    async with mindlog.aopen(run.directory / "text") as db:

        async def ack(number: int) -> float:
            start = time.perf_counter()
            await db.encode(texts[number])
            return time.perf_counter() - start

        async def at_best(number: int) -> float:
            return await embedding_once(bare, others[number]) + fsync.once()

        acks, floors = await in_turns(rounds + WARM_UP, ack, at_best)
    await bare.aclose()
    fsync.close()
    acks, floors = acks[WARM_UP:], floors[WARM_UP:]
    return [
        _row("ack, text of 20 tokens, p50", acks, 50, floors, "one embedding + fsync", most=1.3),
        _row("ack, text of 20 tokens, p99", acks, 99, floors, "one embedding + fsync"),
    ]


def _row(name: str, acks: list[float], percent: int, floors: list[float], of: str, most: float | None = None) -> Row:
    value, floor = (1000 * percentile(each, percent) for each in (acks, floors))
    return Row(name=name, value=value, unit="ms", floor=floor, floor_is=of, most=most, by_ratio=True)


if __name__ == "__main__":
    main("ack", measure)
