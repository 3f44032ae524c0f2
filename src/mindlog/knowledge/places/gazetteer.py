"""The gazetteer: which places a name can mean, in any script. Read from mapped files, so it takes little memory.

Owns opening it, which builds it the first time; which of the places is meant is for `resolve` to say.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from mindlog.errors import IndexDamaged, ModelMissing
from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.places.build import PACKAGE, source_name
from mindlog.knowledge.places.columns import ALTERNATE, CAPITAL, Columns, key_hash, load
from mindlog.knowledge.places.place import Entry, Place, PlaceKind

__all__ = ["ABSENT", "PACKED", "Gazetteer", "open_gazetteer"]

ABSENT: Final = "mindlog[geo] is not installed"
"""Why there may be no gazetteer."""

PACKED: Final = Path(str(files("mindlog.models"))) / "data" / "places"
"""Where `make model` builds the gazetteer that goes into the wheel."""

_KINDS = list(PlaceKind)
_MOST_ENTRIES = 100  # of one name: "San José" has 400, most of them hamlets
_BUILD_SECONDS = 600
_LISTED = "geonames"
_MADE = "geonames, the centre of its towns"


class Gazetteer:
    """Names and the places they can mean. Safe to use from any thread."""

    def __init__(self, columns: Columns, source: str) -> None:
        """Read from the columns; `source` says what they were made from."""
        self.source = source
        self._columns = columns
        self._countries = self._named_countries()

    def __len__(self) -> int:
        """Return how many places there are."""
        return len(self._columns.lat)

    def find(self, name: str) -> list[Entry]:
        """Return the places of that name, the likeliest first, at most 100; none if no place has it."""
        first, last = self._entries(name_key(name))
        return [
            self._entry(entry) for entry in self._columns.entries[first : min(last, first + _MOST_ENTRIES)].tolist()
        ]

    def first(self, key: str) -> Entry | None:
        """Return the likeliest place of a name that is already a `name_key`."""
        first, last = self._entries(key)
        return self._entry(int(self._columns.entries[first])) if first < last else None

    def country_name(self, code: str) -> str:
        """Return the English name of a country by its two letters; the letters themselves if they are not known."""
        return self._countries.get(code, code)

    def _entries(self, key: str) -> tuple[int, int]:
        columns, wanted = self._columns, key_hash(key)
        at = int(columns.keys.searchsorted(columns.keys.dtype.type(wanted)))
        if at == len(columns.keys) or int(columns.keys[at]) != wanted:
            return 0, 0
        return int(columns.key_starts[at]), int(columns.key_starts[at + 1])

    def _entry(self, entry: int) -> Entry:
        row = entry >> 1
        is_capital = bool(int(self._columns.kind[row]) & CAPITAL)
        return Entry(self._place(row), bool(entry & ALTERNATE), is_capital)

    def _place(self, row: int) -> Place:
        columns = self._columns
        kind, region = _KINDS[int(columns.kind[row]) & ~CAPITAL], int(columns.region[row])
        return Place(
            name=self._name(row),
            country=bytes(columns.country[row]).decode(),
            admin1=self._name(region) if region >= 0 else None,
            lat=float(columns.lat[row]),
            lon=float(columns.lon[row]),
            population=int(columns.population[row]),
            kind=kind,
            source=_MADE if kind in (PlaceKind.COUNTRY, PlaceKind.REGION) else _LISTED,
        )

    def _name(self, row: int) -> str:
        start, end = self._columns.name_starts[row : row + 2].tolist()
        return self._columns.names[start:end].tobytes().decode()

    def _named_countries(self) -> dict[str, str]:
        rows = (self._columns.kind == _KINDS.index(PlaceKind.COUNTRY)).nonzero()[0].tolist()
        return {bytes(self._columns.country[row]).decode(): self._name(row) for row in rows}


def open_gazetteer(folder: Path, packed: Path = PACKED) -> Gazetteer | None:
    """Open the gazetteer that came with mindlog, else the one in its own folder; None (see `ABSENT`) if there is neither.

    Blocks. In the folder it is built by a child process, which takes some seconds, from the package it is made from, if that is
    installed: the first time, after damage, and after another version of the package.

    Raises:
        ModelMissing: it cannot be built, and why.
    """
    is_installed = find_spec(PACKAGE) is not None
    try:
        return Gazetteer(*load(packed))
    except IndexDamaged:
        pass  # it is built with the model, and a checkout may lack it
    try:
        columns, source = load(folder)
        if not is_installed or source == source_name():
            return Gazetteer(columns, source)
    except IndexDamaged:
        pass
    if not is_installed:
        return None
    _build(folder)
    try:
        return Gazetteer(*load(folder))
    except IndexDamaged as exc:
        raise ModelMissing(f"the gazetteer cannot be read: {exc}") from exc


def _build(folder: Path) -> None:
    command = [sys.executable, "-m", "mindlog.knowledge.places.build", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_BUILD_SECONDS)  # noqa: S603 - a fixed command
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise ModelMissing(f"the gazetteer cannot be built: {exc}") from exc
    if done.returncode:
        raise ModelMissing(f"the gazetteer cannot be built: {done.stderr.strip()[-500:]}")
