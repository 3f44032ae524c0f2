"""After the ack everybody finds the memory: by meaning, by word, in every thread, at rank 1."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import mindlog
from mindlog.engine import Engine
from mindlog.records import EncodeRequest
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.faults import Block, armed
from tests.engine.made import BOUND, found, hit_of, keep, keep_all, recall


async def test_a_write_is_the_first_hit_of_the_very_next_recall(engine: Engine) -> None:
    await keep_all(engine, [f"entry {n} of the old log" for n in range(300)])
    for n in range(20):
        memory_id = await keep(engine, f"the keeper saw comet number {n}")
        assert (await found(engine, f"the keeper saw comet number {n}"))[0] == memory_id


async def test_the_newest_of_very_similar_turns_is_found_first_by_its_own_words(engine: Engine) -> None:
    body = (
        "every instrument of the lamp room is within its limits and nothing has to be done before the next round " * 3
    )
    for n in range(30):
        text = f"report {n} {body}"
        memory_id = await keep(engine, text, session="rounds", occurred_at=n * 60_000_000)
        assert (await found(engine, text))[0] == memory_id


async def test_another_thread_finds_it_as_soon_as_the_ack_is_there(tmp_path: Path) -> None:
    with mindlog.open(tmp_path / "data", embedder=HashEmbedder()) as db:
        acks: list[tuple[str, str]] = []
        missed: list[str] = []
        ready, taken = threading.Semaphore(0), threading.Semaphore(0)

        def read() -> None:
            for n in range(30):
                ready.acquire()
                text, memory_id = acks[n]
                if db.recall(text).hits[0].memory.text != text or db.get(memory_id).text != text:
                    missed.append(text)
                taken.release()

        reader = threading.Thread(target=read)
        reader.start()
        for n in range(30):
            text = f"observation {n}: gull {n * n}"
            acks.append((text, db.encode(text).memory_id))
            ready.release()
            assert taken.acquire(timeout=BOUND)
        reader.join(BOUND)
        assert not missed


async def test_nothing_is_visible_before_it_is_committed(engine: Engine) -> None:
    await keep(engine, "a known memory")
    block = Block()
    with armed("in_transaction", block):
        writer = asyncio.create_task(engine.encode(EncodeRequest(text="the unfinished memory")))
        await asyncio.to_thread(block.entered.wait, BOUND)
        assert len(await found(engine, "the unfinished memory")) == 1
        assert len((await engine.list_memories()).data) == 1
        block.release()
    memory_id = (await writer).memory_id
    assert (await found(engine, "the unfinished memory"))[0] == memory_id


async def test_what_was_written_before_is_found_by_word_and_by_meaning_in_both_lanes(engine: Engine) -> None:
    memory_id = await keep(engine, "the compressor of the fog signal turns by hand")
    hit = hit_of(await recall(engine, "compressor"), memory_id)
    assert set(hit.lanes) == {"semantic", "lexical"}
    assert {lane.rank for lane in hit.lanes.values()} == {1}


@pytest.mark.parametrize("request_id", [None, "R"])
async def test_a_repeated_write_is_acknowledged_only_when_the_memory_can_be_found(
    engine: Engine, request_id: str | None
) -> None:
    await engine.put_dataset("default")
    request = EncodeRequest(text="said twice", request_id=request_id)
    block = Block()
    with armed("after_commit_before_listeners", block):
        first = asyncio.create_task(engine.encode(request))
        assert await asyncio.to_thread(block.entered.wait, BOUND)
        second = asyncio.create_task(engine.encode(request))
        for _ in range(10):  # enough for what does not wait
            await asyncio.sleep(0)
        told_too_early = second.done()
        block.release()
    assert (await second).memory_id == (await first).memory_id
    assert not told_too_early
