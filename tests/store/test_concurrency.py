"""Eight writers and eight readers at once: no lock error, every read whole, the log bounded."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from mindlog.filters import Filters
from mindlog.store.base import Listing
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL

WRITERS, READERS, EACH = 8, 8, 30


async def write(bench: Bench, writer: int) -> None:
    for number in range(EACH):
        persisted = await bench.persist(f"writer {writer} number {number}", session=f"s{writer}")
        if number % 10 == 0:
            await bench.store.edit(bench.edit(bench.get(persisted.id.slot), f"writer {writer} edited {number}"))
        if number % 15 == 7:
            await bench.store.forget(bench.number(), [persisted.id.slot])


def read(bench: Bench, stop: threading.Event) -> int:
    rounds = 0
    while not stop.is_set():
        for memory in bench.store.list_memories(Listing(dataset=1, filters=Filters(), limit=20)):
            found = bench.store.vectors([memory.id.slot])[memory.id.slot]
            again = bench.get(memory.id.slot)
            if again.id.version == memory.id.version:
                np.testing.assert_array_equal(found, bench.vectors(memory.text))
        assert sum(1 for _ in bench.store.catalog()) <= WRITERS * EACH + 1
        lsns = [row.lsn for row in bench.store.log(1, 10_000)]
        assert lsns == list(range(1, len(lsns) + 1))
        rounds += 1
    return rounds


def test_eight_writers_and_eight_readers_never_meet_a_lock(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, model=MODEL)
    bench = Bench(store)
    stop = threading.Event()

    async def write_all() -> None:
        await bench.persist("first")
        await asyncio.gather(*(write(bench, writer) for writer in range(WRITERS)))

    with ThreadPoolExecutor(READERS) as threads:
        reading = [threads.submit(read, bench, stop) for _ in range(READERS)]
        try:
            asyncio.run(write_all())
        finally:
            stop.set()
        assert all(each.result() >= 0 for each in reading)
    assert store.stats().memories == WRITERS * EACH + 1
    store.close()
