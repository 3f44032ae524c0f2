"""Edits: a merge patch over the current revision, refused if it is no longer current, with the old one still readable."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mindlog.engine import Engine
from mindlog.errors import EmbedderFailed, InvalidInput, MemoryNotFound, MindlogError, VersionConflict
from mindlog.ids import MemoryId
from mindlog.records import EditRequest, EncodeRequest, EncodeResult
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import ManualClock, everything, found, hit_of, ids, keep, keep_all, opened, recall


async def edit(engine: Engine, memory_id: str, **changes: Any) -> str:
    return (await engine.edit(EditRequest(memory_id=memory_id, **changes))).memory_id


async def test_an_edited_text_is_found_by_its_new_words_and_not_first_by_its_old_ones(engine: Engine) -> None:
    other = await keep(engine, "the flash of the harbour beacon takes ten seconds")
    old = await keep(engine, "one flash every ten seconds", metadata={"source": "log", "page": 4})
    new = await edit(engine, old, text="one signal each dozen", metadata={"page": 5})
    by_old = await recall(engine, "flash every ten seconds")
    assert ids(by_old)[0] == other
    assert old not in ids(by_old)
    by_new = await recall(engine, "signal each dozen")
    assert ids(by_new)[0] == new
    assert set(hit_of(by_new, new).lanes) == {"semantic", "lexical"}
    assert set(hit_of(by_old, new).lanes) == {"semantic"}, "the old words still lead to it"
    memory = await engine.get(new)
    assert memory.metadata == {"source": "log", "page": 5}
    for cue, filters in (("signal", {"metadata": {"page": 5}}), ("signal", {"metadata": {"source": "log"}})):
        assert await found(engine, cue, filters) == [new]
    assert await found(engine, "signal", {"metadata": {"page": 4}}) == []
    assert not engine.indexes.audit(engine.store)


async def test_an_edit_is_the_same_after_reopening(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        old = await keep(engine, "one flash every ten seconds", metadata={"a": 1})
        new = await edit(engine, old, text="one flash every fifteen seconds", metadata={"b": 2})
    async with opened(tmp_path) as engine:
        assert ids(await recall(engine, "fifteen")) == [new]
        assert (await engine.get(new)).metadata == {"a": 1, "b": 2}
        assert not engine.indexes.audit(engine.store)


async def test_the_old_revision_is_readable_and_says_that_it_is_old(engine: Engine) -> None:
    first = await keep(engine, "ten", metadata={"n": 1}, kind="episodic", salience=0.25, occurred_at=1000)
    before = await engine.get(first)
    second = await edit(engine, first, text="fifteen", kind="semantic", occurred_at=2000)
    third = await edit(engine, second, metadata={"n": 3})
    assert await engine.get(first) == replace(before, is_current=False)
    assert [(await engine.get(each)).is_current for each in (first, second, third)] == [False, False, True]
    assert [(await engine.get(each)).text for each in (first, second, third)] == ["ten", "fifteen", "fifteen"]
    current = await engine.get(third)
    assert (current.created_at, current.salience) == (before.created_at, 0.25)
    assert current.recorded_at >= before.recorded_at
    assert len(await everything(engine)) == 1


PATCHES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
    ({"a": {"x": 1, "y": 2}}, {"a": {"y": None, "z": 3}}, {"a": {"x": 1, "z": 3}}),
    ({"a": {"x": 1}}, {"a": "plain"}, {"a": "plain"}),
    ({"a": "plain"}, {"a": {"x": 1, "gone": None}}, {"a": {"x": 1}}),
    ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
    ({"a": 1}, {"a": True}, {"a": True}),
    ({"a": 1}, {"a": 1.0}, {"a": 1.0}),
    ({"a": 0}, {"a": False}, {"a": False}),
    ({}, {"new": {"deep": {"deeper": 1}}}, {"new": {"deep": {"deeper": 1}}}),
]


@pytest.mark.parametrize(("before", "patch", "after"), PATCHES)
async def test_metadata_is_changed_by_a_merge_patch(
    engine: Engine, before: dict[str, Any], patch: dict[str, Any], after: dict[str, Any]
) -> None:
    memory_id = await edit(engine, await keep(engine, "x", metadata=before), metadata=patch)
    assert repr(dict((await engine.get(memory_id)).metadata)) == repr(after)


async def test_an_edit_that_changes_nothing_is_refused(engine: Engine) -> None:
    memory_id = await keep(engine, "x", metadata={"a": 1, "b": {"c": 2}}, salience=0.5, kind="semantic", occurred_at=7)
    nothing: list[dict[str, Any]] = [
        {},
        {"text": "x"},
        {"metadata": {}},
        {"metadata": {"absent": None}},
        {"metadata": {"b": {"c": 2}}},
        {"salience": 0.5, "kind": "semantic", "occurred_at": 7},
    ]
    for changes in nothing:
        with pytest.raises(InvalidInput, match="nothing to change"):
            await edit(engine, memory_id, **changes)
    assert (await engine.get(memory_id)).is_current


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"text": " "}, "text"),
    ({"text": "\0"}, "text"),
    ({"text": 5}, "text"),
    ({"kind": "none"}, "kind"),
    ({"salience": 2}, "salience"),
    ({"occurred_at": "2025-07-25T02:00:00"}, "occurred_at"),
    ({"occurred_at": True}, "occurred_at"),
    ({"metadata": {"$a": 1}}, "metadata"),
    ({"metadata": {"a": float("nan")}}, "metadata.a"),
    ({"metadata": {"b": "x" * 9000}}, "metadata"),  # fits, but not beside what is there
    ({"metadata": [1]}, "metadata"),
]


async def test_each_refused_edit_names_its_field_and_changes_nothing(engine: Engine) -> None:
    memory_id = await keep(engine, "x", metadata={"a": "y" * 9000})
    before = await engine.get(memory_id)
    for changes, field in REFUSED:
        with pytest.raises(InvalidInput) as refusal:
            await edit(engine, memory_id, **changes)
        assert refusal.value.field == field, changes
    assert await engine.get(memory_id) == before


async def test_a_naive_time_of_an_edit_is_taken_in_the_datasets_zone(engine: Engine) -> None:
    await engine.put_dataset("tokyo", timezone="Asia/Tokyo")
    memory_id = await edit(engine, await keep(engine, "x", dataset="tokyo"), occurred_at="2025-01-01T09:00:00")
    assert (await engine.get(memory_id)).occurred_at == 1_735_689_600_000_000


async def test_an_edit_of_an_older_revision_is_a_conflict_that_names_the_current_one(engine: Engine) -> None:
    first = await keep(engine, "one")
    second = await edit(engine, first, text="two")
    for changes in ({"text": "three"}, {"text": "one"}, {"metadata": {"a": 1}}, {}):
        with pytest.raises(VersionConflict) as conflict:
            await edit(engine, first, **changes)
        assert conflict.value.extra["current"] == second
    assert (await engine.get(second)).text == "two"


async def test_of_racing_editors_one_wins_and_the_others_are_told(engine: Engine) -> None:
    memory_id = await keep(engine, "start")
    calls = [engine.edit(EditRequest(memory_id=memory_id, text=f"editor {n}")) for n in range(10)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    (won,) = [outcome for outcome in outcomes if isinstance(outcome, EncodeResult)]
    assert sum(isinstance(outcome, VersionConflict) for outcome in outcomes) == 9
    assert [str(memory.id) for memory in await everything(engine)] == [won.memory_id]


async def test_an_edit_frees_the_old_text_and_takes_the_new_one(engine: Engine) -> None:
    memory_id = await edit(engine, await keep(engine, "old"), text="new")
    again = await engine.encode(EncodeRequest(text="new"))
    assert (again.memory_id, again.was_deduplicated) == (memory_id, True)
    assert not (await engine.encode(EncodeRequest(text="old"))).was_deduplicated


async def test_an_edit_whose_embedding_fails_changes_nothing(engine: Engine, embedder: HashEmbedder) -> None:
    memory_id = await keep(engine, "before")
    embedder.fail_texts = {"after"}
    with pytest.raises(EmbedderFailed):
        await edit(engine, memory_id, text="after")
    assert (await engine.get(memory_id)).text == "before"


async def test_the_speaker_stays_with_an_edited_text(engine: Engine) -> None:
    memory_id = await edit(engine, await keep(engine, "I like tea", agent="Ruth"), text="I like coffee")
    hit = hit_of(await recall(engine, "Ruth: I like coffee"), memory_id)
    assert hit.memory.text == "I like coffee"
    assert hit.lanes["semantic"].score == pytest.approx(1.0)


async def test_a_stamp_follows_the_text_and_the_callers_own_salience_stays(engine: Engine) -> None:
    stamped = await edit(engine, await keep(engine, "The tide turned before noon."), text="I must always remember 42.")
    own = await edit(engine, await keep(engine, "The tide turned.", salience=0.95), text="I must always remember 43.")
    assert (await engine.get(stamped)).salience == pytest.approx(0.9)
    assert (await engine.get(own)).salience == 0.95


UNKNOWN = [str(MemoryId(0, 999, 1)), str(MemoryId(0, 1, 9)), str(MemoryId(0, 1, 0)), str(MemoryId(5, 1, 1))]


@pytest.mark.parametrize("unknown", UNKNOWN)
async def test_an_id_that_was_never_given_out_is_not_found_by_any_verb(engine: Engine, unknown: str) -> None:
    assert await keep(engine, "the first") == str(MemoryId(0, 1, 1))
    for call in (
        engine.get(unknown),
        engine.edit(EditRequest(memory_id=unknown, text="y")),
        engine.forget([unknown]),
        engine.restore(unknown),
    ):
        with pytest.raises(MemoryNotFound):
            await call
    await engine.forget([str(MemoryId(0, 1, 1))])
    with pytest.raises(MemoryNotFound):
        await engine.restore(unknown)


@pytest.mark.parametrize(
    "bad", ["", "mem_", "mem_0", "x" * 30, "mem_" + "U" * 26, "MEM_" + "0" * 26, 5, None, "mem_" + "é" * 26]
)
async def test_what_is_no_id_is_refused_by_every_verb(engine: Engine, bad: Any) -> None:
    for call in (
        engine.get(bad),
        engine.edit(EditRequest(memory_id=bad, text="y")),
        engine.forget([bad]),
        engine.restore(bad),
        recall(engine, "x", explain_ids=(bad,)),
    ):
        with pytest.raises(MindlogError) as refusal:
            await call
        assert isinstance(refusal.value, InvalidInput)
        assert refusal.value.field in ("memory_id", "explain_ids")


async def test_each_instant_has_its_revision(tmp_path: Path) -> None:
    clock = ManualClock()
    async with opened(tmp_path, clock=clock) as engine:
        times: list[int] = []
        memory_id = await keep(engine, "version 1")
        for number in (2, 3):
            times.append(clock.at)
            clock.at += 1_000_000
            memory_id = await edit(engine, memory_id, text=f"version {number}")
        await keep_all(engine, ["written later"])
        for number, at in enumerate([*times, clock.at], 1):
            (hit,) = (await recall(engine, "version", as_of=at, limit=1)).hits
            assert hit.memory.text == f"version {number}"
        assert (await recall(engine, "version", as_of=times[0] - 1)).hits == ()
