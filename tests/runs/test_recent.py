"""A moment after a write derivation lets other writes go first, and then no longer."""

from __future__ import annotations

from pathlib import Path

from mindlog.runs.recent import RecentWrites
from tests.runs.made import house


async def test_a_write_makes_it_busy_for_a_moment_and_a_claim_does_not(tmp_path: Path) -> None:
    seconds = 100.0
    async with house(tmp_path) as home:
        await home.keep("before")
        recent = RecentWrites(home.store, lambda: seconds)
        assert not recent.any()
        await home.keep("now")
        assert recent.any()
        seconds += 0.1
        assert not recent.any()
        await home.claim()
        assert not recent.any()
