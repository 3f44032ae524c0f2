"""Group commit: what is shared, what fails alone, when callers are told, and that nothing piles up."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from mindlog.errors import Closed, InvalidInput, StoreError, StoreFull
from mindlog.records import NewMemory, Persisted
from mindlog.store.base import Change
from mindlog.store.checkpoint import Checkpointer
from mindlog.store.connect import DATABASE
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.faults import Block, armed, raising
from tests.store.made import MODEL, HandClock


@dataclass(frozen=True, kw_only=True)
class Tuning:
    write_queue: int = 8192
    group_commit: int = 512
    readers: int = 2


async def entered(block: Block) -> None:
    assert await asyncio.to_thread(block.entered.wait, 10)


async def test_writes_that_wait_together_are_committed_together(bench: Bench) -> None:
    groups: list[int] = []
    bench.store.on_commit(lambda changes: groups.append(len(changes)))
    block = Block()
    with armed("after_commit_before_ack", block):
        first = asyncio.ensure_future(bench.persist("first"))
        await entered(block)
        rest = [asyncio.ensure_future(bench.persist(f"text {n}")) for n in range(100)]
        await asyncio.sleep(0)
        block.release()
        await asyncio.gather(first, *rest)
    assert groups == [1, 100]


async def test_a_group_is_no_larger_than_the_setting(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, model=MODEL, settings=Tuning(group_commit=16))
    groups: list[int] = []
    store.on_commit(lambda changes: groups.append(len(changes)))
    await Bench(store).fill(f"text {n}" for n in range(100))
    assert (sum(groups), max(groups)) == (100, 16)
    await store.aclose()


async def test_no_caller_is_told_before_the_commit_nor_before_the_listeners(bench: Bench) -> None:
    heard = threading.Event()
    bench.store.on_commit(lambda changes: heard.set())
    for window, listeners_know in (("in_transaction", False), ("after_commit_before_ack", True)):
        heard.clear()
        block = Block()
        with armed(window, block):
            write = asyncio.ensure_future(bench.persist(window))
            await entered(block)
            await asyncio.sleep(0)
            assert not write.done()
            assert heard.is_set() is listeners_know
            block.release()
            persisted = await write
        assert heard.is_set()
        assert bench.get(persisted.id.slot).text == window


async def test_what_is_not_committed_is_not_visible_and_what_is_is(bench: Bench) -> None:
    memory = bench.new("text")
    for window, visible in (("in_transaction", False), ("after_commit_before_listeners", True)):
        block = Block()
        with armed(window, block):
            write = asyncio.ensure_future(bench.store.persist(memory))
            await entered(block)
            assert (bench.store.memory(memory.slot) is not None) is visible
            # Visible is not yet findable: a repeated write is answered once the listeners have heard of it.
            assert bench.store.peek("default", None, memory.dedup_key) is None
            block.release()
            await write
        memory = bench.new("another text")


async def test_a_group_that_fails_once_is_done_again_whole_and_in_order(bench: Bench) -> None:
    changes: list[Change] = []
    bench.store.on_commit(changes.extend)
    memories = [bench.new(f"text {n}", request=(f"r{n}", "p")) for n in range(64)]
    with armed("in_transaction", raising(StoreFull, times=1)):
        outcomes = await bench.store.persist_many(memories)
    lsns = [outcome.lsn for outcome in outcomes if isinstance(outcome, Persisted)]
    assert lsns == list(range(2, 66)) == [change.row.lsn for change in changes]
    assert [row.lsn for row in bench.store.log(1, 100)] == list(range(1, 66))


async def test_a_write_that_always_fails_gets_its_error_and_takes_nothing_with_it(bench: Bench) -> None:
    with armed("in_transaction", raising(StoreFull)):
        outcomes = await bench.store.persist_many([bench.new(f"lost {n}") for n in range(10)])
        with pytest.raises(StoreFull):
            await bench.persist("lost 3")
    assert {type(outcome) for outcome in outcomes} == {StoreFull}
    # Neither a dataset, nor a dedup key, nor an LSN, nor a slot remembers the failed writes.
    assert (bench.store.last_lsn, bench.store.datasets(), list(bench.store.catalog())) == (0, [], [])
    assert (await bench.persist("lost 3")).lsn == 2


async def test_an_operation_that_is_not_a_memory_reaches_its_caller_as_an_error(bench: Bench) -> None:
    with pytest.raises(AttributeError):
        await bench.store.persist(None)  # pyright: ignore[reportArgumentType]
    outcomes = await bench.store.persist_many([bench.new("good"), None])  # pyright: ignore[reportArgumentType]
    assert [type(outcome) for outcome in outcomes] == [Persisted, StoreError]
    assert (await bench.persist("after")).lsn == 3


async def test_a_number_beyond_64_bits_is_the_callers_error(bench: Bench) -> None:
    with pytest.raises(InvalidInput, match="64 bits"):
        await bench.persist("text", occurred_at=2**63)
    await bench.persist("text")
    with pytest.raises(InvalidInput, match="64 bits"):
        await bench.store.forget(bench.number(), [2**63])
    with pytest.raises(InvalidInput, match="64 bits"):
        bench.store.memory_as_of(1, 2**63)


async def test_callers_wait_at_a_full_queue_and_nothing_is_lost(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, model=MODEL, settings=Tuning(write_queue=16))
    bench = Bench(store)
    block = Block()
    with armed("after_commit_before_ack", block):
        writes = [asyncio.ensure_future(bench.persist(f"text {n}")) for n in range(200)]
        await entered(block)
        for _ in range(10):
            await asyncio.sleep(0)
        assert store.stats().queue < 16
        # A caller that gives up at the door has written nothing.
        writes[150].cancel()
        block.release()
        done = await asyncio.gather(*writes, return_exceptions=True)
    assert isinstance(done[150], asyncio.CancelledError)
    assert sorted(each.text for each in store.index_texts()) == sorted(f"text {n}" for n in range(200) if n != 150)
    await store.aclose()


async def test_a_caller_that_is_cancelled_while_its_write_is_under_way_leaves_a_whole_memory(bench: Bench) -> None:
    block = Block()
    memory = bench.new("cancelled")
    with armed("in_transaction", block):
        write = asyncio.ensure_future(bench.store.persist(memory))
        await entered(block)
        write.cancel()
        with pytest.raises(asyncio.CancelledError):
            await write
        block.release()
        await bench.persist("next")
    assert bench.get(memory.slot).text == "cancelled"
    assert next(each.slot for each in bench.store.index_vectors()) == memory.slot


def test_a_loop_that_is_gone_does_not_stop_the_writer(bench: Bench) -> None:
    block = Block()

    async def leave() -> None:
        write = asyncio.ensure_future(bench.persist("left"))
        await entered(block)
        write.cancel()

    with armed("after_commit_before_ack", block):
        asyncio.run(leave())
        block.release()
    assert asyncio.run(bench.persist("next")).lsn == 3


async def test_closing_finishes_what_is_under_way_and_refuses_what_waits_at_the_door(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, model=MODEL, settings=Tuning(write_queue=4))
    bench = Bench(store)
    block = Block()
    with armed("in_transaction", block):
        early = [asyncio.ensure_future(bench.persist(f"early {n}")) for n in range(4)]
        await entered(block)
        at_the_door = asyncio.ensure_future(bench.persist("at the door"))
        await asyncio.sleep(0)
        closing = asyncio.ensure_future(store.aclose())
        # Let go only when the queue is closed: a write by another loop, which has room of its own, is refused then.
        while await asyncio.to_thread(lambda: asyncio.run(accepted(bench))):
            pass
        block.release()
        await closing
    assert [each.lsn for each in await asyncio.gather(*early)] == [2, 3, 4, 5]
    with pytest.raises(Closed):
        await at_the_door


async def accepted(bench: Bench) -> bool:
    """Whether the store still takes writes; does not wait for the write."""
    write = asyncio.ensure_future(bench.persist("probe"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    if write.done():
        assert isinstance(write.exception(), Closed)
        return False
    write.cancel()
    return True


async def test_a_writer_that_dies_fails_its_callers_instead_of_leaving_them(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    died: list[BaseException | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: died.append(args.exc_value))
    with armed("after_commit_before_ack", raising(MemoryError)):
        outcomes = await asyncio.gather(*(bench.persist(f"text {n}") for n in range(5)), return_exceptions=True)
    # Who had handed over is told that the writer has stopped, who comes later that the store is closed.
    assert type(outcomes[0]) is StoreError
    assert {type(outcome) for outcome in outcomes} <= {StoreError, Closed}
    await asyncio.to_thread(bench.store._writer._thread.join, 10)
    assert [type(error) for error in died] == [MemoryError]
    with pytest.raises(Closed):
        await bench.persist("later")


async def test_the_log_is_folded_at_its_size_and_never_grows_far_beyond_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Checkpointer.__init__, "__defaults__", (64,))
    store = SqliteStore.open(tmp_path, model=MODEL)
    bench = Bench(store)
    sizes: list[int] = []

    def look(changes: Sequence[Change]) -> None:
        sizes.append(store.stats().wal_bytes)

    store.on_commit(look)
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            assert len(store.memories(range(1, 200))) <= 200
            list(store.catalog())

    reader = asyncio.ensure_future(asyncio.to_thread(read))
    for n in range(60):
        await bench.fill(f"text {n} {k}" for k in range(20))
    stop.set()
    await reader
    assert max(sizes) < 4 * 64 * 4120
    await store.checkpoint()
    assert store.stats().wal_bytes == 0
    await store.aclose()
    assert sorted(os.listdir(tmp_path)) == ["LOCK", DATABASE]


async def test_the_moment_of_a_group_is_the_clocks(tmp_path: Path) -> None:
    clock = HandClock()
    store = SqliteStore.open(tmp_path, model=MODEL, clock=clock)
    bench = Bench(store)
    first = await bench.persist("text")
    assert first.persisted_at == clock.at == bench.get(first.id.slot).occurred_at
    clock.at -= 1000
    second = await store.edit(bench.edit(bench.get(first.id.slot), "later"))
    # A clock that is set back makes no revision older than the one it replaces.
    assert second.persisted_at == first.persisted_at
    now = store.memory_as_of(first.id.slot, first.persisted_at)
    assert now is not None
    assert now.text == "later"
    await store.aclose()


async def test_a_batch_of_ten_thousand_is_one_call(bench: Bench) -> None:
    memories: list[NewMemory] = [bench.new(f"text {n}", dedup=False) for n in range(10_000)]
    outcomes = await bench.store.persist_many(memories)
    assert [o.lsn for o in outcomes if isinstance(o, Persisted)] == list(range(2, 10_002))
