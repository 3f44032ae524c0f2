"""Which revision has which questions now, and the ordinal under which their vectors are searched. Knows no vector.

A *set* is the questions of one revision as one commit left them. Each gets the next ordinal; one that is replaced, cleared or
whose revision is no longer current is dead and stays dead. On disk a set is named by slot and stamp, not by ordinal.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from mindlog.errors import IndexDamaged
from mindlog.index.columns import grown
from mindlog.index.manifest import check_manifest, write_manifest

__all__ = ["QuestionSets", "SavedSets", "read_sets", "stamp_of", "write_sets"]

_DEAD = 1 << 62  # beyond any row, so that a clipped look-up in a mask finds the item after its last
_FILES = {"slots": "<i8", "versions": "<u4", "stamps": "<u4"}
_FORMAT = 1


def stamp_of(version: int, vectors: NDArray[np.float32]) -> int:
    """Return 32 bits that tell this set of vectors from any other the slot has had."""
    digest = blake3(version.to_bytes(4, "little") + np.ascontiguousarray(vectors, "<f4").tobytes())
    return int.from_bytes(digest.digest()[:4], "little")


class QuestionSets:
    """Sets by ordinal. One writer; any thread reads."""

    def __init__(self) -> None:
        self._length = 0
        self._slots: NDArray[np.int64] = np.empty(0, np.int64)
        self._versions: NDArray[np.uint32] = np.empty(0, np.uint32)
        self._stamps: NDArray[np.uint32] = np.empty(0, np.uint32)
        self._rows: NDArray[np.int64] = np.empty(0, np.int64)
        self._of_slot: NDArray[np.int64] = np.empty(0, np.int64)

    def put(
        self,
        slots: NDArray[np.int64],
        versions: NDArray[np.uint32],
        stamps: NDArray[np.uint32],
        rows: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Add sets, each slot once, with the catalog rows of their revisions; return their ordinals, rising."""
        start, end = self._length, self._length + len(slots)
        self.drop(slots)
        self._slots, self._versions = grown(self._slots, end), grown(self._versions, end)
        self._stamps, self._rows = grown(self._stamps, end), grown(self._rows, end)
        self._slots[start:end], self._versions[start:end] = slots, versions
        self._stamps[start:end], self._rows[start:end] = stamps, rows
        of_slot = grown(self._of_slot, int(slots.max(initial=-1)) + 1, -1)
        ordinals = np.arange(start, end)
        of_slot[slots] = ordinals
        self._of_slot = of_slot
        self._length = end
        return ordinals

    def drop(self, slots: NDArray[np.int64]) -> None:
        """Let the slots have no questions."""
        dead = self.ordinals(slots)
        dead = dead[dead >= 0]
        self._rows[dead] = _DEAD
        self._of_slot[self._slots[dead]] = -1

    def ordinals(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ordinal of each slot's set, -1 where it has none."""
        table = self._of_slot
        if not len(table):
            return np.full(len(slots), -1, np.int64)
        found = table.take(slots, mode="clip")
        return np.where((slots >= 0) & (slots < len(table)), found, -1)

    def stamped(self, slots: NDArray[np.int64], stamps: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the ordinal of each slot's set if it has this stamp, -1 otherwise."""
        found = self.ordinals(slots)
        if self._length:
            found[self._stamps.take(found, mode="clip") != stamps] = -1
        return found

    @property
    def rows(self) -> NDArray[np.int64]:
        """The catalog row of each ordinal; beyond any row for a dead one."""
        length = self._length  # before the array: that is swapped first
        return self._rows[:length]

    def live(self) -> NDArray[np.int64]:
        """Return the ordinals that are not dead."""
        return np.flatnonzero(self.rows != _DEAD)

    def named(self, ordinals: NDArray[np.int64]) -> SavedSets:
        """Return what names the sets on disk."""
        return SavedSets(self._slots[ordinals], self._versions[ordinals], self._stamps[ordinals])


@dataclass(frozen=True, slots=True)
class SavedSets:
    """Sets as they are named on disk."""

    slots: NDArray[np.int64]
    versions: NDArray[np.uint32]
    stamps: NDArray[np.uint32]

    def only(self, chosen: NDArray[np.bool_]) -> SavedSets:
        """Return those chosen."""
        return SavedSets(self.slots[chosen], self.versions[chosen], self.stamps[chosen])


def write_sets(directory: Path, sets: SavedSets, model: str, lsn: int) -> None:
    """Write the list of sets under a manifest. `lsn`: up to which nothing is missing, 0 if that is not known."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, dtype in _FILES.items():
        (directory / name).write_bytes(np.ascontiguousarray(getattr(sets, name), dtype).tobytes())
    write_manifest(directory, {"format": _FORMAT, "model": model, "lsn": lsn}, _FILES)


def read_sets(directory: Path, model: str) -> tuple[SavedSets, int]:
    """Return the list as it was last written and its LSN; an empty one and -1 if there is none that can be believed."""
    with suppress(IndexDamaged):
        payload = check_manifest(directory)
        if (payload.get("format"), payload.get("model")) == (_FORMAT, model):
            found = {name: np.fromfile(directory / name, dtype) for name, dtype in _FILES.items()}
            return SavedSets(**found), int(payload["lsn"])
    return SavedSets(np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint32)), -1
