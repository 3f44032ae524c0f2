"""Connections to the database file: how they are opened, and SQLite's errors in mindlog's words. Knows no table."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from mindlog.errors import Busy, InvalidInput, MindlogError, StoreDamaged, StoreError, StoreFull, StoreReadOnly

__all__ = ["APPLICATION_ID", "DATABASE", "Row", "fetch", "open_reader", "open_writer", "translate", "translated"]

DATABASE = "mindlog.db"
APPLICATION_ID = 0x6D6C6F67  # "mlog", in the file's header

Row = tuple[Any, ...]

_BUSY_MS = 5000
# A page is the unit of every commit: with 4 KiB a single memory's commit writes half of what it writes with 8 KiB.
_PAGE_BYTES = 4096
# The writer's working set is the right edges of its tables and the index of request ids.
_WRITER_CACHE_KIB = 32 << 10
_READER_CACHE_KIB = 8 << 10
_STATEMENTS = 128
# After a checkpoint the write-ahead log is cut back to this size when the next write starts it again.
_WAL_KEEP_BYTES = 32 << 20
_MAGIC = b"SQLite format 3\x00"
_SMALLEST_DATABASE = 512
_NO_SPACE_BYTES = 64 << 10


def open_writer(path: Path) -> apsw.Connection:
    """Open the database for writing, creating it. Raises `StoreDamaged`, `StoreReadOnly` or `StoreFull`."""
    _check_header(path)
    with translated(path.parent):
        connection = apsw.Connection(str(path), statementcachesize=_STATEMENTS)
        try:
            _prepare_writer(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare_writer(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(_BUSY_MS)
    for pragma in (
        f"page_size = {_PAGE_BYTES}",
        "journal_mode = WAL",
        "synchronous = FULL",  # with WAL, NORMAL may lose acknowledged commits at a power cut
        "foreign_keys = ON",
        "secure_delete = ON",
        "temp_store = MEMORY",
        "wal_autocheckpoint = 0",  # the writer does it, when it chooses
        f"journal_size_limit = {_WAL_KEEP_BYTES}",
        f"cache_size = -{_WRITER_CACHE_KIB}",
    ):
        connection.execute(f"PRAGMA {pragma}")
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    if connection.readonly("main"):
        raise StoreReadOnly("the database file cannot be written")


def fetch(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[Row]:
    """Run a query and return all its rows."""
    found: Any = connection.execute(sql, values).fetchall()
    return found


def open_reader(path: Path) -> apsw.Connection:
    """Open the database for reading only: nothing can be written through it."""
    with translated(path.parent):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, statementcachesize=_STATEMENTS)
        connection.set_busy_timeout(_BUSY_MS)
        connection.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")
        return connection


def _check_header(path: Path) -> None:
    # SQLite takes a file shorter than a header for an empty database and would write over it.
    if not _size(path):
        return
    try:
        with path.open("rb") as file:
            head = file.read(_SMALLEST_DATABASE)
    except OSError as exc:
        raise StoreReadOnly(f"{path} cannot be read: {exc.strerror}") from exc
    if len(head) < _SMALLEST_DATABASE or not head.startswith(_MAGIC):
        raise StoreDamaged(f"{path} is not a database")
    if _size(path) < _promised(head) and not _size(path.with_name(path.name + "-wal")):
        raise StoreDamaged(f"{path} has {_size(path)} bytes of {_promised(head)}")


def _promised(head: bytes) -> int:
    """Return the file's size as its header tells it; page size 1 stands for 64 KiB."""
    page = int.from_bytes(head[16:18], "big")
    return (65536 if page == 1 else page) * int.from_bytes(head[28:32], "big")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@contextmanager
def translated(directory: Path) -> Generator[None]:
    """Turn SQLite's errors inside the context into mindlog's."""
    try:
        yield
    except (apsw.Error, OverflowError, UnicodeEncodeError) as exc:
        raise translate(exc, directory) from exc


def translate(error: BaseException, directory: Path) -> BaseException:
    """Return mindlog's error for SQLite's, any other as it is."""
    match error:
        case MindlogError():
            return error
        case apsw.FullError():
            return StoreFull(f"the disk that holds {directory} is full")
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            return StoreReadOnly(f"{directory} cannot be written: {error}")
        case apsw.NotADBError() | apsw.CorruptError() | apsw.FormatError():
            return StoreDamaged(f"the database in {directory} is damaged: {error}")
        case apsw.IOError() if _is_full(directory):
            # The shared memory file, unlike the database, reports a full disk as a plain input/output error.
            return StoreFull(f"the disk that holds {directory} is full")
        case apsw.BusyError() | apsw.LockedError():
            return Busy("another program is holding the database's write lock")
        case apsw.InterruptError():
            return Busy("the read took longer than its limit and was stopped")
        case apsw.TooBigError():
            return InvalidInput("the value is larger than a database row can be")
        case apsw.Error():
            return StoreError(f"the database said: {error}")
        case OverflowError():
            return InvalidInput("a number is beyond 64 bits")
        case UnicodeEncodeError():
            return InvalidInput("the text is not valid Unicode: it holds a lone surrogate")
        case _:
            return error


def _is_full(directory: Path) -> bool:
    try:
        return shutil.disk_usage(directory).free < _NO_SPACE_BYTES
    except OSError:
        return False
