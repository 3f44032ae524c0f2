"""A torn write: the write-ahead log cut at every byte of its last commit opens, with everything before it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from mindlog.store.connect import DATABASE, open_reader
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL

WAL = DATABASE + "-wal"
FRAME = 24 + 4096


async def copies(directory: Path, count: int) -> tuple[Path, Path]:
    """Write `count` memories one by one; return copies of the files as they were before and after the last one."""
    store = SqliteStore.open(directory, model=MODEL)
    bench = Bench(store)
    await bench.fill(f"text {n}" for n in range(count - 1))
    before, after = directory.with_name("before"), directory.with_name("after")
    shutil.copytree(directory, before)
    await bench.persist("the last one")
    shutil.copytree(directory, after)
    await store.aclose()
    return before, after


def texts(directory: Path) -> list[str]:
    store = SqliteStore.open(directory, model=MODEL)
    try:
        found = [each.text for each in store.index_texts()]
        assert [row.lsn for row in store.log(1, 1000)] == list(range(1, store.last_lsn + 1))
        assert len(list(store.index_vectors())) == len(found) == store.stats().memories
        return found
    finally:
        store.close()


def cut(source: Path, target: Path, size: int) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    os.truncate(target / WAL, size)


def committed(directory: Path) -> list[str]:
    """Read the texts as a fresh process would, without folding the log."""
    connection = open_reader(directory / DATABASE)
    try:
        lsns = [lsn for (lsn,) in connection.execute("SELECT lsn FROM log ORDER BY lsn")]
        assert lsns == list(range(1, len(lsns) + 1))
        return [str(text) for (text,) in connection.execute("SELECT text FROM memories JOIN embeddings USING (slot)")]
    finally:
        connection.close()
        (directory / f"{DATABASE}-shm").unlink(missing_ok=True)


def cut_down(directory: Path, sizes: Iterable[int], expected: list[str]) -> None:
    """Cut the log shorter and shorter."""
    for size in sorted(sizes, reverse=True):
        os.truncate(directory / WAL, size)
        assert committed(directory) == expected, size


async def test_every_cut_through_the_last_commit_loses_that_commit_alone(tmp_path: Path) -> None:
    before, after = await copies(tmp_path / "data", 6)
    start, end = (before / WAL).stat().st_size, (after / WAL).stat().st_size
    kept = [f"text {n}" for n in range(5)]
    assert committed(after) == [*kept, "the last one"]
    # Every byte around the frames' headers and a stride through the pages' contents; `make chaos` goes by single bytes.
    near = {start + offset for offset in range(end - start) if offset % FRAME < 40 or offset % 61 == 0} | {end - 1}
    for size in sorted(near)[::40]:
        cut(after, tmp_path / "cut", size)
        assert texts(tmp_path / "cut") == kept, size
    cut_down(after, near, kept)


@pytest.mark.chaos
@pytest.mark.timeout(600)
async def test_every_single_byte_of_the_last_commit(tmp_path: Path) -> None:
    before, after = await copies(tmp_path / "data", 4)
    sizes = range((before / WAL).stat().st_size, (after / WAL).stat().st_size)
    cut_down(after, sizes, [f"text {n}" for n in range(3)])


async def test_a_flipped_bit_in_the_last_commit_loses_that_commit_alone(tmp_path: Path) -> None:
    before, after = await copies(tmp_path / "data", 6)
    start, end = (before / WAL).stat().st_size, (after / WAL).stat().st_size
    kept = [f"text {n}" for n in range(5)]
    for offset in range(start, end, 1999):
        cut(after, tmp_path / "cut", end)
        log = bytearray((tmp_path / "cut" / WAL).read_bytes())
        log[offset] ^= 0x10
        (tmp_path / "cut" / WAL).write_bytes(log)
        assert texts(tmp_path / "cut") == kept, offset
