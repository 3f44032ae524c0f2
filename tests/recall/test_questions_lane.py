"""The questions lane: a memory is found by a question it answers, whatever its own words are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mindlog.engine import Engine
from mindlog.errors import ModelMismatch
from mindlog.records import EditRequest
from mindlog.reindex import reindex
from mindlog.settings import Settings
from mindlog.testing.faults import armed
from tests.engine.made import Chosen, found, hit_of, ids, keep, keep_all, opened, recall
from tests.recall.made import ask, settled

# The text is orthogonal to the cue and shares no word with it; its question is the cue's neighbour.
VECTORS = {"harbour": [0.0, 1, 0, 0], "crowd": [0.1, 0, 0.99, 0], "boat": [0.95, 0, 0.3, 0], "ship": [1.0, 0, 0, 0]}
CUE = "ship?"


def embedder() -> Chosen:
    return Chosen(VECTORS, dimensions=4)


def wider() -> Chosen:
    """Another model of the same opinions."""
    return Chosen({word: [*vector, 0, 0, 0, 0] for word, vector in VECTORS.items()}, dimensions=8)


async def with_crowd(engine: Engine, count: int = 300) -> str:
    await keep_all(engine, [f"crowd number {n}" for n in range(count)])
    memory_id = await keep(engine, "harbour master Osk")
    await ask(engine, memory_id, "which boat leaves first", "who is Osk")
    return memory_id


async def test_a_memory_is_found_by_a_question_it_answers(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        memory_id = await with_crowd(engine)
        result = await recall(engine, CUE, limit=100, trace=True)
        hit = hit_of(result, memory_id)
        assert hit.lanes["questions"].rank == 1
        assert hit.lanes["questions"].score > 0.9
        assert result.trace is not None
        (candidate,) = result.trace["lanes"]["questions"]["candidates"]
        assert candidate["memory_id"] == memory_id


async def test_a_nearer_question_raises_a_memory_and_a_farther_one_takes_nothing_away(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        memory_id = await keep(engine, "harbour master")
        (before,) = (await recall(engine, CUE)).hits
        await ask(engine, memory_id, "crowd of people")
        (far,) = (await recall(engine, CUE)).hits
        await ask(engine, memory_id, "which boat leaves first")
        (near,) = (await recall(engine, CUE)).hits
        assert before.score <= far.score < near.score


async def test_edited_forgotten_and_cleared_memories_are_not_found_by_their_questions(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        memory_id = await with_crowd(engine)
        assert memory_id in await found(engine, CUE, limit=100)
        await ask(engine, memory_id)
        assert memory_id not in await found(engine, CUE, limit=100)
        await ask(engine, memory_id, "which boat leaves first")
        await engine.forget([memory_id])
        assert memory_id not in await found(engine, CUE, limit=100)
        await engine.restore(memory_id)
        assert "questions" in hit_of(await recall(engine, CUE, limit=100), memory_id).lanes
        edited = (await engine.edit(EditRequest(memory_id=memory_id, text="harbour at night"))).memory_id
        assert not {edited, memory_id} & set(await found(engine, CUE, limit=100))


async def test_filters_datasets_and_instants_hold_for_questions(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        mine = await keep(engine, "harbour one", session="a")
        other = await keep(engine, "harbour two", dataset="other")
        for memory_id in (mine, other):
            await ask(engine, memory_id, "which boat leaves first")
        assert await found(engine, CUE) == [mine]
        assert await found(engine, CUE, {"session": "b"}) == []
        assert (await recall(engine, CUE, as_of=1)).hits == ()
        assert await found(engine, CUE, dataset="other") == [other]


async def test_questions_survive_a_restart_and_the_loss_of_the_index(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        memory_id = await with_crowd(engine)
    for lost in (False, True):
        if lost:
            shutil.rmtree(tmp_path / "data" / "index" / "questions")
        async with opened(tmp_path, embedder(), derive=False) as engine:
            await settled(engine)
            assert engine.indexes.audit(engine.store) == []
            assert ids(await recall(engine, CUE, limit=100)).count(memory_id) == 1


async def test_a_restored_memory_has_its_questions_again_after_the_loss_of_the_index(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        memory_id = await with_crowd(engine)
        await engine.forget([memory_id])
    shutil.rmtree(tmp_path / "data" / "index" / "questions")
    async with opened(tmp_path, embedder(), derive=False) as engine:
        assert memory_id not in await found(engine, CUE, limit=100)
        await engine.restore(memory_id)
        assert "questions" in hit_of(await recall(engine, CUE, limit=100), memory_id).lanes
        await settled(engine)
        assert engine.indexes.audit(engine.store) == []


async def test_why_a_memory_is_not_there_names_its_questions_too(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        asked = await with_crowd(engine)
        lost = await keep(engine, "harbour of nobody")
        for n in range(210):
            await ask(engine, await keep(engine, f"crowd {n} again"), "which ship is it")
        result = await recall(engine, CUE, limit=10, explain_ids=(asked, lost))
        assert result.trace is not None
        first, second = result.trace["explained"]
        assert first["lanes"]["questions"]["score"] > 0.9
        assert second["outcome"] == "not_a_candidate"
        assert second["lanes"]["questions"]["score"] == 0.0


async def test_questions_are_embedded_again_by_a_reindex_to_another_model(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        memory_id = await with_crowd(engine, 50)
        forgotten = await keep(engine, "harbour of old")
        await ask(engine, forgotten, "which boat was it")
        await engine.forget([forgotten])
    assert await reindex(Settings(data=tmp_path / "data"), embedder=wider()) == 52
    async with opened(tmp_path, wider(), derive=False) as engine:
        await settled(engine)
        assert engine.indexes.audit(engine.store) == []
        hit = hit_of(await recall(engine, CUE, limit=60), memory_id)
        assert (hit.lanes["questions"].rank, hit.lanes["questions"].score > 0.9) == (1, True)
        await engine.restore(forgotten)
        assert "questions" in hit_of(await recall(engine, CUE, limit=60), forgotten).lanes


async def test_an_interrupted_reindex_goes_on_with_the_questions_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        for n in range(3):
            await ask(engine, await keep(engine, f"harbour {n}"), "which boat leaves first", f"which ship {n}")
    settings = Settings(data=tmp_path / "data")
    monkeypatch.setattr("mindlog.reindex._BATCH", 4)
    batches = iter([None, None, InterruptedError])  # the memories, some questions, and in the midst of the others

    def stop() -> None:
        if (error := next(batches)) is not None:
            raise error

    with armed("in_reindex", stop), pytest.raises(InterruptedError):
        await reindex(settings, embedder=wider())
    with pytest.raises(ModelMismatch, match="interrupted"):
        await Engine.open(settings, embedder=embedder())
    await reindex(settings, embedder=wider())
    async with opened(tmp_path, wider(), derive=False) as engine:
        assert len(engine.store.question_vectors(0, 100)) == 6
        assert all("questions" in hit.lanes for hit in (await recall(engine, CUE)).hits)
