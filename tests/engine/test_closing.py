"""Closing: every write under way is acknowledged or refused, the directory is free, and reopening agrees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import apsw
import pytest

from mindlog.engine import Engine
from mindlog.errors import Closed, StoreFull, StoreLocked
from mindlog.records import EditRequest, EncodeRequest, EncodeResult, RecallRequest, Scope
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.faults import Block, armed, raising
from tests.engine.made import BOUND, everything, found, keep, opened

GONE = "mem_0000000000000G000004000000"

VERBS: dict[str, Callable[[Engine], Coroutine[Any, Any, Any]]] = {
    "encode": lambda e: e.encode(EncodeRequest(text="x")),
    "encode_batch": lambda e: e.encode_batch([EncodeRequest(text="x")]),
    "edit": lambda e: e.edit(EditRequest(memory_id=GONE, text="y")),
    "forget": lambda e: e.forget([GONE]),
    "restore": lambda e: e.restore(GONE),
    "recall": lambda e: e.recall(RecallRequest(cue="x")),
    "get": lambda e: e.get(GONE),
    "list_memories": lambda e: e.list_memories(),
    "put_dataset": lambda e: e.put_dataset("d"),
    "datasets": lambda e: e.datasets(),
    "create_key": lambda e: e.create_key("k", scopes=[Scope.READ]),
    "keys": lambda e: e.keys(),
    "revoke_key": lambda e: e.revoke_key("key_0"),
    "health": lambda e: e.health(),
}


async def test_after_close_every_verb_says_closed(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        await keep(engine, "x")
    outcomes = {name: (await asyncio.gather(verb(engine), return_exceptions=True))[0] for name, verb in VERBS.items()}
    assert {name: type(outcome) for name, outcome in outcomes.items()} == dict.fromkeys(VERBS, Closed)
    await engine.aclose()


@pytest.mark.parametrize("acks", [0, 1, 40, 150])
async def test_every_write_under_way_is_acknowledged_or_refused_and_reopening_agrees(tmp_path: Path, acks: int) -> None:
    enough = asyncio.Event()
    results: list[EncodeResult] = []
    refused: list[str] = []

    async def write(engine: Engine, text: str) -> None:
        try:
            results.append(await engine.encode(EncodeRequest(text=text)))
        except Closed:
            refused.append(text)
        if len(results) >= acks:
            enough.set()

    async with opened(tmp_path) as engine, asyncio.TaskGroup() as tasks:
        for n in range(200):
            tasks.create_task(write(engine, f"text {n}"))
        if acks:
            await asyncio.wait_for(enough.wait(), BOUND)
        await engine.aclose()
    assert len(results) + len(refused) == 200
    assert len(results) >= acks
    async with opened(tmp_path) as engine:
        memories = {str(memory.id): memory.text for memory in await everything(engine)}
        assert {result.memory_id for result in results} <= set(memories)
        assert not engine.indexes.audit(engine.store)


async def test_a_write_the_writer_has_begun_is_finished(tmp_path: Path) -> None:
    block = Block()
    async with opened(tmp_path) as engine:
        with armed("in_transaction", block):
            writing = asyncio.create_task(keep(engine, "begun"))
            assert await asyncio.to_thread(block.entered.wait, BOUND)
            closing = asyncio.create_task(engine.aclose())
            await asyncio.sleep(0)
            assert not closing.done()
            block.release()
        memory_id = await asyncio.wait_for(writing, BOUND)
        await asyncio.wait_for(closing, BOUND)
    async with opened(tmp_path) as engine:
        assert (await engine.get(memory_id)).text == "begun"


async def test_a_write_in_the_embedder_is_refused_not_lost_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = HashEmbedder()
    async with opened(tmp_path, embedder) as engine:
        store_closed = asyncio.Event()
        close_store = engine.store.aclose

        async def close() -> None:
            await close_store()
            store_closed.set()

        monkeypatch.setattr(engine.store, "aclose", close)
        with embedder.held() as entered:
            writing = asyncio.create_task(keep(engine, "too late"))
            await asyncio.wait_for(entered.wait(), BOUND)
            closing = asyncio.create_task(engine.aclose())
            await asyncio.wait_for(store_closed.wait(), BOUND)
        with pytest.raises(Closed):
            await asyncio.wait_for(writing, BOUND)
        await asyncio.wait_for(closing, BOUND)
        assert embedder.closed


async def test_recalls_under_way_end_with_an_answer_or_closed(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        for n in range(50):
            await keep(engine, f"memory {n}")
        recalls = [asyncio.create_task(found(engine, f"memory {n}", limit=50)) for n in range(40)]
        await asyncio.wait(recalls, return_when=asyncio.FIRST_COMPLETED, timeout=BOUND)
        await engine.aclose()
        outcomes = await asyncio.wait_for(asyncio.gather(*recalls, return_exceptions=True), BOUND)
    answers = [each for each in outcomes if isinstance(each, list)]
    assert answers
    assert all(len(answer) == 50 for answer in answers)
    assert all(isinstance(each, list | Closed) for each in outcomes), outcomes


async def test_every_closer_waits_until_the_directory_is_free(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    engine = await Engine.open(settings, embedder=HashEmbedder())
    with pytest.raises(StoreLocked):
        await Engine.open(settings, embedder=HashEmbedder())
    first, second = asyncio.create_task(engine.aclose()), asyncio.create_task(engine.aclose())
    await asyncio.wait({first, second}, return_when=asyncio.FIRST_COMPLETED)
    async with await Engine.open(settings, embedder=HashEmbedder()):
        await asyncio.wait_for(asyncio.gather(first, second), BOUND)


async def test_a_closer_that_is_cancelled_does_not_leave_the_engine_half_closed(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    engine = await Engine.open(settings, embedder=HashEmbedder())
    closer = asyncio.create_task(engine.aclose())
    await asyncio.sleep(0)
    closer.cancel()
    await asyncio.wait({closer})
    await asyncio.wait_for(engine.aclose(), BOUND)
    async with await Engine.open(settings, embedder=HashEmbedder()):
        pass


async def test_a_disk_that_is_full_while_closing_does_not_keep_the_directory(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    engine = await Engine.open(settings, embedder=HashEmbedder())
    _, secret = await engine.create_key("k", scopes=[Scope.READ])
    assert engine.authenticate(secret) is not None  # its use is written down on closing
    with armed("in_transaction", raising(apsw.FullError)), pytest.raises(StoreFull):
        await engine.aclose()
    async with await Engine.open(settings, embedder=HashEmbedder()) as again:
        assert again.authenticate(secret) is not None


async def test_upkeep_that_fails_is_tried_again_and_closing_is_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindlog.engine._UPKEEP_SECONDS", 0.005)
    async with opened(tmp_path) as engine:
        _, secret = await engine.create_key("k", scopes=[Scope.READ])
        tried, written = asyncio.Event(), asyncio.Event()
        touch_keys = engine.store.touch_keys

        async def failing_once(used: Any) -> None:
            if not tried.is_set():
                tried.set()
                raise StoreFull
            await touch_keys(used)
            written.set()

        monkeypatch.setattr(engine.store, "touch_keys", failing_once)
        assert engine.authenticate(secret) is not None
        await asyncio.wait_for(written.wait(), BOUND)
        (key,) = await engine.keys()
        assert key.last_used_at is not None


async def test_an_engine_that_cannot_open_lets_go_of_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=tmp_path / "data")
    embedder = HashEmbedder()
    with armed("in_transaction", raising(apsw.FullError)), pytest.raises(StoreFull):
        await Engine.open(settings, embedder=embedder)
    assert not embedder.closed  # it is the caller's
    async with await Engine.open(settings, embedder=embedder) as engine:
        assert (await engine.health()).ready
