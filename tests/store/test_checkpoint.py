"""When the write-ahead log is folded: at its size, when idle, not again and again when it cannot be."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import mindlog
from mindlog.derive.pipeline import DERIVE
from mindlog.pipeline import Stage, names
from mindlog.remember.pipeline import REMEMBER
from mindlog.store.checkpoint import Checkpointer
from mindlog.store.connect import open_reader, open_writer
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.faults import WINDOWS, armed, fault, raising
from tests.store.made import MODEL


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    database = open_writer(tmp_path / "some.db")
    database.execute("CREATE TABLE t (a)")
    yield database
    database.close()


def grow(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO t VALUES (zeroblob(40000))")


def wal(tmp_path: Path) -> Path:
    return tmp_path / "some.db-wal"


def test_the_log_starts_again_at_its_size(connection: apsw.Connection, tmp_path: Path) -> None:
    checkpointer = Checkpointer(connection, pages=30)
    sizes: list[int] = []
    for _ in range(40):
        grow(connection)
        checkpointer.fold(idle=False)
        sizes.append(wal(tmp_path).stat().st_size)
    assert max(sizes) < 60 * 4120
    checkpointer.truncate()
    assert wal(tmp_path).stat().st_size == 0
    assert not checkpointer.wants_to_fold


def test_a_reader_of_an_old_snapshot_puts_the_folding_off_and_no_longer_than_it_reads(
    connection: apsw.Connection, tmp_path: Path
) -> None:
    checkpointer = Checkpointer(connection, pages=10)
    grow(connection)
    reader = open_reader(tmp_path / "some.db")
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM t").fetchall() == [(1,)]
    for _ in range(5):
        grow(connection)
        checkpointer.fold(idle=False)
    grown = wal(tmp_path).stat().st_size
    assert checkpointer.wants_to_fold
    assert reader.execute("SELECT count(*) FROM t").fetchall() == [(1,)]
    reader.execute("COMMIT")
    checkpointer.fold(idle=True)
    assert not checkpointer.wants_to_fold
    grow(connection)
    assert wal(tmp_path).stat().st_size == grown  # written from its start again
    reader.close()


def test_a_folding_that_fails_is_not_tried_again_before_the_next_commit(connection: apsw.Connection) -> None:
    checkpointer = Checkpointer(connection, pages=10)
    grow(connection)
    assert checkpointer.wants_to_fold
    with armed("before_checkpoint", raising(apsw.FullError)), pytest.raises(apsw.FullError):
        checkpointer.fold(idle=True)
    assert not checkpointer.wants_to_fold
    grow(connection)
    assert checkpointer.wants_to_fold


async def test_an_idle_store_folds_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindlog.store.writer._IDLE_SECONDS", 0.01)
    folded = threading.Event()
    store = SqliteStore.open(tmp_path, model=MODEL)
    with armed("after_checkpoint", folded.set):
        await Bench(store).persist("text")
        assert await asyncio.to_thread(folded.wait, 10)
    await store.aclose()


async def test_a_store_whose_log_cannot_be_folded_says_so_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("mindlog.store.writer._IDLE_SECONDS", 0.01)
    tried = threading.Event()

    def fail() -> None:
        tried.set()
        raise apsw.IOError

    store = SqliteStore.open(tmp_path, model=MODEL)
    with armed("before_checkpoint", fail), caplog.at_level(logging.WARNING):
        await Bench(store).persist("text")
        assert await asyncio.to_thread(tried.wait, 10)
        await Bench(store).persist("more")
        await store.aclose()
    assert "could not be folded" in caplog.text
    store = SqliteStore.open(tmp_path, model=MODEL)
    assert [each.text for each in store.index_texts()] == ["text", "more"]
    store.close()


def test_every_crash_window_is_in_the_code_and_unknown_ones_are_refused() -> None:
    package = Path(mindlog.__file__).parent
    code = "\n".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    of_stages = {
        f"{when}_stage:{stage}"
        for when in ("before", "in")
        if f'f"{when}_stage:{{name}}"' in code
        for stage in (*names(DERIVE), *(step.name for step in REMEMBER if isinstance(step, Stage)))
    }
    of_texts = {name for name in WINDOWS if f'fault(f"{name}:' in code}
    assert {name for name in WINDOWS if f'fault("{name}")' in code} | of_stages | of_texts == set(WINDOWS)
    with pytest.raises(KeyError, match="no crash window"), armed("somewhere", raising(RuntimeError)):
        raise AssertionError("an unknown window was armed")
    fault("in_transaction")
