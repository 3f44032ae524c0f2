"""A described picture that is kept as a memory is found by any of what is known of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mindlog.images.describe import describe
from mindlog.images.exif import Position
from mindlog.records import EncodeRequest
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import ids, keep_all, opened, recall

STREET = describe(
    caption_by_caller="Our first evening in the old quarter",
    caption_by_model="A narrow street at night with lamps and two dogs.",
    ocr_text="Café Iruña\nmenú del día 14,90",
    taken_at=datetime(2025, 5, 3, 20, 5, tzinfo=UTC),
    position=Position(latitude=43.263, longitude=-2.935),
    place_name="Bilbao",
    camera="Fujifilm X100V",
    file_name="holiday_walk-7.JPG",
)
OTHERS = [
    describe(caption_by_caller="A boat at noon", place_name="Lisbon", file_name="boat_trip-7.JPG").text,
    describe(caption_by_model="A kitchen with many bottles.", taken_at=datetime(2024, 1, 1, tzinfo=UTC)).text,
    describe(ocr_text="Garage Lopez\nreceipt 88,10", camera="Pixel 9").text,
    describe().text,
]


@pytest.mark.parametrize(
    "cue",
    [
        "first evening",
        "lamps and dogs",
        "menú del día",
        "Iruña 14,90",
        "Bilbao",
        "X100V",
        "holiday_walk-7.JPG",
        "holiday walk",
    ],
)
async def test_recall_finds_it_first(tmp_path: Path, cue: str) -> None:
    async with opened(tmp_path, HashEmbedder()) as engine:
        await keep_all(engine, OTHERS)
        kept = await engine.encode(EncodeRequest(text=STREET.text, metadata=STREET.metadata))
        assert ids(await recall(engine, cue, limit=3))[0] == kept.memory_id


@pytest.mark.parametrize(("key", "value"), [("place", "Bilbao"), ("media", "image"), ("caption_by", "caller")])
async def test_recall_finds_it_by_its_metadata(tmp_path: Path, key: str, value: str) -> None:
    async with opened(tmp_path, HashEmbedder()) as engine:
        await keep_all(engine, OTHERS)
        kept = await engine.encode(EncodeRequest(text=STREET.text, metadata=STREET.metadata))
        found = await recall(engine, "anything at all", filters={"metadata": {key: value}})
        assert ids(found) == [kept.memory_id]
