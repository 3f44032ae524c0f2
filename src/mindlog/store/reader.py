"""A bounded pool of read-only connections, usable from any thread; every query has a deadline. Knows no table."""

from __future__ import annotations

import queue
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from mindlog.errors import Busy, Closed
from mindlog.store.connect import open_reader, translated
from mindlog.store.filtersql import register

__all__ = ["ReadPool"]

# SQLite instructions between two looks at the clock: some 0.1 ms.
_STEPS = 20_000


class ReadPool:
    """Hands out connections for one query at a time."""

    def __init__(self, path: Path, size: int, deadline: float) -> None:
        self._path = path
        self._deadline = deadline
        self._closed = False
        self._readers: list[_Reader] = []
        self._free: queue.LifoQueue[_Reader] = queue.LifoQueue()
        for _ in range(size):
            reader = _Reader(path)
            self._readers.append(reader)
            self._free.put(reader)

    @contextmanager
    def connection(self) -> Generator[apsw.Connection]:
        """Lend a connection. Raises `Busy` past the deadline (of the wait or the query), `Closed` after `close`."""
        if self._closed:
            raise Closed
        try:
            reader = self._free.get(timeout=self._deadline)
        except queue.Empty:
            raise Busy("every read connection is in use") from None
        try:
            reader.deadline = time.monotonic() + self._deadline
            with translated(self._path.parent):
                yield reader.connection
        finally:
            self._free.put(reader)

    def close(self) -> None:
        """Wait for the reads under way, then close every connection. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        for _ in self._readers:
            self._free.get().connection.close()


class _Reader:
    """A connection and the moment its query must have ended."""

    def __init__(self, path: Path) -> None:
        self.deadline = 0.0
        self.connection = open_reader(path)
        register(self.connection)
        self.connection.set_progress_handler(self._is_late, _STEPS)

    def _is_late(self) -> bool:
        return time.monotonic() > self.deadline
