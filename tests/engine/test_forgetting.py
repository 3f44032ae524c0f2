"""Forgetting: hidden from every read at once, undone within the grace period, and the text is free again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.access import Caller
from mindlog.engine import Engine
from mindlog.errors import Forbidden, InvalidInput, MemoryNotFound
from mindlog.ids import MemoryId
from mindlog.records import EditRequest, EncodeRequest, MemoryState, Scope
from tests.engine.made import DAY, ManualClock, everything, found, keep, keep_all, opened, recall


async def test_a_forgotten_memory_is_in_no_read(engine: Engine) -> None:
    kept = await keep(engine, "the harbour office is open")
    first = await keep(engine, "the password is swordfish", session="s", metadata={"topic": "secret"})
    second = (await engine.edit(EditRequest(memory_id=first, text="the password is marlin"))).memory_id
    before = engine.store.last_lsn
    receipt = await engine.forget([second])
    assert receipt.memory_ids == (second,)
    assert receipt.restorable_until - receipt.forgotten_at == 7 * DAY
    for memory_id in (first, second):
        with pytest.raises(MemoryNotFound):
            await engine.get(memory_id)
        with pytest.raises(MemoryNotFound):
            await engine.edit(EditRequest(memory_id=memory_id, text="changed"))
        with pytest.raises(MemoryNotFound):
            await engine.forget([memory_id])
    for cue in ("swordfish", "marlin", "the password"):
        assert await found(engine, cue, limit=100) == [kept]
        assert await found(engine, cue, {"session": "s"}) == []
        assert await found(engine, cue, as_of=receipt.forgotten_at) == [kept]
    assert [str(memory.id) for memory in await everything(engine)] == [kept]
    assert engine.store.last_lsn == before + 1


async def test_forgetting_survives_reopening_and_so_does_the_undoing(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        memory_id = await keep(engine, "the password is swordfish")
        await engine.forget([memory_id])
    async with opened(tmp_path) as engine:
        assert await found(engine, "swordfish") == []
        memory = await engine.restore(memory_id)
        assert (memory.text, memory.state) == ("the password is swordfish", MemoryState.LIVE)
    async with opened(tmp_path) as engine:
        assert await found(engine, "swordfish") == [memory_id]
        assert not engine.indexes.audit(engine.store)


@pytest.mark.parametrize(("waited", "is_there"), [(7 * DAY, True), (7 * DAY + 1, False)])
async def test_a_forget_is_undone_within_the_grace_period_only(tmp_path: Path, waited: int, is_there: bool) -> None:
    clock = ManualClock()
    async with opened(tmp_path, clock=clock) as engine:
        memory_id = await keep(engine, "a memory")
        receipt = await engine.forget([memory_id])
        clock.at += waited
        assert (clock.at <= receipt.restorable_until) is is_there
        if is_there:
            assert str((await engine.restore(memory_id)).id) == memory_id
        else:
            with pytest.raises(MemoryNotFound):
                await engine.restore(memory_id)
        assert await found(engine, "a memory") == [memory_id] * is_there


async def test_forgetting_frees_the_text_and_restoring_does_not_take_it_back(engine: Engine) -> None:
    old = await keep(engine, "the light is on")
    await engine.forget([old])
    new = await engine.encode(EncodeRequest(text="the light is on"))
    assert not new.was_deduplicated
    assert new.memory_id != old
    await engine.restore(old)
    assert set(await found(engine, "the light is on")) == {old, new.memory_id}
    again = await engine.encode(EncodeRequest(text="the light is on"))
    assert (again.memory_id, again.was_deduplicated) == (new.memory_id, True)


async def test_several_are_forgotten_together_or_none(engine: Engine) -> None:
    ids = await keep_all(engine, [f"memory {n}" for n in range(5)])
    with pytest.raises(MemoryNotFound):
        await engine.forget([*ids, str(MemoryId(0, 99, 1))])
    assert len(await everything(engine)) == 5
    receipt = await engine.forget([*ids[:3], ids[0]])
    assert sorted(receipt.memory_ids) == sorted(ids[:3])
    assert {str(memory.id) for memory in await everything(engine)} == set(ids[3:])


async def test_memories_of_several_datasets_are_forgotten_in_one_call(engine: Engine) -> None:
    ids = [await keep(engine, "x", dataset=f"d{n}") for n in range(3)]
    assert set((await engine.forget(ids)).memory_ids) == set(ids)
    assert [await everything(engine, f"d{n}") for n in range(3)] == [[], [], []]


async def test_an_old_revisions_id_forgets_and_restores_the_memory(engine: Engine) -> None:
    first = await keep(engine, "one")
    second = (await engine.edit(EditRequest(memory_id=first, text="two"))).memory_id
    assert (await engine.forget([first])).memory_ids == (second,)
    await engine.restore(first)
    assert await found(engine, "two") == [second]


async def test_what_is_not_forgotten_cannot_be_restored(engine: Engine) -> None:
    memory_id = await keep(engine, "x")
    with pytest.raises(MemoryNotFound):
        await engine.restore(memory_id)
    with pytest.raises(InvalidInput):
        await engine.forget([memory_id], mode="hard")
    assert await found(engine, "x") == [memory_id]


async def test_a_neighbour_that_is_forgotten_lends_no_score(engine: Engine) -> None:
    for dataset in ("with", "without"):
        if dataset == "with":
            gone = await keep(engine, "the crate weighs 62 kilos", dataset=dataset, session="s", occurred_at=2)
        await keep(engine, "noted", dataset=dataset, session="s", occurred_at=1)
        await keep(engine, "the boat carries crates", dataset=dataset, session="s", occurred_at=3)
    await engine.forget([gone])
    scores = [
        [
            (hit.memory.text, pytest.approx(hit.score, abs=1e-6))
            for hit in (await recall(engine, "crate weighs", dataset=d)).hits
        ]
        for d in ("with", "without")
    ]
    assert scores[0] == scores[1]


async def test_a_caller_of_one_dataset_cannot_touch_another_ones_memories(engine: Engine) -> None:
    mine, theirs = await keep(engine, "mine", dataset="a"), await keep(engine, "theirs", dataset="b")
    caller = Caller(scopes=frozenset(Scope), datasets=frozenset({"a"}))
    for call in (
        engine.get(theirs, caller=caller),
        engine.edit(EditRequest(memory_id=theirs, text="x"), caller=caller),
        engine.forget([mine, theirs], caller=caller),
    ):
        with pytest.raises(MemoryNotFound):
            await call
    with pytest.raises(Forbidden):
        await engine.encode_batch(
            [EncodeRequest(text="x", dataset="a"), EncodeRequest(text="x", dataset="b")], caller=caller
        )
    assert [m.text for m in [*await everything(engine, "a"), *await everything(engine, "b")]] == ["mine", "theirs"]
