"""Vector segments on disk: a directory of flat arrays under a manifest, written whole or not at all, then mapped.

Owns the file layout, the names and the recovery from a half-finished write; knows no row and no search.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mindlog.errors import IndexDamaged
from mindlog.index.arena import Windows
from mindlog.index.manifest import check_manifest, sync_directory, write_manifest

__all__ = ["Picked", "Segment", "SegmentStore"]

log = logging.getLogger(__name__)

FORMAT = 1
_BLOCK_BYTES = 8 << 20
_ARRAYS: dict[str, DTypeLike] = {
    "slots": "<i8",
    "versions": "<u4",
    "starts": "<i8",
    "bits": "<u8",
    "codes": "<i1",
    "scales": "<f4",
    "floats": "<f4",
}


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """Memories picked from some windows, by their positions in it."""

    windows: Windows
    memories: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segment:
    """A segment that was read: its name, its windows (mapped) and the LSN it was complete up to."""

    name: str
    windows: Windows
    lsn: int


class SegmentStore:
    """The segments of one vector index. `model` is the fingerprint of the model the vectors were made with."""

    def __init__(self, directory: Path, dimensions: int, model: str) -> None:
        self._directory = directory
        self._dimensions = dimensions
        self._model = model
        self._next = 1

    def open(self) -> tuple[list[Segment], list[str]]:
        """Read every whole segment, remove the rest, and say why each of those was refused."""
        self._directory.mkdir(parents=True, exist_ok=True)
        payloads, refused = self._check()
        replaced = {name for payload in payloads.values() for name in payload["replaces"]}
        for name in replaced:
            self.remove(name)
        names = sorted(payloads.keys() - replaced)
        self._next = 1 + max((_number(name) for name in payloads.keys() | replaced), default=0)
        return [self._read(name, payloads[name]) for name in names], refused

    def _check(self) -> tuple[dict[str, dict[str, Any]], list[str]]:
        payloads: dict[str, dict[str, Any]] = {}
        refused: list[str] = []
        for path in sorted(self._directory.iterdir()):
            if not _number(path.name):
                # What a killed write left under its temporary name, or a stranger's file: never read.
                _remove(path)
                continue
            try:
                payloads[path.name] = self._accept(path)
            except IndexDamaged as exc:
                log.warning("Vector segment %s is refused and rebuilt: %s", path.name, exc.detail)
                refused.append(f"{path.name}: {exc.detail}")
                _remove(path)
        return payloads, refused

    def _accept(self, path: Path) -> dict[str, Any]:
        payload = check_manifest(path)
        for key, mine in (("format", FORMAT), ("dimensions", self._dimensions), ("model", self._model)):
            if payload.get(key) != mine:
                raise IndexDamaged(f"its {key} is {payload.get(key)!r}, this index has {mine!r}")
        return payload

    def _read(self, name: str, payload: dict[str, Any]) -> Segment:
        arrays = {array: _map(self._directory / name / array, dtype) for array, dtype in _ARRAYS.items()}
        return Segment(name=name, windows=self._shaped(arrays), lsn=int(payload["lsn"]))

    def _shaped(self, arrays: dict[str, NDArray[Any]]) -> Windows:
        count = len(arrays["scales"])
        # Small and read at random: better in memory than behind page faults.
        small = {name: np.array(arrays[name]) for name in ("slots", "versions", "starts", "scales")}
        return Windows(
            slots=small["slots"],
            versions=small["versions"],
            starts=small["starts"],
            scales=small["scales"],
            bits=arrays["bits"].reshape(-1, count),
            codes=arrays["codes"].reshape(count, self._dimensions),
            floats=arrays["floats"].reshape(count, self._dimensions),
        )

    def write(self, picked: Sequence[Picked], replaces: Sequence[str], lsn: int) -> Segment:
        """Write the picked memories as one new segment in place of those named, which stay until `remove`.

        A crash at any point leaves the old segments or, from the rename on, the new one.
        """
        name = f"segment-{self._next:08d}"
        self._next += 1
        temporary = self._directory / f"{name}.tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        payload = {
            "format": FORMAT,
            "dimensions": self._dimensions,
            "model": self._model,
            "lsn": lsn,
            "replaces": list(replaces),
        }
        try:
            for array in _ARRAYS:
                _write(temporary / array, _blocks(array, picked))
            write_manifest(temporary, payload, _ARRAYS)
            temporary.rename(self._directory / name)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)  # on a full disk what was begun must not stay
        sync_directory(self._directory)
        return self._read(name, payload)

    def remove(self, name: str) -> None:
        """Delete a segment."""
        _remove(self._directory / name)


def _number(name: str) -> int:
    """Return the number of a segment's name, 0 if it is not one."""
    head, _, digits = name.partition("-")
    return int(digits) if head == "segment" and digits.isdecimal() and digits.isascii() else 0


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        # Where an open mapping keeps its file (Windows) the rest goes at the next open.
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _map(path: Path, dtype: DTypeLike) -> NDArray[Any]:
    return np.asarray(np.memmap(path, dtype, mode="r"))


def _blocks(array: str, picked: Sequence[Picked]) -> Iterator[NDArray[Any]]:
    spans = [some.windows.of(some.memories) for some in picked]
    match array:
        case "slots" | "versions":
            for some in picked:
                yield getattr(some.windows, array)[some.memories]
        case "starts":
            yield np.concatenate(([0], np.cumsum(np.concatenate([lengths for _, lengths in spans]))))
        case "bits":
            sides = zip(picked, spans, strict=True)
            yield np.concatenate([some.windows.bits.take(places, axis=1) for some, (places, _) in sides], axis=1)
        case _:
            for some, (places, _) in zip(picked, spans, strict=True):
                yield from _taken(getattr(some.windows, array), places)


def _taken(source: NDArray[Any], places: NDArray[np.int64]) -> Iterator[NDArray[Any]]:
    step = max(1, _BLOCK_BYTES // source[:1].nbytes)
    for start in range(0, len(places), step):
        yield source.take(places[start : start + step], axis=0)


def _write(path: Path, blocks: Iterator[NDArray[Any]]) -> None:
    with path.open("wb") as out:
        for block in blocks:
            out.write(np.ascontiguousarray(block).data)
            _settle(out)


def _settle(out: BinaryIO) -> None:
    # Little by little: one sync of a large file at the end would hold up the log's own syncs on the same disk.
    out.flush()
    os.fsync(out.fileno())
