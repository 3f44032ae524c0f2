"""When it happened: zones, naive times, hours the clocks skip or repeat, and the calendar's ends."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.clock import from_iso, iso
from mindlog.engine import Engine
from mindlog.errors import InvalidInput
from mindlog.records import EncodeRequest
from tests.engine.made import ManualClock, found, keep, opened


async def occurred(engine: Engine, at: str | int, dataset: str = "default") -> str:
    memory_id = await keep(engine, f"at {at}", occurred_at=at, dataset=dataset, allow_duplicates=True)
    return iso((await engine.get(memory_id)).occurred_at)


@pytest.mark.parametrize(
    ("given_as", "comes_out"),
    [
        ("2025-07-25T02:00:00Z", "2025-07-25T02:00:00Z"),
        ("2025-07-25T07:30:00+05:30", "2025-07-25T02:00:00Z"),
        ("2025-07-24T19:00:00-07:00", "2025-07-25T02:00:00Z"),
        ("2025-07-25T02:00:00.5Z", "2025-07-25T02:00:00.500Z"),
        ("2025-07-25T02:00:00.000001Z", "2025-07-25T02:00:00.000001Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
    ],
)
async def test_an_instant_goes_in_with_any_offset_and_comes_out_in_utc(
    engine: Engine, given_as: str | int, comes_out: str
) -> None:
    assert await occurred(engine, given_as) == comes_out


@pytest.mark.parametrize(
    "refused",
    [
        "2025-07-25T02:00:00",  # naive, and the dataset has no zone
        "2025-07-25",
        "yesterday",
        "",
        "\ud800",
        "2025-02-30T00:00:00Z",
        "2025-07-25T25:00:00Z",
        "2025-07-25T02:00:00+99:00",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        10**30,
        -(10**30),
        253_402_300_800_000_000,
        True,
        1.5,
        datetime(2025, 7, 25, tzinfo=UTC),
    ],
)
async def test_what_is_no_instant_is_refused_with_its_field(engine: Engine, refused: str | int) -> None:
    with pytest.raises(InvalidInput) as refusal:
        await engine.encode(EncodeRequest(text="when", occurred_at=refused))
    assert refusal.value.field == "occurred_at"


async def test_a_naive_time_is_taken_in_the_datasets_zone(engine: Engine) -> None:
    await engine.put_dataset("kolkata", timezone="Asia/Kolkata")
    await engine.put_dataset("los-angeles", timezone="America/Los_Angeles")
    assert await occurred(engine, "2025-07-25T07:30:00", "kolkata") == "2025-07-25T02:00:00Z"
    assert await occurred(engine, "2025-07-24T19:00:00", "los-angeles") == "2025-07-25T02:00:00Z"
    assert await occurred(engine, "2025-07-25T02:00:00Z", "kolkata") == "2025-07-25T02:00:00Z"


@pytest.mark.parametrize(
    ("local", "utc"),
    [
        ("2025-03-30T01:59:59", "2025-03-30T00:59:59Z"),
        ("2025-03-30T02:30:00", "2025-03-30T01:30:00Z"),  # skipped: read with the offset before the jump
        ("2025-03-30T03:00:00", "2025-03-30T01:00:00Z"),
        ("2025-10-26T02:30:00", "2025-10-26T00:30:00Z"),  # repeated: the first of the two
        ("2025-10-26T03:00:00", "2025-10-26T02:00:00Z"),
    ],
)
async def test_an_hour_that_the_clocks_skip_or_repeat_has_a_defined_meaning(
    engine: Engine, local: str, utc: str
) -> None:
    await engine.put_dataset("berlin", timezone="Europe/Berlin")
    assert await occurred(engine, local, "berlin") == utc


async def test_a_zone_can_be_changed_and_later_times_are_taken_there(engine: Engine) -> None:
    await engine.put_dataset("d", timezone="UTC")
    before = await keep(engine, "before", dataset="d", occurred_at="2025-01-01T12:00:00")
    await engine.put_dataset("d", timezone="Asia/Tokyo")
    after = await keep(engine, "after", dataset="d", occurred_at="2025-01-01T12:00:00")
    assert iso((await engine.get(before)).occurred_at) == "2025-01-01T12:00:00Z"
    assert iso((await engine.get(after)).occurred_at) == "2025-01-01T03:00:00Z"


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "Europe", "../etc/passwd", "A\0", "\ud800", "x" * 5000, 5])
async def test_a_zone_that_does_not_exist_is_refused(engine: Engine, name: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        await engine.put_dataset("d", timezone=name)
    assert refusal.value.field == "timezone"
    assert "d" not in {dataset.name for dataset in await engine.datasets()}


async def test_without_a_time_it_happened_when_it_was_kept(tmp_path: Path) -> None:
    clock = ManualClock()
    async with opened(tmp_path, clock=clock) as engine:
        memory = await engine.get(await keep(engine, "now"))
        assert memory.occurred_at == memory.created_at == memory.recorded_at == clock.at


async def test_a_day_is_the_same_day_whatever_offset_its_times_were_written_with(engine: Engine) -> None:
    inside = [
        await keep(engine, f"inside {at}", occurred_at=at)
        for at in ("2025-07-25T00:00:00Z", "2025-07-25T05:30:00+05:30", "2025-07-25T16:59:59-07:00")
    ]
    for at in ("2025-07-24T23:59:59Z", "2025-07-26T00:00:00Z", "2025-07-25T05:29:59+05:30"):
        await keep(engine, f"outside {at}", occurred_at=at)
    day = {"after": "2025-07-25T00:00:00Z", "before": "2025-07-26T00:00:00Z"}
    assert set(await found(engine, "inside", day)) == set(inside)


@given(st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999))
def test_every_instant_survives_its_text_form(at: int) -> None:
    assert from_iso(iso(at), field="f") == at
