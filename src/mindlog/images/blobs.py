"""Files of pictures, each under the fingerprint of its bytes. A file is there, whole and fsynced, before a row names it.

Knows no picture and no store.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from secrets import token_hex

from mindlog.errors import StoreDamaged, StoreFull, StoreReadOnly

__all__ = ["Blobs"]

_PART = ".part"
_FULL = (28, 122)  # no space left, over quota


class Blobs:
    """A folder of files. Every method blocks for the disk: call them on a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, fingerprint: bytes, data: bytes) -> None:
        """Keep the bytes; returns when they are durable. Raises `StoreFull` or `StoreReadOnly`, and then nothing is left."""
        path = self._path(fingerprint)
        if path.exists() and path.stat().st_size == len(data):
            return
        part = self._folder / f"{token_hex(8)}{_PART}"
        try:
            self._make()
            _write(part, data)
            part.replace(path)
            _sync(self._folder)
        except OSError as exc:
            part.unlink(missing_ok=True)
            kind = StoreFull if exc.errno in _FULL else StoreReadOnly
            raise kind(f"the picture cannot be kept in {self._folder}: {exc.strerror}") from exc

    def get(self, fingerprint: bytes) -> bytes:
        """Return the bytes. `StoreDamaged` if they are not there."""
        try:
            return self._path(fingerprint).read_bytes()
        except OSError as exc:
            raise StoreDamaged(f"the picture {fingerprint.hex()} is not in {self._folder}: {exc.strerror}") from exc

    def sweep(self, named: Collection[bytes]) -> int:
        """Delete what no row names: a crash came between file and row. Returns how many; only while nobody puts."""
        if not self._folder.exists():
            return 0
        known = {self._path(fingerprint).name for fingerprint in named}
        orphans = [path for path in self._folder.iterdir() if path.is_file() and path.name not in known]
        for path in orphans:
            path.unlink(missing_ok=True)
        return len(orphans)

    def _path(self, fingerprint: bytes) -> Path:
        return self._folder / fingerprint.hex()

    def _make(self) -> None:
        if not self._folder.exists():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _sync(self._folder.parent)


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    # A file's name is durable only when its folder is.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
