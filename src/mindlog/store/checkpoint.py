"""When and how the write-ahead log is folded into the database. Knows no table; used by the writer thread alone.

SQLite's own passive checkpoints never start the log again while anyone reads, so it grows without bound; and every
checkpoint stands between two commits. So: one that starts the log again when it has grown to a size, and when idle.
"""

from __future__ import annotations

import apsw

from mindlog.testing.faults import fault

__all__ = ["Checkpointer"]

# 8 MiB of 4 KiB pages: a checkpoint of it takes a few milliseconds, and hot pages are written once for many commits.
_PAGES = 2048
# How long a checkpoint waits for readers of older snapshots; then the log grows a little more before the next try.
_PATIENCE_MS = 20
_BUSY_MS = 5000


class Checkpointer:
    """Watches the log's length and folds it."""

    def __init__(self, connection: apsw.Connection, pages: int = _PAGES) -> None:
        self._connection = connection
        self._step = pages
        self._limit = pages
        self._pages = 0
        self._failed = False
        connection.set_wal_hook(self._committed)

    @property
    def wants_to_fold(self) -> bool:
        """Whether idle time is of use: something is in the log, and the last try did not fail with it as it is."""
        return self._pages > 0 and not self._failed

    def _committed(self, connection: apsw.Connection, name: str, pages: int) -> int:
        self._pages, self._failed = pages, False
        return apsw.SQLITE_OK

    def fold(self, *, idle: bool) -> None:
        """Fold the log if it has reached its size, or whatever it holds when there is nothing else to do."""
        if self._pages >= (1 if idle else self._limit):
            self._restart()

    def _restart(self) -> None:
        # Unless it succeeds: no next try before the log has grown by as much again.
        self._limit, self._failed = self._pages + self._step, True
        fault("before_checkpoint")
        self._connection.set_busy_timeout(_PATIENCE_MS)
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
            self._folded()
        except apsw.BusyError:
            self._failed = False
        finally:
            self._connection.set_busy_timeout(_BUSY_MS)
        fault("after_checkpoint")

    def _folded(self) -> None:
        self._pages, self._limit, self._failed = 0, self._step, False

    def truncate(self) -> None:
        """Fold everything and cut the file to nothing, waiting for readers as long as `busy_timeout`."""
        fault("before_checkpoint")
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._folded()
        fault("after_checkpoint")
