"""The gazetteer's files: names as sorted hashes, places as columns, guarded by a manifest and mapped into memory.

Owns the format; knows neither the source nor how a name is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mindlog.errors import IndexDamaged
from mindlog.index.manifest import check_manifest, write_manifest

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ALTERNATE", "CAPITAL", "FORMAT", "Columns", "key_hash", "load", "save"]

FORMAT: Final = 1  # also of what decides the order of entries
ALTERNATE: Final = 1
"""The lowest bit of an entry: the name is not the place's own. The other bits are the place's row."""
CAPITAL: Final = 16
"""The bit of a kind code that marks the capital of a country."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """k names, n places, e entries of a place under a name. The entries of a name stand together, the likeliest first."""

    keys: NDArray[np.uint64]  # (k) hashes of name keys, ascending
    key_starts: NDArray[np.uint32]  # (k + 1) where the entries of a name begin
    entries: NDArray[np.uint32]  # (e) row << 1 | ALTERNATE
    lat: NDArray[np.float64]  # (n) degrees
    lon: NDArray[np.float64]
    population: NDArray[np.int64]
    country: NDArray[np.bytes_]  # two letters, or none
    region: NDArray[np.int32]  # (n) the row of the region it lies in, or -1; a region's is its own
    kind: NDArray[np.uint8]  # the place of its kind in PlaceKind, with CAPITAL
    name_starts: NDArray[np.uint32]  # (n + 1) where its name begins in `names`
    names: NDArray[np.uint8]  # UTF-8


def key_hash(key: str) -> int:
    """Return the 64-bit hash a name key is filed under: among a million names, one in 10**13 strangers meets one."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def save(folder: Path, columns: Columns, source: str) -> None:
    """Write the files into an existing folder and vouch for them; `source` says what they were made from."""
    names = [field.name for field in fields(Columns)]
    for name in names:
        np.save(folder / f"{name}.npy", getattr(columns, name), allow_pickle=False)
    write_manifest(folder, {"format": FORMAT, "source": source}, [f"{name}.npy" for name in names])


def load(folder: Path) -> tuple[Columns, str]:
    """Map the files and return them with their source.

    Raises:
        IndexDamaged: they are not there, not whole, or of another format.
    """
    payload = check_manifest(folder)
    if payload.get("format") != FORMAT:
        raise IndexDamaged(f"the gazetteer has format {payload.get('format')}, this release reads {FORMAT}")
    columns: dict[str, Any] = {field.name: _map(folder / f"{field.name}.npy") for field in fields(Columns)}
    return Columns(**columns), str(payload.get("source"))


def _map(path: Path) -> NDArray[Any]:
    # A plain array over the mapping: a memmap makes a new object of each slice, which costs more than the slice.
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
