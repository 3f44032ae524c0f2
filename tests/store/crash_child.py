"""A process that writes to a store from 16 tasks until it is killed, and tells on standard output what was acknowledged.

Each line is `text slot version lsn`; a line is printed only after the ack. Half of the writes carry a request id.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from mindlog.records import MemoryState
from mindlog.store.sqlite import SqliteStore
from mindlog.testing import faults
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL

WRITERS = 16


def text_of(life: str, writer: int, number: int) -> str:
    return f"{life}-{writer}-{number}"


async def write(bench: Bench, life: str, writer: int) -> None:
    number = 0
    while True:
        text = text_of(life, writer, number)
        request = (text, "p") if number % 2 else None
        persisted = await bench.persist(
            text, request=request, session=f"s{writer}", vectors=bench.vectors(text, 1 + number % 3)
        )
        say("ack", text, persisted.id.slot, persisted.id.version, persisted.lsn)
        if number % 7 == 3:
            edited = await bench.store.edit(bench.edit(bench.get(persisted.id.slot), f"{text} edited"))
            say("edit", text, edited.id.slot, edited.id.version, edited.lsn)
        if number % 11 == 5:
            outcome = await bench.store.forget(bench.number(), [persisted.id.slot])
            say("forget", text, persisted.id.slot, MemoryState.FORGOTTEN, outcome.lsn)
        if number % 13 == 7:
            batch = await bench.fill([f"{text} batch {n}" for n in range(20)], session=f"s{writer}")
            for n, each in enumerate(batch):
                say("ack", f"{text} batch {n}".replace(" ", "_"), each.id.slot, 1, each.lsn)
        number += 1


def say(*words: object) -> None:
    print(*words, flush=True)


async def main(directory: Path, life: str, window: str, after: int) -> None:
    store = SqliteStore.open(directory, model=MODEL)
    bench = Bench(store)
    passes = [after]

    def die() -> None:
        passes[0] -= 1
        if passes[0] < 0:
            faults.kill()

    if window != "any":
        faults.arm(window, die)
    say("open")
    async with asyncio.TaskGroup() as tasks:
        for writer in range(WRITERS):
            tasks.create_task(write(bench, life, writer))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
