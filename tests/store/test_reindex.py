"""Another model: vectors are replaced a few at a time, a half-done change is refused, the end drops every old vector."""

from __future__ import annotations

from pathlib import Path

import apsw
import numpy as np
import pytest

from mindlog.errors import InvalidInput, ModelMismatch, StoreError
from mindlog.store.connect import DATABASE
from mindlog.store.reindex import Replacement
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.faults import armed, raising
from tests.store.made import MODEL, OTHER


def made(store: SqliteStore, slot: int) -> Replacement:
    memory = store.memory(slot)
    assert memory is not None
    rows = np.full((2, OTHER.dimensions), slot, dtype=np.float32)
    return slot, memory.id.version, rows, np.full((3, 5), 7, dtype=np.int8)


async def filled(directory: Path) -> list[int]:
    store = SqliteStore.open(directory, model=MODEL)
    bench = Bench(store)
    slots = [persisted.id.slot for persisted in await bench.fill(f"text {n}" for n in range(10))]
    await store.edit(bench.edit(bench.get(slots[0]), "edited"))
    await store.forget(bench.number(), [slots[1]])
    await store.aclose()
    return slots


async def test_a_reindex_goes_on_where_it_was_interrupted_and_then_opens_with_the_new_model(tmp_path: Path) -> None:
    slots = await filled(tmp_path)
    store = SqliteStore.open(tmp_path, model=OTHER, model_check=False)
    assert store.model == MODEL
    assert store.stale_vectors(OTHER, 4) == slots[:4]
    assert store.stale_vectors(OTHER, 4, slots[3]) == slots[4:8]
    assert await store.replace_vectors([made(store, slot) for slot in slots[:4]], OTHER) == 4
    with pytest.raises(StoreError, match="not complete"):
        await store.finish_reindex(OTHER)
    assert [len(store.vectors([slot])[slot][0]) for slot in (slots[0], slots[5])] == [
        OTHER.dimensions,
        MODEL.dimensions,
    ]
    await store.aclose()

    for model in (MODEL, OTHER):
        with pytest.raises(ModelMismatch, match=r"interrupted.*mindlog reindex"):
            SqliteStore.open(tmp_path, model=model)

    store = SqliteStore.open(tmp_path, model=OTHER, model_check=False)
    assert store.stale_vectors(OTHER, 100) == slots[4:]
    await store.replace_vectors([made(store, slot) for slot in slots[4:]], OTHER)
    await store.finish_reindex(OTHER)
    assert store.model == OTHER
    assert store.log(store.last_lsn, 1)[0].type == "model_changed"
    await store.aclose()

    with pytest.raises(ModelMismatch):
        SqliteStore.open(tmp_path, model=MODEL)
    store = SqliteStore.open(tmp_path, model=OTHER)
    assert store.stale_vectors(OTHER, 100) == []
    for each in store.index_vectors():
        np.testing.assert_array_equal(each.vectors, np.full((2, OTHER.dimensions), each.slot))
    assert {states.shape for states in store.states(slots).values()} == {(3, 5)}
    old = store.memory(slots[0], 1)
    assert old is not None
    assert old.text == "text 0"
    await Bench(store).persist("with the new model")
    await store.aclose()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    assert connection.execute("SELECT fingerprint FROM models").fetchall() == [(OTHER.fingerprint,)]
    assert connection.execute("SELECT count(*) FROM memory_versions WHERE vectors IS NOT NULL").fetchall() == [(0,)]
    connection.close()


async def test_a_revision_that_was_edited_meanwhile_is_left_for_the_next_round(tmp_path: Path) -> None:
    slots = await filled(tmp_path)
    store = SqliteStore.open(tmp_path, model=OTHER, model_check=False)
    slot, version, vectors, states = made(store, slots[0])
    assert await store.replace_vectors([(slot, version - 1, vectors, states)], OTHER) == 0
    assert store.stale_vectors(OTHER, 1) == [slot]
    with pytest.raises(InvalidInput):
        await store.replace_vectors([(slot, version, vectors[:, 1:], None)], OTHER)
    await store.aclose()


async def test_a_batch_that_fails_replaces_nothing_and_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    slots = await filled(tmp_path)
    store = SqliteStore.open(tmp_path, model=OTHER, model_check=False)
    with armed("in_reindex", raising(InterruptedError)), pytest.raises(InterruptedError):
        await store.replace_vectors([made(store, slots[0])], OTHER)
    assert store.stale_vectors(OTHER, 100) == slots
    await store.aclose()
    SqliteStore.open(tmp_path, model=MODEL).close()
