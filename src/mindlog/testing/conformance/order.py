"""Checks of order: LSNs without a gap, the log, and what commit listeners hear."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from mindlog.errors import InvalidInput, MindlogError
from mindlog.records import MemoryState
from mindlog.store.base import CatalogRow, Change
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused, together

__all__ = ["CHECKS"]


async def lsns_have_no_gap_under_concurrency_and_failures(open_store: Opener) -> None:
    """Refused writes between committed ones take no LSN; every change has the LSN it was answered with."""

    async def write(bench: Bench, number: int) -> int | None:
        if number % 5 == 4:
            bad = bench.new(f"bad {number}", vectors=np.ones((1, 3), dtype=np.float32))
            with refused(InvalidInput):
                await bench.store.persist(bad)
            return None
        return (await bench.persist(f"text {number}")).lsn

    async with opened(open_store) as bench:
        start = bench.store.last_lsn
        given = await together(write(bench, number) for number in range(200))
        rows = bench.store.log(1, 1000)
        assert [row.lsn for row in rows] == list(range(1, bench.store.last_lsn + 1))
        encoded = [row.lsn for row in rows if row.type == "memory_encoded"]
        assert sorted(lsn for lsn in given if lsn is not None) == encoded
        assert bench.store.last_lsn > start
        last = bench.store.last_lsn
    async with opened(open_store) as bench:
        assert bench.store.last_lsn == last
        assert (await bench.persist("next")).lsn == last + 1


async def the_log_tells_every_change_in_order(open_store: Opener) -> None:
    """Each change is one entry with its dataset, slot and version; pages go on from any LSN."""
    async with opened(open_store) as bench:
        persisted = await bench.persist("first")
        slot, dataset = persisted.id.slot, bench.number()
        await bench.store.edit(bench.edit(bench.get(slot), "second"))
        await bench.store.forget(dataset, [slot])
        await bench.store.restore(dataset, [slot], 0)
        await bench.store.put_dataset("other", "Asia/Kolkata")
        rows = bench.store.log(1, 100)
        assert [(row.type, row.slot, row.version) for row in rows] == [
            ("dataset_created", None, None),
            ("memory_encoded", slot, 1),
            ("memory_edited", slot, 2),
            ("memory_forgotten", slot, 2),
            ("memory_restored", slot, 2),
            ("dataset_created", None, None),
        ]
        assert {row.dataset for row in rows[:5]} == {dataset}
        assert rows[5].payload == {"name": "other", "timezone": "Asia/Kolkata"}
        assert bench.store.log(3, 2) == rows[2:4]
        assert bench.store.log(rows[-1].lsn + 1, 10) == []


async def listeners_hear_of_changes_before_the_ack_and_in_order(open_store: Opener) -> None:
    """When a write returns, its change has been heard, with everything an index needs."""
    heard: list[Change] = []
    async with opened(open_store) as bench:
        bench.store.on_commit(heard.extend)

        async def write(number: int) -> None:
            persisted = await bench.persist(f"text {number}", agent=f"agent {number}")
            change = next(change for change in heard if change.row.slot == persisted.id.slot)
            assert (change.row.lsn, change.row.version, change.text) == (persisted.lsn, 1, f"text {number}")
            assert (change.row.agent, change.row.state) == (f"agent {number}", MemoryState.LIVE)
            assert change.vectors is not None
            np.testing.assert_array_equal(change.vectors, bench.vectors(f"text {number}"))

        await together(write(number) for number in range(100))
        assert [change.row.lsn for change in heard] == sorted(change.row.lsn for change in heard)
        assert len(heard) == 100
        await bench.persist("text 1", agent="agent 1")  # deduplicated: no change
        assert len(heard) == 100


async def the_changes_add_up_to_the_catalog(open_store: Opener) -> None:
    """Whoever applies every change holds the very rows, texts and vectors that the store's walks give."""
    rows: dict[int, CatalogRow] = {}
    texts: dict[int, str] = {}
    vectors: dict[int, bytes] = {}

    def apply(changes: Sequence[Change]) -> None:
        for change in changes:
            rows[change.row.slot] = change.row
            if change.text is not None and change.vectors is not None:
                texts[change.row.slot] = change.text
                vectors[change.row.slot] = change.vectors.tobytes()

    async with opened(open_store) as bench:
        bench.store.on_commit(apply)
        written = await bench.fill([f"text {n}" for n in range(20)], session="s", metadata={"n": 1})
        slots = [persisted.id.slot for persisted in written]
        await bench.store.edit(bench.edit(bench.get(slots[0]), "new words", metadata={"n": 2}))
        await bench.store.edit(bench.edit(bench.get(slots[1]), salience=0.1))
        await bench.store.forget(bench.number(), slots[2:6])
        await bench.store.restore(bench.number(), slots[2:4], 0)
    async with opened(open_store) as bench:
        assert list(bench.store.catalog()) == [rows[slot] for slot in sorted(rows)]
        assert {each.slot: each.text for each in bench.store.index_texts()} == texts
        assert {each.slot: each.vectors.tobytes() for each in bench.store.index_vectors()} == vectors


async def a_listener_that_fails_does_not_undo_the_commit(open_store: Opener) -> None:
    """The memory is durable when the listener hears of it: the write is acknowledged, later ones go on."""

    def broken(changes: Sequence[Change]) -> None:
        raise ZeroDivisionError

    heard: list[Change] = []
    async with opened(open_store) as bench:
        bench.store.on_commit(broken)
        bench.store.on_commit(heard.extend)
        first = await bench.persist("first")
        second = await bench.persist("second")
        assert [change.row.lsn for change in heard] == [first.lsn, second.lsn]


async def writes_from_several_event_loops_are_all_answered(open_store: Opener) -> None:
    """Each loop gets its own results; order and uniqueness hold across them."""

    async def write(bench: Bench, loop: int) -> list[int]:
        return [persisted.lsn for persisted in await together(bench.persist(f"{loop} {n}") for n in range(20))]

    def run(bench: Bench, loop: int) -> list[int]:
        return asyncio.run(write(bench, loop))

    async with opened(open_store) as bench:
        runs = [asyncio.to_thread(run, bench, loop) for loop in range(3)]
        lsns = [lsn for part in await together(runs) for lsn in part]
        assert sorted(lsns) == [row.lsn for row in bench.store.log(1, 1000) if row.type == "memory_encoded"]


async def an_unserialisable_value_is_refused_and_the_store_goes_on(open_store: Opener) -> None:
    """Metadata that JSON cannot carry fails its own write with an error of the caller's."""
    async with opened(open_store) as bench:
        for value in (float("nan"), float("inf"), object(), "\ud800"):
            with refused(InvalidInput):
                await bench.persist("bad", metadata={"value": value})
        outcomes = await bench.store.persist_many([bench.new("a"), bench.new("b", metadata={"v": {1, 2}})])
        assert [isinstance(outcome, MindlogError) for outcome in outcomes] == [False, True]


CHECKS: tuple[Check, ...] = (
    lsns_have_no_gap_under_concurrency_and_failures,
    the_log_tells_every_change_in_order,
    listeners_hear_of_changes_before_the_ack_and_in_order,
    the_changes_add_up_to_the_catalog,
    a_listener_that_fails_does_not_undo_the_commit,
    writes_from_several_event_loops_are_all_answered,
    an_unserialisable_value_is_refused_and_the_store_goes_on,
)
