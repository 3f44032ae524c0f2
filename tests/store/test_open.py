"""What opening refuses, and how: damaged files, read-only directories, another model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mindlog.errors import ModelMismatch, StoreDamaged, StoreError, StoreReadOnly
from mindlog.store.connect import DATABASE
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL, OTHER

NOBODY = 65534


async def filled(directory: Path, count: int = 20) -> None:
    store = SqliteStore.open(directory, model=MODEL)
    await Bench(store).fill(f"text {n}" for n in range(count))
    await store.aclose()


def test_a_directory_that_is_not_there_is_made(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "a" / "b", model=MODEL)
    assert store.stats().memories == 0
    store.close()


@pytest.mark.parametrize("content", [b"x", b"SQLite format 3\0", b"not a database" * 100, os.urandom(8192)])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / DATABASE).write_bytes(content)
    with pytest.raises(StoreDamaged):
        SqliteStore.open(tmp_path, model=MODEL)
    assert (tmp_path / DATABASE).read_bytes() == content


@pytest.mark.parametrize("size", [1, 40, 99, 100, 511, 512, 5000, -4096])
async def test_a_truncated_database_is_refused(tmp_path: Path, size: int) -> None:
    await filled(tmp_path)
    os.truncate(tmp_path / DATABASE, size % (tmp_path / DATABASE).stat().st_size)
    with pytest.raises(StoreDamaged):
        SqliteStore.open(tmp_path, model=MODEL)


async def test_a_refused_directory_is_not_left_locked(tmp_path: Path) -> None:
    await filled(tmp_path)
    whole = (tmp_path / DATABASE).read_bytes()
    (tmp_path / DATABASE).write_bytes(b"rubbish" * 1000)
    with pytest.raises(StoreDamaged):
        SqliteStore.open(tmp_path, model=MODEL)
    (tmp_path / DATABASE).write_bytes(whole)
    store = SqliteStore.open(tmp_path, model=MODEL)
    assert store.stats().memories == 20
    store.close()


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreReadOnly):
        SqliteStore.open(tmp_path / "file", model=MODEL)


def open_as_another_user(directory: Path) -> str:
    """Open in a process for which permissions count (root may write anywhere); return the error's name."""
    code = (
        "import sys, os; from pathlib import Path\n"
        "from mindlog.store.sqlite import SqliteStore; from mindlog.store.base import ModelStamp\n"
        "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        f"try: SqliteStore.open(Path({str(directory)!r}), model=ModelStamp(name='tiny', fingerprint={'a' * 64!r}, dimensions=8))\n"
        "except Exception as error: print(type(error).__name__)\n"
        "else: print('opened')\n"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def reachable(tmp_path: Path) -> Path:
    """A directory that other users can reach."""
    for parent in [tmp_path, *tmp_path.parents]:
        if parent.stat().st_uid == os.getuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX permissions")
async def test_a_directory_that_cannot_be_written_is_refused(reachable: Path) -> None:
    data = reachable / "data"
    await filled(data)
    data.chmod(0o555)
    try:
        assert open_as_another_user(data) == "StoreReadOnly"
        assert open_as_another_user(reachable / "data" / "new") == "StoreReadOnly"
    finally:
        data.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX permissions")
async def test_a_database_file_that_cannot_be_written_is_refused(reachable: Path) -> None:
    data = reachable / "data"
    await filled(data)
    data.chmod(0o777)
    (data / DATABASE).chmod(0o444)
    (data / "LOCK").unlink()
    assert open_as_another_user(data) == "StoreReadOnly"


async def test_another_model_is_refused_with_both_fingerprints_and_the_command(tmp_path: Path) -> None:
    await filled(tmp_path)
    for other in (OTHER, replace(MODEL, fingerprint="c" * 64), replace(MODEL, dimensions=9)):
        with pytest.raises(ModelMismatch) as caught:
            SqliteStore.open(tmp_path, model=other)
        assert MODEL.fingerprint in caught.value.detail
        assert other.fingerprint in caught.value.detail
        assert f"mindlog reindex --data {tmp_path}" in caught.value.detail
    SqliteStore.open(tmp_path, model=replace(MODEL, name="another name")).close()


async def test_the_model_can_be_asked_for_without_opening(tmp_path: Path) -> None:
    assert SqliteStore.inspect_model(tmp_path) is None
    await filled(tmp_path)
    assert SqliteStore.inspect_model(tmp_path) == MODEL
    store = SqliteStore.open(tmp_path, model=MODEL)
    assert SqliteStore.inspect_model(tmp_path) == MODEL
    store.close()
    (tmp_path / DATABASE).write_bytes(b"rubbish" * 1000)
    with pytest.raises(StoreError):
        SqliteStore.inspect_model(tmp_path)


async def test_a_copy_of_a_closed_stores_database_file_is_the_whole_store(tmp_path: Path) -> None:
    await filled(tmp_path / "a", count=300)
    (tmp_path / "b").mkdir()
    shutil.copy(tmp_path / "a" / DATABASE, tmp_path / "b" / DATABASE)
    store = SqliteStore.open(tmp_path / "b", model=MODEL)
    assert len(list(store.catalog())) == 300
    store.close()
