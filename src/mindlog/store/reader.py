"""A bounded pool of read-only connections, usable from any thread; every query has a deadline. Knows no table.

Connections are handed to those who wait in the order they came: a busy reader cannot starve another.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from mindlog.errors import Busy, Closed
from mindlog.store import filtersql, querylist, runquery
from mindlog.store.connect import open_reader, translated

__all__ = ["ReadPool"]

# SQLite instructions between two looks at the clock: some 0.1 ms.
_STEPS = 20_000


class ReadPool:
    """Hands out connections for one query at a time."""

    def __init__(self, path: Path, size: int, deadline: float) -> None:
        self._path = path
        self._deadline = deadline
        self._mutex = threading.Lock()
        self._free = [_Reader(path) for _ in range(size)]
        self._waiting: deque[_Wait] = deque()
        self._lent = 0
        self._all_back = threading.Event()
        self._closed = False

    @contextmanager
    def connection(self) -> Generator[apsw.Connection]:
        """Lend a connection. Raises `Busy` past the deadline (of the wait or the query), `Closed` after `close`."""
        reader = self._take()
        try:
            reader.deadline = time.monotonic() + self._deadline
            with translated(self._path.parent):
                yield reader.connection
        finally:
            self._give_back(reader)

    def _take(self) -> _Reader:
        with self._mutex:
            if self._closed:
                raise Closed
            if self._free:
                self._lent += 1
                return self._free.pop()
            wait = _Wait()
            self._waiting.append(wait)
        wait.called.acquire(timeout=self._deadline)
        with self._mutex:
            if wait.reader is not None:
                return wait.reader
            if self._closed:
                raise Closed
            self._waiting.remove(wait)
        raise Busy("every read connection is in use")

    def _give_back(self, reader: _Reader) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().call(reader)
                return
            self._lent -= 1
            if not self._closed:
                self._free.append(reader)
                return
            reader.connection.close()
            if not self._lent:
                self._all_back.set()

    def close(self) -> None:
        """Wait for the reads under way, no longer than they may take, and close the connections. Safe to call twice."""
        with self._mutex:
            self._closed = True
            while self._waiting:
                self._waiting.popleft().call(None)
            while self._free:
                self._free.pop().connection.close()
            if not self._lent:
                self._all_back.set()
        self._all_back.wait(self._deadline)


class _Wait:
    """Somebody's place in the row."""

    __slots__ = ("called", "reader")

    def __init__(self) -> None:
        self.called = threading.Lock()
        self.called.acquire()
        self.reader: _Reader | None = None

    def call(self, reader: _Reader | None) -> None:
        self.reader = reader
        self.called.release()


class _Reader:
    """A connection and the moment its query must have ended."""

    def __init__(self, path: Path) -> None:
        self.deadline = 0.0
        self.connection = open_reader(path)
        filtersql.register(self.connection)
        runquery.register(self.connection)
        querylist.register(self.connection)
        self.connection.set_progress_handler(self._is_late, _STEPS)

    def _is_late(self) -> bool:
        return time.monotonic() > self.deadline
