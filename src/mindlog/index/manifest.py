"""Guarded checkpoints: what an index writes to disk is believed only with a manifest that fits it to the byte.

Owns the manifest file and the order of writes and syncs; knows nothing of what the files hold.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from blake3 import blake3

from mindlog.errors import IndexDamaged

__all__ = ["MANIFEST", "check_manifest", "sync_directory", "write_manifest"]

MANIFEST = "manifest.json"
FORMAT = 1
_TEMPORARY = "manifest.tmp"
_BLOCK = 1 << 20
_MAX_BYTES = 16 << 20


def write_manifest(directory: Path, payload: Mapping[str, Any], files: Iterable[str]) -> None:
    """Make the named files of the directory, and then the manifest that vouches for them, durable.

    `payload` is the caller's JSON (by custom with the `lsn` the files are complete up to). Files that are not named
    are not vouched for. The manifest replaces an older one in a single rename: a crash leaves the old or the new one.
    """
    listed = {name: _seal(directory / name) for name in files}
    body = {"format": FORMAT, "payload": dict(payload), "files": listed}
    document = {"body": body, "blake3": _body_hash(body)}
    temporary = directory / _TEMPORARY
    with temporary.open("wb") as out:
        out.write(json.dumps(document).encode())
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(directory / MANIFEST)
    sync_directory(directory)


def check_manifest(directory: Path) -> dict[str, Any]:
    """Return the payload after every vouched file was found whole; `IndexDamaged` with the reason otherwise."""
    body = _read(directory / MANIFEST)
    for name, facts in body["files"].items():
        _verify(directory, name, facts)
    return body["payload"]


def sync_directory(directory: Path) -> None:
    """Make renames and removals in the directory durable, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _seal(path: Path) -> dict[str, Any]:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        return {"size": path.stat().st_size, "blake3": _file_hash(path)}


def _file_hash(path: Path) -> str:
    # Plain reads, not a mapping: a file that shrinks under a mapping kills the process.
    digest = blake3()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _body_hash(body: Mapping[str, Any]) -> str:
    return blake3(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise IndexDamaged(f"{path.name} is larger than a manifest can be")
        document = json.loads(path.read_bytes())
    except FileNotFoundError as exc:
        raise IndexDamaged(f"{path.name} is missing") from exc
    except (OSError, ValueError, RecursionError) as exc:
        raise IndexDamaged(f"{path.name} cannot be read: {exc}") from exc
    body = _body(document, path.name)
    if body["format"] != FORMAT:
        raise IndexDamaged(f"{path.name} has format {body['format']}, this release reads {FORMAT}")
    return body


def _body(document: Any, name: str) -> dict[str, Any]:
    with contextlib.suppress(KeyError, TypeError):
        if document["blake3"] == _body_hash(document["body"]):
            return cast("dict[str, Any]", document["body"])
    raise IndexDamaged(f"{name} does not fit its own checksum")


def _verify(directory: Path, name: str, facts: Mapping[str, Any]) -> None:
    path = directory / name
    try:
        size = path.stat().st_size
        if size != facts["size"]:
            raise IndexDamaged(f"{name} has {size} bytes, not {facts['size']}")
        found = _file_hash(path)
    except OSError as exc:
        raise IndexDamaged(f"{name} cannot be read: {exc}") from exc
    if found != facts["blake3"]:
        raise IndexDamaged(f"{name} does not fit its checksum")
