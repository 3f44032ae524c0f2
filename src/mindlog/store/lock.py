"""The data directory's lock: one engine at a time. Owns the LOCK file; knows no database.

The lock is the operating system's and dies with the process, so a stale file never keeps anyone out.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from mindlog.errors import StoreLocked, StoreReadOnly

__all__ = ["DirectoryLock"]

_NAME = "LOCK"


class DirectoryLock:
    """An exclusive hold on a data directory, from construction to `release`."""

    def __init__(self, directory: Path) -> None:
        """Take the lock. Raises `StoreLocked` naming the holder's pid, or `StoreReadOnly`."""
        path = directory / _NAME
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as exc:
            raise StoreReadOnly(f"{directory} cannot be written: {exc.strerror}") from exc
        try:
            # flock belongs to the open file, so a second engine in this process is refused as well.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(descriptor)
            raise StoreLocked(f"{directory} is open in process {holder}", pid=holder) from exc
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Let go. Safe to call twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
