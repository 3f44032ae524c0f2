"""A caller that leaves, at whatever moment: the memory is whole or not there, and the engine goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from typing import Any

import pytest

from mindlog.engine import Engine
from mindlog.errors import MindlogError
from mindlog.records import EditRequest, EncodeRequest, RecallRequest
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.faults import WINDOWS, Block, armed
from tests.engine.made import BOUND, acked, everything, found, keep

WRITE_WINDOWS = ["in_transaction", "after_commit_before_listeners", "after_commit_before_ack"]


async def cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, BOUND)


async def cancelled_in(window: str, call: Coroutine[Any, Any, Any]) -> None:
    """Runs the call until the writer is in the window, cancels it, and lets the writer go on."""
    block = Block()
    with armed(window, block):
        task = asyncio.create_task(call)
        assert await asyncio.to_thread(block.entered.wait, BOUND)
        await cancel(task)
        block.release()


async def cancelled_while(waiting: AbstractContextManager[asyncio.Event], call: Coroutine[Any, Any, Any]) -> None:
    with waiting as entered:
        task = asyncio.create_task(call)
        await asyncio.wait_for(entered.wait(), BOUND)
        await cancel(task)


def test_the_windows_of_a_write_exist() -> None:
    assert set(WRITE_WINDOWS) <= set(WINDOWS)


async def test_a_writer_cancelled_in_the_embedder_leaves_nothing(engine: Engine, embedder: HashEmbedder) -> None:
    request = EncodeRequest(text="left in the embedder", request_id="R")
    await cancelled_while(embedder.held(), engine.encode(request))
    assert not await everything(engine)
    again = await engine.encode(request)
    assert not again.was_replayed
    assert await found(engine, "left in the embedder") == [again.memory_id]


@pytest.mark.parametrize("window", WRITE_WINDOWS)
async def test_a_writer_cancelled_while_committing_has_written_all_or_nothing(engine: Engine, window: str) -> None:
    request = EncodeRequest(text="left while committing", request_id="R", metadata={"a": 1})
    await cancelled_in(window, engine.encode(request))
    again = await engine.encode(request)
    (memory,) = await everything(engine)
    assert again.memory_id == str(memory.id)
    assert (memory.text, memory.metadata) == ("left while committing", {"a": 1})
    await keep(engine, "a later write")  # the indexes hear of the first one before this
    assert (await found(engine, "left while committing"))[0] == again.memory_id


async def test_a_batch_cancelled_in_the_embedder_leaves_whole_memories_only(
    engine: Engine, embedder: HashEmbedder
) -> None:
    known = [f"known {n}" for n in range(5)]
    for text in known:
        await keep(engine, text, dataset="other")  # their vectors are cached, so they arrive at the gate
    requests = [EncodeRequest(text=text) for text in [*known, "not embedded yet"]]
    await cancelled_while(embedder.held(), engine.encode_batch(requests))
    outcomes = [acked(outcome) for outcome in await asyncio.wait_for(engine.encode_batch(requests), BOUND)]
    memories = await everything(engine)
    assert {str(memory.id) for memory in memories} == {outcome.memory_id for outcome in outcomes}
    assert sorted(memory.text for memory in memories) == sorted([*known, "not embedded yet"])


@pytest.mark.parametrize("window", WRITE_WINDOWS)
async def test_a_batch_cancelled_while_committing_is_whole(engine: Engine, window: str) -> None:
    requests = [EncodeRequest(text=f"item {n}", request_id=f"r{n}") for n in range(30)]
    await cancelled_in(window, engine.encode_batch(requests))
    again = [acked(outcome) for outcome in await engine.encode_batch(requests)]
    assert all(outcome.was_replayed for outcome in again)
    assert {str(memory.id) for memory in await everything(engine)} == {outcome.memory_id for outcome in again}


async def test_an_edit_cancelled_in_the_embedder_changed_nothing(engine: Engine, embedder: HashEmbedder) -> None:
    memory_id = await keep(engine, "ten seconds")
    await cancelled_while(embedder.held(), engine.edit(EditRequest(memory_id=memory_id, text="fifteen seconds")))
    assert (await engine.get(memory_id)).is_current
    assert (await engine.edit(EditRequest(memory_id=memory_id, text="twelve seconds"))).memory_id != memory_id


@pytest.mark.parametrize("window", WRITE_WINDOWS)
async def test_an_edit_cancelled_while_committing_is_whole(engine: Engine, window: str) -> None:
    memory_id = await keep(engine, "ten seconds", metadata={"unit": "s"})
    await cancelled_in(window, engine.edit(EditRequest(memory_id=memory_id, text="fifteen seconds")))
    await keep(engine, "a later write")  # the writer has done the edit before this
    (edited,) = [memory for memory in await everything(engine) if memory.id.version == 2]
    assert (edited.text, edited.metadata, edited.is_current) == ("fifteen seconds", {"unit": "s"}, True)
    assert (await found(engine, "fifteen seconds"))[0] == str(edited.id)


@pytest.mark.parametrize("verb", ["forget", "restore"])
async def test_a_forget_or_restore_cancelled_while_committing_is_whole(engine: Engine, verb: str) -> None:
    memory_id = await keep(engine, "a secret")
    if verb == "restore":
        await engine.forget([memory_id])
    verbs: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
        "forget": lambda: engine.forget([memory_id]),
        "restore": lambda: engine.restore(memory_id),
    }
    await cancelled_in("in_transaction", verbs[verb]())
    await keep(engine, "a later write")
    assert (memory_id in await found(engine, "a secret")) is (verb == "restore")


async def test_a_cancelled_recall_takes_nothing_with_it(engine: Engine, embedder: HashEmbedder) -> None:
    memory_id = await keep(engine, "the watch runs")
    for _ in range(20):  # more than there are threads and read connections
        task = asyncio.create_task(engine.recall(RecallRequest(cue="the watch runs")))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
    await cancelled_while(embedder.held(), engine.recall(RecallRequest(cue="a cue that is new")))
    assert await found(engine, "the watch runs") == [memory_id]


async def test_a_batch_whose_write_fails_as_a_whole_fails_and_does_not_hang(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(memories: object) -> object:
        raise RuntimeError("a fault of another kind")

    monkeypatch.setattr(engine.store, "persist_many", broken)
    with pytest.raises(RuntimeError, match="another kind"):
        await asyncio.wait_for(engine.encode_batch([EncodeRequest(text=f"t{n}") for n in range(3)]), BOUND)
    monkeypatch.undo()
    outcomes = await asyncio.wait_for(engine.encode_batch([EncodeRequest(text="t1")]), BOUND)
    assert not isinstance(outcomes[0], MindlogError)
