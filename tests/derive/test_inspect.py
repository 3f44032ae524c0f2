"""Everything there is to know of a memory, at any time."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.derive.inspect import inspect
from mindlog.ids import MemoryId
from mindlog.testing.fakes import HashEmbedder
from mindlog.views import Inspection
from tests.derive.made import World, world
from tests.derive.test_edges import edit

T = 1_700_000_000_000_000
MINUTE = 60_000_000


async def inspected(here: World, memory: MemoryId) -> Inspection:
    found = here.store.memory(memory.slot, memory.version)
    dataset = here.store.dataset("default")
    assert found is not None
    assert dataset is not None
    return await inspect(found, dataset, here.store, here.tools.clock.now())


async def test_a_derived_memory_shows_all_that_came_of_it(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    async with world(tmp_path, embedder) as here:
        before = await here.keep("I live near the lamp room.", agent="Ines", session="s", occurred_at=T)
        memory = await here.keep(
            "I live near the lamp room. Anna lives in Berlin, and Anna likes it.",
            agent="Ines",
            session="s",
            occurred_at=T + MINUTE,
        )
        await here.derive()
        found = await inspected(here, memory)
        assert found.memory.id == memory
        assert found.vector == {
            "dimensions": 64,
            "windows": 1,
            "model": "hash",
            "fingerprint": embedder.fingerprint,
        }
        assert found.terms[:3] == ("ine", "i", "live")
        assert {edge.kind: (edge.source, edge.target) for edge in found.edges} == {
            "followed_by": (str(before), str(memory)),
            "references": (str(memory), str(before)),
        }
        (anna,) = [mention for mention in found.entities if mention.entity.name == "Anna"]
        assert [found.memory.text[start:end] for start, end in anna.spans] == ["Anna", "Anna"]
        (statement,) = [each for each in found.statements if each.text == "Anna lives in Berlin"]
        assert [(each.memory_id, each.quote) for each in statement.evidence] == [(str(memory), "Anna lives in Berlin")]
        assert found.questions
        assert [version.id for version in found.versions] == [memory]
        (run,) = found.runs
        assert (run.state, run.memory_id) == ("succeeded", str(memory))
        assert [(stage.status, bool(stage.output), bool(stage.does)) for stage in run.stages] == [
            ("succeeded", True, True)
        ] * 5


async def test_a_memory_that_waits_shows_its_record_and_its_run(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("I live in Lisbon.", agent="Ines")
        found = await inspected(here, memory)
        assert (found.terms, found.questions, found.edges, found.entities, found.statements) == ((), (), (), (), ())
        assert [run.state for run in found.runs] == ["waiting"]
        assert [stage.status for stage in found.runs[0].stages] == ["not_started"] * 5


async def test_quotes_are_cut_from_the_revision_that_says_it(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("I live in Lisbon.", agent="Ines")
        other = await here.keep("Well, I live in Porto these days.", agent="Ines", session="t")
        await here.derive()
        newer = await edit(here, memory, "As I said, I live in Porto.")
        await here.derive()
        found = await inspected(here, newer)
        (statement,) = [each for each in found.statements if each.text == "Ines lives in Porto"]
        assert {(each.memory_id, each.quote) for each in statement.evidence} == {
            (str(newer), "I live in Porto"),
            (str(other), "I live in Porto"),
        }
        assert [version.id for version in found.versions] == [newer, memory]
        assert [run.memory_id for run in found.runs] == [str(newer), str(memory)]


async def test_lists_that_are_cut_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(tmp_path) as here:
        await here.keep("I live near the lamp room.", agent="Ines", session="s", occurred_at=T)
        memory = await here.keep("I live near the lamp room. Anna lives in Berlin.", agent="Ines", session="s")
        await here.derive()
        memory = await edit(here, memory, "I live near the lamp room. Anna lives in Bonn. Anna likes tea.")
        await here.derive()
        whole = await inspected(here, memory)
        assert whole.truncated == ()
        sizes = {name: len(getattr(whole, name)) for name in ("edges", "statements", "versions")}
        assert min(sizes.values()) >= 1
        for name, size in sizes.items():
            monkeypatch.setattr(f"mindlog.derive.inspect._{name.upper()}", size - 1)
            found = await inspected(here, memory)
            assert (found.truncated, len(getattr(found, name))) == ((name,), size - 1)
            monkeypatch.setattr(f"mindlog.derive.inspect._{name.upper()}", size)
            assert await inspected(here, memory) == whole


async def test_an_old_revision_shows_its_record_and_nothing_of_the_new_one(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("I live in Lisbon.", agent="Ines")
        await here.derive()
        newer = await edit(here, memory, "I live in Porto.")
        await here.derive()
        found = await inspected(here, memory)
        assert (found.memory.text, found.memory.is_current) == ("I live in Lisbon.", False)
        assert (found.terms, found.questions, found.edges, found.entities, found.statements) == ((), (), (), (), ())
        assert found.vector["windows"] is None
        assert [version.id for version in found.versions] == [newer, memory]
