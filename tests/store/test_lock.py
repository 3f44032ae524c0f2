"""One engine at a time on a directory; the lock dies with its process."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mindlog.errors import StoreLocked
from mindlog.store.lock import DirectoryLock
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL

HOLDER = """
import sys
from pathlib import Path
from mindlog.store.sqlite import SqliteStore
from mindlog.store.base import ModelStamp
store = SqliteStore.open(Path(sys.argv[1]), model=ModelStamp(name="tiny", fingerprint="a" * 64, dimensions=8))
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_engine_in_the_process_is_refused_with_the_holders_pid(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, model=MODEL)
    with pytest.raises(StoreLocked, match=str(os.getpid())) as caught:
        SqliteStore.open(tmp_path, model=MODEL)
    assert caught.value.extra == {"pid": str(os.getpid())}
    store.close()
    SqliteStore.open(tmp_path, model=MODEL).close()


def test_a_second_process_is_refused_while_the_first_works_and_gets_in_when_it_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "open\n"
            for _ in range(3):
                with pytest.raises(StoreLocked, match=f"process {holder.pid}"):
                    SqliteStore.open(tmp_path, model=MODEL)
        finally:
            holder.kill()
    store = SqliteStore.open(tmp_path, model=MODEL)
    assert asyncio.run(Bench(store).persist("after")).lsn == 2
    store.close()


def test_a_stale_file_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "LOCK").write_text("999999 and some more\n")
    lock = DirectoryLock(tmp_path)
    assert (tmp_path / "LOCK").read_text() == f"{os.getpid()}\n"
    lock.release()
    lock.release()
