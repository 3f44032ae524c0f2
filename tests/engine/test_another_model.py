"""A store and another embedding model: refused with the command, re-embedded on request, nothing lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.engine import Engine
from mindlog.errors import EmbedderFailed, ModelMismatch
from mindlog.records import EditRequest, EncodeRequest
from mindlog.reindex import reindex
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import everything, found, hit_of, keep, keep_all, opened, recall


def old() -> HashEmbedder:
    return HashEmbedder(dimensions=32)


def new() -> HashEmbedder:
    return HashEmbedder(dimensions=48)


async def test_other_dimensions_are_refused_with_both_fingerprints_and_the_command(tmp_path: Path) -> None:
    async with opened(tmp_path, old()) as engine:
        ids = await keep_all(engine, [f"memory {n}" for n in range(100)])
    with pytest.raises(ModelMismatch) as refusal:
        await Engine.open(Settings(data=tmp_path / "data"), embedder=new())
    for needed in (old().fingerprint, new().fingerprint, "mindlog reindex"):
        assert needed in refusal.value.detail
    async with opened(tmp_path, old()) as engine:  # nothing was touched
        assert (await found(engine, "memory 7"))[0] == ids[7]
        assert (await engine.health()).embedder["fingerprint"] == old().fingerprint


async def test_after_reindexing_everything_is_found_edited_and_forgotten_with_the_new_model(tmp_path: Path) -> None:
    async with opened(tmp_path, old()) as engine:
        ids = await keep_all(engine, [f"memory number {n}" for n in range(300)], agent="Ines")
        first = await keep(engine, "the lamp flashes")
        second = (await engine.edit(EditRequest(memory_id=first, text="the lamp blinks"))).memory_id
        forgotten = await keep(engine, "a forgotten memory")
        await engine.forget([forgotten])
        given = await keep(engine, "given", vector=[1.0] * 32, embedding_model=old().fingerprint)
    done = await reindex(Settings(data=tmp_path / "data"), embedder=new())
    assert done == 303
    with pytest.raises(ModelMismatch):
        await Engine.open(Settings(data=tmp_path / "data"), embedder=old())
    async with opened(tmp_path, new()) as engine:
        assert not engine.indexes.audit(engine.store)
        for memory_id, cue in ((ids[123], "memory number 123"), (second, "lamp blinks"), (given, "given")):
            hit = hit_of(await recall(engine, cue), memory_id)
            assert hit.lanes["semantic"].rank == 1
        assert (await engine.get(first)).text == "the lamp flashes"
        await engine.restore(forgotten)
        assert (await found(engine, "forgotten"))[0] == forgotten
        edited = (await engine.edit(EditRequest(memory_id=ids[5], text="another text"))).memory_id
        assert (await found(engine, "another text"))[0] == edited
        await engine.forget([ids[6]])
        assert ids[6] not in await found(engine, "memory number 6")
        again = await engine.encode(EncodeRequest(text="memory number 7", agent="Ines"))
        assert (again.memory_id, again.was_deduplicated) == (ids[7], True)
        with pytest.raises(ModelMismatch):
            await keep(engine, "x", vector=[1.0] * 32, embedding_model=old().fingerprint)


async def test_reindexing_that_breaks_off_goes_on_where_it_was(tmp_path: Path) -> None:
    async with opened(tmp_path, old()) as engine:
        ids = await keep_all(engine, [f"memory {n}" for n in range(600)])
    settings = Settings(data=tmp_path / "data")
    failing = new()
    failing.fail_calls = {2}
    with pytest.raises(EmbedderFailed):
        await reindex(settings, embedder=failing)
    for model in (old(), new()):
        with pytest.raises(ModelMismatch):
            await Engine.open(settings, embedder=model)
    resumed = new()
    assert 0 < await reindex(settings, embedder=resumed) < 600
    assert len(set(resumed.texts)) < 600
    async with opened(tmp_path, new()) as engine:
        assert {str(memory.id) for memory in await everything(engine)} == set(ids)
        assert (await found(engine, "memory 17"))[0] == ids[17]
        assert not engine.indexes.audit(engine.store)
    assert await reindex(settings, embedder=new()) == 0
