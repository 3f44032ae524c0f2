"""A full disk: the write fails and says why, the store goes on, and nothing that was acknowledged is lost."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from mindlog.errors import StoreError, StoreFull
from mindlog.records import Persisted
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL

LONG = "word " * 4000


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MiB."""
    mount = tmp_path / "disk"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(mount)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no mount command: {error}")
    if done.returncode != 0:
        pytest.skip(f"a file system cannot be mounted here: {done.stderr.strip()}")
    yield mount
    subprocess.run(["umount", str(mount)], check=True)


async def fill_up(bench: Bench) -> list[Persisted]:
    """Write until the disk is full; return what was acknowledged."""
    acked: list[Persisted] = []
    for number in range(10_000):
        try:
            acked.append(await bench.persist(f"{number} {LONG}"))
        except StoreFull:
            return acked
    raise AssertionError("the disk was never full")


def numbers(store: SqliteStore) -> list[str]:
    return [each.text.split()[0] for each in store.index_texts()]


async def test_when_the_database_may_not_grow_writes_fail_until_it_may(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, model=MODEL)
    bench = Bench(store)
    await bench.persist("first")
    connection: apsw.Connection = store._writer._connection
    pages = connection.execute("PRAGMA page_count").fetchall()[0][0]
    connection.execute(f"PRAGMA max_page_count = {pages + 60}")
    acked = await fill_up(bench)
    assert acked
    last = store.last_lsn
    # A batch too large for what is left: what fits is kept, the rest fails, in one call.
    outcomes = await store.persist_many([bench.new(f"batch {n} {LONG}") for n in range(20)])
    assert any(isinstance(outcome, StoreFull) for outcome in outcomes)
    kept = [outcome.lsn for outcome in outcomes if isinstance(outcome, Persisted)]
    assert kept == list(range(last + 1, last + 1 + len(kept)))
    assert store.dataset("default") is not None
    connection.execute("PRAGMA max_page_count = 1000000")
    assert (await bench.persist("after")).lsn == last + len(kept) + 1
    await store.aclose()


async def test_a_full_file_system_loses_nothing_and_is_survived(tiny_disk: Path) -> None:
    data, ballast = tiny_disk / "data", tiny_disk / "ballast"
    ballast.write_bytes(b"x" * (1 << 20))
    store = SqliteStore.open(data, model=MODEL)
    bench = Bench(store)
    acked = await fill_up(bench)
    assert acked
    assert numbers(store) == [str(n) for n in range(len(acked))]
    with pytest.raises(StoreFull):
        await bench.persist(LONG)
    os.unlink(ballast)
    after = await bench.persist(f"after {LONG}")
    assert after.lsn == acked[-1].lsn + 1
    await store.aclose()
    store = SqliteStore.open(data, model=MODEL)
    assert numbers(store) == [*(str(n) for n in range(len(acked))), "after"]
    store.close()


async def test_closing_on_a_full_file_system_keeps_what_was_acknowledged(tiny_disk: Path) -> None:
    store = SqliteStore.open(tiny_disk / "data", model=MODEL)
    acked = await fill_up(Bench(store))
    (tiny_disk / "rest").write_bytes(b"")
    await store.aclose()
    store = SqliteStore.open(tiny_disk / "data", model=MODEL)
    assert numbers(store) == [str(n) for n in range(len(acked))]
    store.close()


def test_a_store_that_cannot_even_be_made_says_the_disk_is_full(tiny_disk: Path) -> None:
    (tiny_disk / "ballast").write_bytes(b"x" * ((3 << 20) - (12 << 10)))
    with pytest.raises(StoreError) as caught:
        SqliteStore.open(tiny_disk / "data", model=MODEL)
    assert isinstance(caught.value, StoreFull)
