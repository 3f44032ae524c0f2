"""Instants as text: RFC 3339 in UTC, as short as they can be, and refused where the calendar ends."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.clock import SystemClock, check_instant, from_iso, iso, zone
from mindlog.errors import InvalidInput

FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (1_000, "1970-01-01T00:00:00.001Z"),
        (1_500_000, "1970-01-01T00:00:01.500Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (FIRST, "0001-01-01T00:00:00Z"),
        (LAST, "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_an_instant_is_written_with_as_many_digits_as_it_needs(at: int, text: str) -> None:
    assert iso(at) == text
    assert from_iso(text, field="f") == at


@given(
    st.datetimes(
        timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=9))])
    )
)
def test_a_datetime_and_its_text_are_the_same_instant(moment: datetime) -> None:
    try:
        expected = moment.astimezone(UTC)
    except OverflowError:
        with pytest.raises(InvalidInput):
            from_iso(moment, field="f")
        return
    assert from_iso(moment, field="f") == from_iso(moment.isoformat(), field="f")
    assert iso(from_iso(moment, field="f")).startswith(expected.replace(tzinfo=None, microsecond=0).isoformat())


def test_a_naive_time_needs_a_zone_and_the_refusal_says_what_to_do() -> None:
    with pytest.raises(InvalidInput, match="add one") as refusal:
        from_iso("2025-07-25T02:00:00", field="filters.after")
    assert refusal.value.field == "filters.after"
    assert iso(from_iso("2025-07-25T02:00:00", field="f", default_zone="Asia/Tokyo")) == "2025-07-24T17:00:00Z"
    assert iso(from_iso("2025-07-25", field="f", default_zone="Asia/Tokyo")) == "2025-07-24T15:00:00Z"


@pytest.mark.parametrize("value", [FIRST - 1, LAST + 1, 10**30, True, 1.5, "2025", None])
def test_an_instant_outside_the_calendar_or_of_another_type_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_instant(value, "f")
    assert refusal.value.field == "f"


def test_the_ends_of_the_calendar_are_instants() -> None:
    assert (check_instant(FIRST, "f"), check_instant(LAST, "f")) == (FIRST, LAST)


def test_a_zone_is_found_by_its_iana_name_only() -> None:
    assert str(zone("Europe/Oslo")) == "Europe/Oslo"
    for name in ("Oslo", "europe", "", "../x", 5):
        with pytest.raises(InvalidInput):
            zone(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("machine", ["America/Los_Angeles", "Asia/Kolkata", "UTC"])
def test_the_machines_own_zone_plays_no_part(machine: str) -> None:
    code = (
        "from mindlog.clock import iso, from_iso;"
        "print(iso(0), from_iso('2025-07-25T02:00:00Z', field='f'),"
        "from_iso('2025-07-25T02:00:00', field='f', default_zone='Asia/Tokyo'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TZ": machine}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1970-01-01T00:00:00Z", "1753408800000000", "1753376400000000"]


def test_the_system_clock_counts_microseconds_since_the_epoch() -> None:
    before = datetime.now(UTC)
    now = SystemClock().now()
    assert (
        before - timedelta(seconds=1)
        <= datetime.fromtimestamp(now / 1e6, UTC)
        <= datetime.now(UTC) + timedelta(seconds=1)
    )
