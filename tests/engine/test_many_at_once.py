"""Many writers, many readers, a slow model, a second process: nobody waits for the wrong thing, nobody sees a lock."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import numpy as np
import pytest

import mindlog
from mindlog.engine import Engine
from mindlog.errors import MindlogError
from mindlog.records import EncodeRequest, RecallRequest
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.faults import Block, armed
from tests.engine.made import BOUND, everything, found, keep, keep_all, opened


def test_eight_writers_and_eight_readers_meet_no_error_and_lose_nothing(tmp_path: Path) -> None:
    with mindlog.open(tmp_path / "data", embedder=HashEmbedder(), readers=4) as db:
        db.encode("the first memory")
        writing = threading.Event()
        writing.set()

        def write(writer: int) -> list[str]:
            return [db.encode(f"writer {writer} memory {n}").memory_id for n in range(60)]

        def read(reader: int) -> int:
            rounds = 0
            while writing.is_set() or not rounds:
                hits = db.recall(f"memory {reader}", limit=5).hits
                assert hits
                assert db.get(str(hits[0].memory.id)).text == hits[0].memory.text
                assert db.list(limit=5).data
                rounds += 1
            return rounds

        with ThreadPoolExecutor(16) as threads:
            readers = [threads.submit(read, n) for n in range(8)]
            writers = [threads.submit(write, n) for n in range(8)]
            ids = [memory_id for writer in writers for memory_id in writer.result(60)]
            writing.clear()
            assert all(reader.result(60) for reader in readers)
        assert len(set(ids)) == 480
        assert {str(memory.id) for memory in db.iterate()} >= set(ids)


async def test_the_loop_goes_on_while_the_embedder_hangs(engine: Engine, embedder: HashEmbedder) -> None:
    memory_id = await keep(engine, "a memory that is there")
    with embedder.held() as entered:
        slow = asyncio.create_task(engine.encode(EncodeRequest(text="a slow text")))
        await asyncio.wait_for(entered.wait(), BOUND)
        async with asyncio.timeout(BOUND):
            for _ in range(50):
                assert (await engine.health()).ready
            assert (await engine.get(memory_id)).text == "a memory that is there"
            vector = np.ones(engine.embedder.dimensions)
            request = EncodeRequest(text="given", vector=vector, embedding_model=engine.embedder.fingerprint)
            assert (await engine.encode(request)).memory_id
            # The cue's vector is cached: a recall of a known cue does not need the hanging model either.
        assert not slow.done()
    await slow


async def test_the_loop_goes_on_while_a_recall_searches(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    await keep(engine, "a memory")
    searching, release = threading.Event(), threading.Event()
    view = engine.indexes.view

    def slow_view() -> object:
        searching.set()
        assert release.wait(BOUND)
        return view()

    monkeypatch.setattr(engine.indexes, "view", slow_view)
    recalling = asyncio.create_task(engine.recall(RecallRequest(cue="a memory")))
    assert await asyncio.to_thread(searching.wait, BOUND)
    second = await asyncio.wait_for(keep(engine, "another memory"), BOUND)
    assert not recalling.done()
    release.set()
    result = await asyncio.wait_for(recalling, BOUND)
    assert second in {str(hit.memory.id) for hit in result.hits}


async def test_a_reader_in_the_middle_of_a_write_waits_for_nothing(engine: Engine) -> None:
    await keep(engine, "here before")
    block = Block()
    with armed("in_transaction", block):
        writer = asyncio.create_task(engine.encode(EncodeRequest(text="under way")))
        assert await asyncio.to_thread(block.entered.wait, BOUND)
        async with asyncio.timeout(BOUND):
            assert len(await found(engine, "here")) == 1
            assert len(await everything(engine)) == 1
        block.release()
    await writer


async def test_a_write_does_the_same_work_in_a_small_store_and_in_a_large_one(tmp_path: Path) -> None:
    steps = _count_steps()
    async with opened(tmp_path) as engine:
        small = await _work_of_writes(engine, steps, "small")
        vector = np.ones(engine.embedder.dimensions)
        model = engine.embedder.fingerprint
        for start in range(0, 8_000, 1000):
            part = [
                EncodeRequest(text=f"filler {n}", session=f"s{n % 50}", vector=vector, embedding_model=model)
                for n in range(start, start + 1000)
            ]
            assert not [o for o in await engine.encode_batch(part) if isinstance(o, MindlogError)]
        large = await _work_of_writes(engine, steps, "large")
    assert large <= 2 * small, (small, large)


def _count_steps() -> list[int]:
    """Counts SQLite's instructions, in hundreds, of every connection opened from here on."""
    counted = [0]

    def step() -> bool:
        counted[0] += 1
        return False

    _hooks.append(lambda connection: connection.set_progress_handler(step, 100))
    return counted


_hooks = apsw.connection_hooks


@pytest.fixture(autouse=True)
def _no_hook_stays() -> object:
    before = list(_hooks)
    yield
    _hooks[:] = before


async def _work_of_writes(engine: Engine, steps: list[int], name: str) -> int:
    await keep_all(engine, [f"{name} warm {n}" for n in range(20)])
    before = steps[0]
    for n in range(100):
        await keep(engine, f"{name} measured {n}", session="s1")
    return steps[0] - before
