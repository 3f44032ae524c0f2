"""A power cut: only what was fsynced is left. Every acknowledged write must be in it.

A SQLite file system in Python keeps, beside each file, what of it was synced; the cut takes that and nothing else.
"""

from __future__ import annotations

import asyncio
import functools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from mindlog.records import Persisted
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.faults import armed
from tests.store.made import MODEL


class Disk(apsw.VFS):
    """The machine's disk, with a copy of what was synced."""

    def __init__(self, name: str, durable: Path) -> None:
        super().__init__(name, "")
        self.durable = durable

    def xOpen(self, name: Any, flags: list[int]) -> SyncedFile:  # noqa: N802
        return SyncedFile(name, flags, self.durable)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        (self.durable / Path(filename).name).unlink(missing_ok=True)


class SyncedFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], durable: Path) -> None:
        super().__init__("", name, flags)
        self.path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        self.durable = durable

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        shutil.copy(self.path, self.durable / self.path.name)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The directory of what is durable; every connection opened meanwhile is on that disk."""
    durable = tmp_path / "durable"
    durable.mkdir()
    vfs = Disk(f"power-cut-{tmp_path.name}", durable)
    connection = functools.partial(apsw.Connection, vfs=f"power-cut-{tmp_path.name}")
    monkeypatch.setattr("mindlog.store.connect.apsw.Connection", connection)
    yield durable
    monkeypatch.undo()
    vfs.unregister()


def survivors(durable: Path, target: Path) -> list[str]:
    """Cut the power now and open what is durable."""
    shutil.copytree(durable, target)
    return opened(target)


def opened(target: Path) -> list[str]:
    store = SqliteStore.open(target, model=MODEL)
    try:
        assert [row.lsn for row in store.log(1, 10_000)] == list(range(1, store.last_lsn + 1))
        return [each.text for each in store.index_texts()]
    finally:
        store.close()


async def test_every_acknowledged_write_survives_a_power_cut(disk: Path, tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "data", model=MODEL)
    bench = Bench(store)
    acked: list[str] = []
    for number in range(6):
        await bench.persist(f"one {number}")
        acked.append(f"one {number}")
        assert survivors(disk, tmp_path / f"cut {number}") == acked
    await asyncio.gather(*(bench.persist(f"many {n}") for n in range(50)))
    acked += [f"many {n}" for n in range(50)]
    assert sorted(survivors(disk, tmp_path / "cut many")) == sorted(acked)
    outcomes = await bench.store.persist_many([bench.new(f"batch {n}") for n in range(50)])
    assert all(isinstance(outcome, Persisted) for outcome in outcomes)
    acked += [f"batch {n}" for n in range(50)]
    assert sorted(survivors(disk, tmp_path / "cut batch")) == sorted(acked)
    await store.aclose()


async def test_a_power_cut_around_a_checkpoint_loses_nothing(disk: Path, tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "data", model=MODEL)
    bench = Bench(store)
    acked = [f"text {n}" for n in range(200)]
    await bench.fill(acked)
    cut = functools.partial(shutil.copytree, disk)
    before, after = tmp_path / "before", tmp_path / "after"
    with armed("before_checkpoint", lambda: cut(before)), armed("after_checkpoint", lambda: cut(after)):
        await store.checkpoint()
    assert [opened(before), opened(after)] == [acked, acked]
    await bench.persist("after")
    assert survivors(disk, tmp_path / "cut after") == [*acked, "after"]
    await store.aclose()


async def test_what_was_not_committed_does_not_survive(disk: Path, tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "data", model=MODEL)
    bench = Bench(store)
    await bench.persist("kept")
    with armed("in_transaction", lambda: shutil.copytree(disk, tmp_path / "cut")):
        await bench.persist("under way")
    assert opened(tmp_path / "cut") == ["kept"]
    await store.aclose()
