"""The stage resolve_geo: where the places are that the document names.

Coordinates in the text come first, then the gazetteer, then the geocoder for what it does not know. What is only likely is kept as
doubtful. One that fails leaves what the others have found.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mindlog.errors import MindlogError
from mindlog.ids import number_id
from mindlog.knowledge.extraction import EntityKind
from mindlog.knowledge.places.anchors import KnownPlace
from mindlog.knowledge.places.cells import cell_of
from mindlog.knowledge.places.coordinates import FoundCoordinates, find_coordinates
from mindlog.knowledge.places.gazetteer import ABSENT
from mindlog.knowledge.places.resolve import Resolution, resolve_places
from mindlog.remember.enrich.texts import Naming, chunks_at_once, namings, raise_all
from mindlog.store.askingrows import NewPlace

if TYPE_CHECKING:
    from mindlog.knowledge.places.gazetteer import Gazetteer
    from mindlog.knowledge.places.place import Place
    from mindlog.providers.geocode.provider import GeocodedPlace, Geocoder
    from mindlog.remember.job import RememberJob, TextJob
    from mindlog.store.graphrows import EntityRow, MentionRow

__all__ = ["resolve_geo"]

_STAGE = "resolve_geo"
_REACH = 400  # characters to each side of a name that say which place it is
_MOST_KNOWN = 500
_MOST_ASKED = 100  # names that one run asks a geocoder for
_CLEAR = 0.2  # of importance that the first place of a name must be ahead of the second
_AT_ONCE = 500
_SHOWN = 300  # of each sort in the output
_BEFORE = 60  # characters between a name and its coordinates, at most
_LEADS_TO = re.compile(r"[\s,;:(\[–—-]*(?:(?:is|lies|located|situated|found)\s+)*(?:at\s+|coordinates:?\s*)?[(\[]?\s*")


@dataclass(slots=True)
class _Names:
    """The places that are named and have none yet, with what the text says of where they are."""

    rows: list[EntityRow] = field(default_factory=list["EntityRow"])
    contexts: dict[int, str] = field(default_factory=dict[int, str])
    known: list[KnownPlace] = field(default_factory=list[KnownPlace])
    places: list[NewPlace] = field(default_factory=list[NewPlace])  # those that the text has coordinates of
    known_before: int = 0


async def resolve_geo(job: RememberJob) -> None:
    """Find where the named places are, and keep it; the error of a provider is raised after that."""
    errors: list[Exception] = []
    names = await asyncio.to_thread(_look, job)
    resolved, reason = await _by_gazetteer(job, names, errors)
    placed = [place for row in names.rows if (place := _place(job, row, resolved.get(row.id))) is not None]
    found = {place.entity for place in placed}
    located = await _by_geocoder(job, [row for row in names.rows if row.id not in found], errors)
    places = [*names.places, *placed, *located.values()]
    changed = await job.tools.store.put_places(places) if places else 0
    _show(job, names, resolved, located, reason)
    job.output(_STAGE)["changed"] = changed
    raise_all("sources of places", errors)


# -- what is asked ------------------------------------------------------------------------------------------------------
def _look(job: RememberJob) -> _Names:
    store, dataset = job.tools.store, job.dataset.number
    found = namings(job)
    names = _Names()
    rows = {row.id: row for row in _places_among(job, found)}
    names.places = list(_written(job, rows))
    written = {place.entity for place in names.places}
    settled = {
        place.entity
        for some in _batches(sorted(rows))
        for place in store.places(dataset, entities=some)
        if place.confident
    }
    names.known_before = len(settled - written)
    names.rows = [row for number, row in rows.items() if number not in written | settled]
    names.contexts = {row.id: found[row.id].context(_REACH) for row in names.rows}
    names.known = [
        KnownPlace(place.name, place.lat, place.lon, place.population)
        for place in store.places(dataset, limit=_MOST_KNOWN)
        if place.confident
    ]
    names.known += [KnownPlace(place.name, place.lat, place.lon) for place in names.places]
    return names


def _places_among(job: RememberJob, found: dict[int, Naming]) -> Iterable[EntityRow]:
    for some in _batches(sorted(found)):
        rows = job.tools.store.entities(job.dataset.number, some)
        yield from (row for row in rows if row.kind == EntityKind.PLACE)


def _batches(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))


# -- coordinates in the text --------------------------------------------------------------------------------------------
def _written(job: RememberJob, rows: dict[int, EntityRow]) -> Iterable[NewPlace]:
    """Yield the coordinates that the chunks hold: of the memory, and of the place whose name leads to them."""
    for texts in chunks_at_once(job):
        found = [(text, points) for text in texts if (points := find_coordinates(text.text))]
        mentions = job.tools.store.mentions([text.memory_id.slot for text, _ in found]) if found else {}
        for text, points in found:
            named = [each for each in mentions.get(text.memory_id.slot, []) if each.entity in rows]
            for point in points:
                yield from _of_coordinates(job, text, point, named, rows)


def _of_coordinates(
    job: RememberJob,
    text: TextJob,
    point: FoundCoordinates,
    named: Sequence[MentionRow],
    rows: dict[int, EntityRow],
) -> Iterable[NewPlace]:
    words = text.text
    before = [each for each in named if 0 <= point.start - each.end <= _BEFORE]
    nearest = max(before, key=lambda each: each.end, default=None)
    written = words[point.start : point.end]
    row = None
    if nearest is not None and _LEADS_TO.fullmatch(words, nearest.end, point.start):
        row = rows[nearest.entity]
    revision = text.memory_id
    name, reason = written if row is None else row.name, f"the text gives {written}"
    where = _Where(job.dataset.number, name, point.lat, point.lon, "text", confident=True, reason=reason)
    yield where.of(slot=revision.slot, version=revision.version)
    if row is not None:
        yield where.of(entity=row.id)


@dataclass(frozen=True, slots=True)
class _Where:
    """A point with its name, to be made the place of something."""

    dataset: int
    name: str
    lat: float
    lon: float
    source: str
    confident: bool
    reason: str

    def of(self, **more: Any) -> NewPlace:
        """Return it as the place of an entity, or of a memory's slot and version, with what else is known of it."""
        return NewPlace(
            dataset=self.dataset,
            name=self.name,
            lat=self.lat,
            lon=self.lon,
            cell=cell_of(self.lat, self.lon),
            source=self.source,
            confident=self.confident,
            reason=self.reason,
            **more,
        )


# -- gazetteer ----------------------------------------------------------------------------------------------------------
async def _by_gazetteer(
    job: RememberJob, names: _Names, errors: list[Exception]
) -> tuple[dict[int, Resolution], str | None]:
    """Return what the gazetteer says of each name, and why there is none if there is none."""
    if not names.rows:
        return {}, None
    try:
        gazetteer = await asyncio.to_thread(job.tools.gazetteer)
    except MindlogError as exc:
        errors.append(exc)
        return {}, exc.detail
    if gazetteer is None:
        return {}, ABSENT
    return await asyncio.to_thread(_resolved, names, gazetteer), None


def _resolved(names: _Names, gazetteer: Gazetteer) -> dict[int, Resolution]:
    asked = [(row.name, names.contexts[row.id]) for row in names.rows]
    found = resolve_places(asked, names.known, gazetteer)
    return {row.id: each for row, each in zip(names.rows, found, strict=True)}


def _place(job: RememberJob, row: EntityRow, resolution: Resolution | None) -> NewPlace | None:
    if resolution is None or resolution.place is None:
        return None
    place = resolution.place
    where = _Where(
        job.dataset.number,
        place.name,
        place.lat,
        place.lon,
        "gazetteer",
        confident=resolution.confident,
        reason=resolution.reason,
    )
    return where.of(
        entity=row.id,
        country=place.country or None,
        region=place.admin1,
        kind=place.kind.value,
        population=place.population or None,
    )


# -- geocoder -----------------------------------------------------------------------------------------------------------
async def _by_geocoder(job: RememberJob, unknown: Sequence[EntityRow], errors: list[Exception]) -> dict[int, NewPlace]:
    """Return what the geocoder says of the names, until it fails."""
    geocoder = job.tools.geocoder
    located: dict[int, NewPlace] = {}
    if geocoder is None:
        return located
    for row in unknown[:_MOST_ASKED]:
        job.count(_STAGE, "geocoder_asked")
        try:
            found = await geocoder.locate(row.name)
        except MindlogError as exc:
            errors.append(exc)
            break
        if found:
            located[row.id] = _located(job, row, found, geocoder)
    return located


def _located(job: RememberJob, row: EntityRow, found: Sequence[GeocodedPlace], geocoder: Geocoder) -> NewPlace:
    first = found[0]
    is_clear = len(found) == 1 or first.importance - found[1].importance >= _CLEAR
    others = f"may as well be another of {len(found)} places" if not is_clear else "its likeliest place"
    reason = "the only place it has" if len(found) == 1 else others
    where = _Where(
        job.dataset.number,
        first.name,
        first.lat,
        first.lon,
        geocoder.name,
        confident=is_clear,
        reason=reason,
    )
    return where.of(entity=row.id, country=first.country, kind=first.kind)


# -- what is shown ------------------------------------------------------------------------------------------------------
def _show(
    job: RememberJob,
    names: _Names,
    resolved: dict[int, Resolution],
    located: dict[int, NewPlace],
    absent: str | None,
) -> None:
    shown: dict[str, list[dict[str, Any]]] = {"resolved": [], "doubtful": [], "unknown": []}
    for row in names.rows:
        sort, entry = _entry(row, resolved.get(row.id), located.get(row.id), absent)
        shown[sort].append({"entity_id": number_id("ent", row.id), "name": row.name, **entry})
    for place in names.places:
        if place.entity is not None:
            entry = {"name": place.name, "place": place.name, "lat": place.lat, "lon": place.lon, "by": "text"}
            shown["resolved"].append({"entity_id": number_id("ent", place.entity), **entry, "reason": place.reason})
    output = job.output(_STAGE)
    for sort, entries in shown.items():
        output[f"{sort}_count"] = len(entries)
        output[sort] = entries[:_SHOWN]
    output["known_before"] = names.known_before
    output["coordinates"] = sum(place.slot is not None for place in names.places)


def _entry(
    row: EntityRow, resolution: Resolution | None, located: NewPlace | None, absent: str | None
) -> tuple[str, dict[str, Any]]:
    if located is not None:
        entry = {"place": located.name, "country": located.country, "lat": located.lat, "lon": located.lon}
        sort = "resolved" if located.confident else "doubtful"
        return sort, {**entry, "by": located.source, "reason": located.reason}
    if resolution is None or resolution.place is None:
        return "unknown", {"reason": absent or (resolution.reason if resolution else "")}
    place = resolution.place
    entry = {"place": place.name, "country": place.country, "region": place.admin1, "lat": place.lat, "lon": place.lon}
    entry = {**entry, "by": "gazetteer", "reason": resolution.reason}
    if resolution.confident:
        return "resolved", entry
    return "doubtful", {**entry, "candidates": [_called(each.place) for each in resolution.candidates[:4]]}


def _called(place: Place) -> str:
    return ", ".join(part for part in (place.name, place.admin1, place.country) if part)
