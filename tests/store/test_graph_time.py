"""Beliefs on a clock that is moved by hand: two changes in one moment, a clock that goes back, a crash between them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from mindlog.store.connect import DATABASE
from mindlog.store.graphrows import GraphWrite, Interval, ValidityRow
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.conformance.knowing import ALWAYS, Fact, Knowing
from mindlog.testing.faults import armed
from tests.store.made import MODEL, HandClock

BONN: Fact = ("Anna", "lives_in", "Bonn")
ENDED = Interval(valid_from=None, valid_to=50)


@pytest.fixture
def clock() -> HandClock:
    return HandClock(100)


@pytest.fixture
def knowing(tmp_path: Path, clock: HandClock) -> Iterator[Knowing]:
    store = SqliteStore.open(tmp_path / "data", model=MODEL, clock=clock)
    yield Knowing(Bench(store))
    asyncio.run(store.aclose())


async def believe(knowing: Knowing, *intervals: Interval) -> None:
    timeline = knowing.timeline({BONN: intervals})
    await knowing.bench.store.write_graph(GraphWrite(dataset=knowing.number, timelines=(timeline,)))


def history(knowing: Knowing, path: Path) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path / "data" / DATABASE), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute("SELECT valid_to, recorded_at, invalidated_at FROM validities ORDER BY id").fetchall()
    connection.close()
    return rows


async def test_what_is_replaced_in_its_own_moment_was_never_believed(
    knowing: Knowing, clock: HandClock, tmp_path: Path
) -> None:
    await knowing.learn("Anna lives in Bonn", facts=[BONN])
    await believe(knowing, ENDED)
    assert history(knowing, tmp_path) == [(50, 100, None)]
    clock.at = 200
    await believe(knowing, ALWAYS)
    await believe(knowing, ENDED)
    assert history(knowing, tmp_path) == [(50, 100, 200), (50, 200, None)]
    for instant in (99, 100, 150, 199, 200, 300):
        found = [each.valid_to for row in knowing.known(known_at=instant, current=False) for each in row.validities]
        assert found == ([] if instant < 100 else [50])


async def test_a_belief_ends_at_the_moment_of_the_next(knowing: Knowing, clock: HandClock) -> None:
    await knowing.learn("Anna lives in Bonn", facts=[BONN])
    clock.at = 200
    await believe(knowing, ENDED)
    (before,) = knowing.row(BONN, known_at=199).validities
    (after,) = knowing.row(BONN, known_at=200).validities
    assert (before.valid_to, before.recorded_at, before.invalidated_at) == (None, 100, 200)
    assert after == ValidityRow(valid_from=None, valid_to=50, superseded_by=None, recorded_at=200, invalidated_at=None)


async def test_a_clock_that_went_back_leaves_no_belief_that_ends_before_it_begins(
    knowing: Knowing, clock: HandClock, tmp_path: Path
) -> None:
    await knowing.learn("Anna lives in Bonn", facts=[BONN])
    clock.at = 60
    await believe(knowing, ENDED)
    assert history(knowing, tmp_path) == [(50, 60, None)]


@pytest.mark.parametrize("window", ["in_transaction", "after_commit_before_ack"])
async def test_a_crash_in_a_forget_leaves_the_mark_if_it_leaves_the_forget(
    knowing: Knowing, tmp_path: Path, window: str
) -> None:
    slot = (await knowing.learn("Anna lives in Bonn", facts=[BONN])).id.slot
    with armed(window, lambda: shutil.copytree(tmp_path / "data", tmp_path / "copy")):
        await knowing.bench.store.forget(knowing.number, [slot])
    survivor = SqliteStore.open(tmp_path / "copy", model=MODEL)
    marked = [group[2] for group in survivor.stale_groups(9)]
    seen = survivor.mentions([slot])
    await survivor.aclose()
    assert (marked, bool(seen)) == (([], True) if window == "in_transaction" else (["lives_in"], False))
