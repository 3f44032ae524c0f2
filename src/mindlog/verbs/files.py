"""What callers give as a file of theirs: bytes, or a path that is read when the request is sent. Owns reading it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Generic, TypeVar, cast

from mindlog.errors import InvalidInput
from mindlog.views import ImageRequest, RememberRequest

__all__ = ["Path", "Upload", "octets"]

Request = TypeVar("Request", RememberRequest, ImageRequest)

Path = str | os.PathLike[str]
"""A file of the caller's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload(Generic[Request]):
    """A request whose bytes may still be in a file."""

    request: Request
    path: Path | None = None

    def read(self, limit: int | None = None) -> Request:
        """Return the request with the file's bytes and name; of a file over `limit` bytes, one more than that.

        Reads the file, so it is not for an event loop.

        Raises:
            InvalidInput: the file cannot be read.
        """
        if self.path is None:
            return self.request
        path = FilePath(self.path)
        try:
            with path.open("rb") as file:
                data = file.read(-1 if limit is None else limit + 1)
        except (OSError, ValueError) as exc:
            raise InvalidInput(f"path: {str(self.path)[:200]!r} cannot be read: {exc}", field="path") from exc
        return replace(self.request, data=data, name=self.request.name or path.name)


def octets(data: object) -> bytes | None:
    """Return what a caller gave as bytes. `InvalidInput` for anything that holds none."""
    if data is None or isinstance(data, bytes):
        return data
    if isinstance(data, bytearray | memoryview):
        return bytes(cast("bytearray", data))
    raise InvalidInput("data: must be bytes", field="data")
