"""The lexical segment on disk: every dataset's postings and the vocabulary, as flat arrays under a manifest.

Owns the layout and the replacement of one segment by the next; knows no search. Read whole into memory, never mapped.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mindlog.errors import IndexDamaged
from mindlog.index.analyzer import ANALYZER_VERSION
from mindlog.index.manifest import check_manifest, sync_directory, write_manifest
from mindlog.index.postings import Postings
from mindlog.index.shelf import SavedShelf
from mindlog.index.vocabulary import FIRST_CONTENT_TERM

__all__ = ["LexicalSegment", "LexicalSegments"]

log = logging.getLogger(__name__)

FORMAT = 1
_BLOCK = 8 << 20
_VOCABULARY = "vocabulary"
_ARRAYS: dict[str, DTypeLike] = {
    "shelves": "<i8",  # of each dataset: its number, documents, terms, postings
    "slots": "<i8",
    "versions": "<i8",
    "lengths": "<i4",
    "terms": "<i4",
    "sizes": "<i8",  # postings of each term
    "docs": "<i4",
    "counts": "<u2",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LexicalSegment:
    """A segment in memory. `terms` are those after the function words, in the order of their numbers."""

    terms: list[str]
    shelves: list[SavedShelf]
    lsn: int


class LexicalSegments:
    """The directory of one index's segment. It holds one; two for the moment in which one replaces the other."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._number = 0

    def open(self) -> tuple[LexicalSegment | None, str | None]:
        """Return the newest whole segment, if any, and why others were refused. Clears away everything else."""
        self._directory.mkdir(parents=True, exist_ok=True)
        found: LexicalSegment | None = None
        refused: list[str] = []
        for path in sorted(self._directory.iterdir(), reverse=True):
            self._number = max(self._number, _number(path.name))
            if found is None and _number(path.name):
                try:
                    found = _read(path)
                    continue
                except IndexDamaged as exc:
                    log.warning("Lexical segment %s is refused and rebuilt: %s", path.name, exc.detail)
                    refused.append(f"{path.name}: {exc.detail}")
            _remove(path)
        return found, "; ".join(refused) or None

    def write(self, shelves: Sequence[SavedShelf], terms: Sequence[str], lsn: int) -> None:
        """Put a segment in the place of the last one. A crash at any point leaves one of the two, whole."""
        self._number += 1
        name = f"segment-{self._number:08d}"
        temporary = self._directory / f"{name}.tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        _write_files(temporary, shelves, terms)
        payload = {"format": FORMAT, "analyzer": ANALYZER_VERSION, "lsn": lsn}
        write_manifest(temporary, payload, (*_ARRAYS, _VOCABULARY))
        temporary.rename(self._directory / name)
        sync_directory(self._directory)
        for path in self._directory.iterdir():
            if path.name != name:
                _remove(path)


def _write_files(directory: Path, shelves: Sequence[SavedShelf], terms: Sequence[str]) -> None:
    used = np.zeros(len(terms), np.bool_)
    used[:FIRST_CONTENT_TERM] = True
    for shelf in shelves:
        used[shelf.postings.terms] = True
    numbers = (np.cumsum(used) - 1).astype(np.int32)
    for array, dtype in _ARRAYS.items():
        _write(directory / array, (_column(array, shelf, numbers).astype(dtype, copy=False) for shelf in shelves))
    kept = list(compress(terms, used.tolist()))[FIRST_CONTENT_TERM:]
    (directory / _VOCABULARY).write_bytes("\n".join(kept).encode())


def _column(array: str, shelf: SavedShelf, numbers: NDArray[np.int32]) -> NDArray[Any]:
    postings = shelf.postings
    match array:
        case "shelves":
            return np.array([shelf.dataset, shelf.slots.size, postings.terms.size, postings.size])
        case "terms":
            return numbers[postings.terms]
        case "sizes":
            return np.diff(postings.starts)
        case "docs" | "counts":
            return getattr(postings, array)
        case _:
            return getattr(shelf, array)


def _write(path: Path, arrays: Iterable[NDArray[Any]]) -> None:
    unsynced = 0
    with path.open("wb") as out:
        for array in arrays:
            data = np.ascontiguousarray(array).view(np.uint8)
            for start in range(0, data.size, _BLOCK):
                out.write(data[start : start + _BLOCK].data)
                unsynced += min(_BLOCK, data.size - start)
                if unsynced >= _BLOCK:
                    # Little by little: one sync of a large file at the end holds up the log's syncs on the same disk.
                    out.flush()
                    os.fsync(out.fileno())
                    unsynced = 0


def _read(path: Path) -> LexicalSegment:
    payload = check_manifest(path)
    for key, mine in (("format", FORMAT), ("analyzer", ANALYZER_VERSION)):
        if payload.get(key) != mine:
            raise IndexDamaged(f"its {key} is {payload.get(key)!r}, this release has {mine!r}")
    try:
        columns = {array: np.fromfile(path / array, dtype) for array, dtype in _ARRAYS.items()}
        vocabulary = (path / _VOCABULARY).read_bytes().decode()
    except OSError as exc:
        raise IndexDamaged(f"it cannot be read: {exc}") from exc
    terms = vocabulary.split("\n") if vocabulary else []
    return LexicalSegment(terms=terms, shelves=_shelves(columns), lsn=int(payload["lsn"]))


def _shelves(columns: dict[str, NDArray[Any]]) -> list[SavedShelf]:
    heads = columns["shelves"].reshape(-1, 4)
    ends = np.cumsum(heads[:, 1:], axis=0)
    shelves: list[SavedShelf] = []
    for head, end in zip(heads.tolist(), ends.tolist(), strict=True):
        docs, terms, postings = (slice(stop - size, stop) for size, stop in zip(head[1:], end, strict=True))
        shelves.append(
            SavedShelf(
                dataset=head[0],
                slots=columns["slots"][docs],
                versions=columns["versions"][docs],
                lengths=columns["lengths"][docs],
                postings=Postings(
                    columns["terms"][terms],
                    np.concatenate(([0], np.cumsum(columns["sizes"][terms]))),
                    columns["docs"][postings],
                    columns["counts"][postings],
                ),
            )
        )
    return shelves


def _number(name: str) -> int:
    """Return the number of a segment's name, 0 if it is not one."""
    head, _, digits = name.partition("-")
    return int(digits) if head == "segment" and digits.isdecimal() and digits.isascii() else 0


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
