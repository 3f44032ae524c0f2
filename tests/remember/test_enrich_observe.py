"""What the series of a document show becomes one memory for each series, reconciled, and revised when the series goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mindlog.records import MemoryKind
from mindlog.testing.faults import armed, raising
from tests.remember.enriched import World, stage, world

FIRST = "The revenue of Acme was 3.1M in Q1 2023 and 3.4M in Q2 2023."
NEXT = "The revenue of Acme was 3.9M in Q3 2023 and 4.6M in Q4 2023."
SAID = "Revenue of Acme rose from 3 100 000 in Q1 2023 to 3 400 000 in Q2 2023, by 300 000 (9.68%)."


def words(world: World, row: Any) -> list[str]:
    return [text.text for text in world.texts(row, "series")]


async def test_what_a_series_shows_is_a_consolidated_memory_that_names_its_series(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        row = await here.remember(FIRST, session="s")
        assert stage(row, "observe_series") == ("succeeded", None)
        (text,) = here.texts(row, "series")
        memory = here.memory(text)
        series = here.series()["revenue"]
        assert memory.kind is MemoryKind.CONSOLIDATED
        assert memory.metadata == {"source": "series", "series_id": text.source, "trust": "derived"}
        assert text.state == "stored"
        assert "Q1 2023" in text.text
        assert "Q2 2023" in text.text
        assert "Acme" in text.text
        assert series.points == 2  # the sentences made of it gave it no points
        assert here.output(row, "observe_series")["kept"] == [
            {"series_id": text.source, "name": "revenue", "text": "created"}
        ]


async def test_another_document_that_adds_points_revises_the_memory_and_one_that_adds_none_keeps_it(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as here:
        first = here.texts(await here.remember(FIRST), "series")[0]
        second = await here.remember(NEXT)
        (revised,) = here.texts(second, "series")
        assert revised.memory_id.slot == first.memory_id.slot
        assert revised.memory_id.version == first.memory_id.version + 1
        assert "Q4 2023" in revised.text
        assert revised.state == "stored"
        assert here.output(second, "observe_series")["kept"][0]["text"] == "revised"
        third = await here.remember(f"Again: {NEXT}")
        (same,) = here.texts(third, "series")
        assert same.memory_id == revised.memory_id
        assert same.state == "stored"
        assert here.output(third, "observe_series")["kept"][0]["text"] == "unchanged"
        assert here.output(third, "observe_series").get("texts") is None  # it was not read again


async def test_the_same_document_again_keeps_the_one_memory_of_its_series(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.remember(FIRST, document_id="d")
        row = await here.remember(f"{FIRST} {NEXT}", document_id="d")
        (text,) = here.texts(row, "series")
        assert "Q4 2023" in text.text
        assert [each.text for each in live(here) if each.kind is MemoryKind.CONSOLIDATED] == [text.text]


async def test_what_an_older_version_showed_and_this_one_does_not_is_taken_back(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.remember(FIRST, document_id="d")
        row = await here.remember("Acme sells tea.", document_id="d")
        assert here.output(row, "observe_series")["forgotten"] == 1
        assert [each for each in live(here) if each.kind is MemoryKind.CONSOLIDATED] == []


async def test_a_series_of_one_point_has_nothing_to_show(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        row = await here.remember("| month | rainfall (mm) |\n|---|---|\n| 2023-01 | 12 |\n")
        assert stage(row, "observe_series")[0] == "succeeded"
        assert words(here, row) == []
        assert not here.series() or here.output(row, "observe_series")["nothing_to_say"] == 1


async def test_an_attempt_that_broke_off_is_gone_on_with_and_nothing_is_kept_twice(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        run = await here.accept(f"{FIRST}\n\nThe price of tea was $3 in 2021 and $5 in 2022.")
        with armed("before_text:1", raising(asyncio.CancelledError)), pytest.raises(asyncio.CancelledError):
            await here.attempt()
        assert [text.state for text in here.store.texts(run, "series")] == ["stored", "read"]
        await here.store.release_remember()
        await here.attempt()
        row = here.run(run)
        assert stage(row, "observe_series") == ("succeeded", None)
        assert [text.state for text in here.texts(row, "series")] == ["stored", "stored"]
        assert len({text.memory_id for text in here.texts(row, "series")}) == 2


def live(world: World) -> list[Any]:
    slots = {text.memory_id.slot for run in range(1, 200) for text in world.store.texts(run)}
    return [each for each in world.store.memories(sorted(slots)) if each.state == "live"]
