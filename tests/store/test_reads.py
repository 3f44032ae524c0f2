"""The read connections: bounded in number and in time, unable to write, usable from any thread."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import numpy as np
import pytest

from mindlog.errors import Busy, Closed, InvalidInput, StoreDamaged
from mindlog.filters import Compare, Filters
from mindlog.store.base import Listing
from mindlog.store.connect import DATABASE
from mindlog.store.reader import ReadPool
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def test_a_read_connection_cannot_write(bench: Bench, tmp_path: Path) -> None:
    pool = ReadPool(tmp_path / "data" / DATABASE, 1, 5.0)
    with pytest.raises(Exception, match="cannot be written"), pool.connection() as connection:
        connection.execute("DELETE FROM datasets")
    pool.close()


def test_a_query_without_end_is_stopped_and_the_connection_goes_on(bench: Bench, tmp_path: Path) -> None:
    pool = ReadPool(tmp_path / "data" / DATABASE, 1, 0.05)
    with pytest.raises(Busy, match="longer than its limit"), pool.connection() as connection:
        connection.execute(ENDLESS).fetchall()
    with pool.connection() as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchall() == [(0,)]
    pool.close()


def test_who_finds_no_free_connection_waits_for_one_and_not_for_ever(bench: Bench, tmp_path: Path) -> None:
    pool = ReadPool(tmp_path / "data" / DATABASE, 1, 0.05)
    with pool.connection(), pytest.raises(Busy, match="in use"), pool.connection():
        raise AssertionError("a second connection was lent")
    pool.close()
    pool.close()
    with pytest.raises(Closed), pool.connection():
        raise AssertionError("a closed pool lent a connection")


async def test_more_readers_than_connections_are_all_served(bench: Bench) -> None:
    slots = [persisted.id.slot for persisted in await bench.fill(f"text {n}" for n in range(16))]
    barrier = threading.Barrier(16)

    def read(number: int) -> str:
        barrier.wait(10)
        return bench.get(slots[number]).text

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(read, range(16))) == [f"text {n}" for n in range(16)]


async def test_a_walk_holds_no_snapshot_between_its_pages(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindlog.store.reads._PAGE_BYTES", 1)
    monkeypatch.setattr("mindlog.store.reads._CATALOG_PAGE", 1)
    slots = [persisted.id.slot for persisted in await bench.fill(["a", "b", "c"])]
    walks = [
        bench.store.catalog(),
        bench.store.index_texts(),
        bench.store.index_vectors(),
        bench.store.index_texts(slots),
    ]
    for walk in walks:
        assert next(walk).slot == slots[0]
    # With a snapshot held, the log could not be cut, and the edit would not be seen.
    await bench.store.edit(bench.edit(bench.get(slots[2]), "edited"))
    await bench.store.checkpoint()
    assert bench.store.stats().wal_bytes == 0
    assert [[(each.slot, each.version) for each in walk] for walk in walks] == [[(slots[1], 1), (slots[2], 2)]] * 4


async def test_a_filter_with_a_lone_surrogate_is_the_callers_error(bench: Bench) -> None:
    await bench.persist("text")
    for filters in (Filters(session=("\ud800",)), Filters(metadata=Compare(key="k", operator="$eq", value="\ud800"))):
        with pytest.raises(InvalidInput):
            bench.store.list_memories(Listing(dataset=bench.number(), filters=filters, limit=1))


async def test_vectors_of_a_wrong_length_are_reported_as_damage(bench: Bench, tmp_path: Path) -> None:
    slot = (await bench.persist("text", states=np.ones((2, 4), dtype=np.int8))).id.slot
    await bench.store.aclose()
    connection = apsw.Connection(str(tmp_path / "data" / DATABASE))
    connection.execute("UPDATE embeddings SET vectors = x'0102', state_width = 3")
    connection.close()
    store = SqliteStore.open(tmp_path / "data", model=MODEL)
    with pytest.raises(StoreDamaged):
        store.vectors([slot])
    with pytest.raises(StoreDamaged):
        store.states([slot])
    with pytest.raises(StoreDamaged):
        list(store.index_vectors())
    store.close()


async def test_vectors_in_other_layouts_are_stored_as_rows_of_float32(bench: Bench) -> None:
    rows = bench.vectors("text", windows=4)
    for given in (np.asfortranarray(rows), rows.astype(np.float64), rows[::-1][::-1], rows.astype(">f4")):
        slot = (await bench.persist("text", dedup=False, vectors=given)).id.slot
        np.testing.assert_array_equal(bench.store.vectors([slot])[slot], rows)
    for bad in (rows[0], rows[:, :3], rows[:0]):
        with pytest.raises(InvalidInput):
            await bench.persist("bad", vectors=bad)
    with pytest.raises(InvalidInput):
        await bench.persist("bad", states=np.ones(3, dtype=np.int8))


async def test_no_states_and_states_of_no_token_are_told_apart(bench: Bench) -> None:
    with_none, empty = [
        (await bench.persist("t", dedup=False, states=states)).id.slot
        for states in (None, np.ones((0, 4), dtype=np.int8))
    ]
    found = bench.store.states([with_none, empty])
    assert list(found) == [empty]
    assert found[empty].shape == (0, 4)


async def test_peek_needs_no_read_connection(tmp_path: Path) -> None:
    """It may run on an event loop: readers that hold every connection do not hold it up."""
    store = SqliteStore.open(tmp_path, model=MODEL, read_deadline=5.0)
    bench = Bench(store)
    memory = bench.new("text", request=("r", "p"))
    await store.persist(memory)
    lent = [store._pool.connection() for _ in range(4)]
    for connection in lent:
        connection.__enter__()
    answer = store.peek("default", memory.request, None)
    assert answer is not None
    assert answer.id.slot == memory.slot
    for connection in lent:
        connection.__exit__(None, None, None)
    await store.aclose()


def test_closing_waits_for_a_read_under_way_and_tells_those_who_wait(bench: Bench, tmp_path: Path) -> None:
    pool = ReadPool(tmp_path / "data" / DATABASE, 1, 10.0)
    with ThreadPoolExecutor(3) as threads:
        with pool.connection() as connection:
            waiting = [threads.submit(pool.connection().__enter__) for _ in range(2)]
            while len(pool._waiting) < 2:
                pass
            closing = threads.submit(pool.close)
            assert [type(each.exception(10)) for each in waiting] == [Closed, Closed]
            assert not closing.done()
            assert connection.execute("SELECT 1").fetchall() == [(1,)]
        assert closing.exception(10) is None
    with pytest.raises(apsw.ConnectionClosedError):
        connection.execute("SELECT 1")


def test_connections_go_to_those_who_wait_in_the_order_they_came(bench: Bench, tmp_path: Path) -> None:
    pool = ReadPool(tmp_path / "data" / DATABASE, 1, 10.0)
    order: list[int] = []

    def read(number: int) -> None:
        with pool.connection():
            order.append(number)

    with ThreadPoolExecutor(5) as threads:
        with pool.connection():
            for number in range(5):
                threads.submit(read, number)
                while len(pool._waiting) <= number:
                    pass
        # Whoever has just given one back comes after those who wait.
        read(5)
    assert order == [0, 1, 2, 3, 4, 5]
    pool.close()
