"""The two stages about places: which the question means, and which memories are about something near them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import regex

from mindlog.knowledge.places.cells import cover
from mindlog.knowledge.places.coordinates import find_coordinates
from mindlog.knowledge.places.near import within
from mindlog.knowledge.places.resolve import KnownPlace, resolve_places
from mindlog.knowledge.places.spotting import place_names
from mindlog.query.followup import names_in
from mindlog.query.job import Area, NearMemory
from mindlog.records import MemoryState

if TYPE_CHECKING:
    from mindlog.knowledge.places.gazetteer import Gazetteer
    from mindlog.query.job import QueryJob
    from mindlog.records import Memory
    from mindlog.store.askingrows import PlaceRow

__all__ = ["asks_near", "detect_geo", "nearby_geo"]

_MOST_AREAS = 3
_MOST_NAMES = 4
_MOST_ASKED = 2  # names that a geocoder is asked for
_KNOWN = 500  # places of the dataset that help to tell namesakes apart
_PLACES = 2_000  # of the dataset that are looked at where a circle has no cells
_NEAREST = 50  # places
_MEMORIES = 10
_OF_ENTITY = 3  # memories that name one entity
_MILE = 1.609344
_RADIUS = regex.compile(
    r"(?P<size>\d{1,5}(?:[.,]\d{1,3})?)\s*-?(?P<unit>km|kilomet(?:er|re)s?|kilómetros|quilômetros|miles?|mi|meilen|m(?:et(?:er|re)s?)?)\b",
    regex.IGNORECASE,
)
_NEAR = regex.compile(
    r"\b(?:near(?:by|est)?|close\s+to|around|within|next\s+to|in\s+the\s+area|nahe|in\s+der\s+nähe|cerca|près|vicino|perto)\b",
    regex.IGNORECASE,
)
_AFTER_NEAR = regex.compile(
    r"\b(?:near|in|at|around|from|to|close\s+to|next\s+to|of|bei|nahe|en|à|cerca\s+de|près\s+de)\s+(?:the\s+)?(?=\p{Lu})",
    regex.IGNORECASE,
)


def asks_near(question: str) -> bool:
    """Say whether the question asks for what is near something."""
    return _NEAR.search(question) is not None


async def detect_geo(job: QueryJob) -> None:
    """Find the coordinates the question gives and the places it names: those the dataset has resolved, then the gazetteer's.

    A geocoder is asked, if there is one, for names that neither knows. Raises `ProviderFailed` if it does not answer: what was found
    without it stays.
    """
    job.areas, unknown = await asyncio.to_thread(_known_areas, job)
    geocoder = job.tools.geocoder
    if job.areas or geocoder is None:
        return
    with await job.scope():
        for name in unknown[:_MOST_ASKED]:
            for place in (await geocoder.locate(name))[:1]:
                area = Area(
                    name=place.name,
                    lat=place.lat,
                    lon=place.lon,
                    km=_radius(job),
                    source=geocoder.name,
                    confident=False,
                    reason=f"the likeliest that {geocoder.name} gives for {name!r}",
                )
                job.areas = (*job.areas, area)[:_MOST_AREAS]


def _known_areas(job: QueryJob) -> tuple[tuple[Area, ...], list[str]]:
    """Return the areas that need no geocoder, and the names that may be places and are not known."""
    question, km = job.request.question, _radius(job)
    areas = [
        Area(
            name=question[each.start : each.end],
            lat=each.lat,
            lon=each.lon,
            km=km,
            source="text",
            confident=True,
            reason="the question gives the coordinates",
        )
        for each in find_coordinates(question)
    ]
    own = list(_own_places(job, km))
    gazetteer = job.tools.gazetteer()
    listed = [] if gazetteer is None else list(_listed(job, gazetteer, km, {area.name.casefold() for area in own}))
    areas = list({(area.name, area.lat, area.lon): area for area in (*areas, *own, *listed)}.values())
    return tuple(areas[:_MOST_AREAS]), _unknown(question)


def _own_places(job: QueryJob, km: float) -> Iterator[Area]:
    """Yield where the things are that the question names, as the dataset knows it."""
    trail = None if job.found is None else job.found.trail
    if trail is None or not trail.entities:
        return
    said = job.request.question.casefold()
    named = [entity.id for entity in trail.entities if any(name.casefold() in said for name in entity.aliases)]
    for place in job.tools.store.places(job.dataset.number, entities=named, limit=_MOST_AREAS) if named else ():
        yield Area(
            name=place.name,
            lat=place.lat,
            lon=place.lon,
            km=km,
            source=place.source,
            confident=place.confident,
            reason=place.reason or "memory knows the place",
        )


def _listed(job: QueryJob, gazetteer: Gazetteer, km: float, own: set[str]) -> Iterator[Area]:
    """Yield the gazetteer's places of the question."""
    question = job.request.question
    names = [span.of(question) for span in islice(place_names(question, gazetteer), _MOST_NAMES)]
    if not (wanted := [(name, question) for name in names if name.casefold() not in own]):
        return
    rows = job.tools.store.places(job.dataset.number, limit=_KNOWN)
    known = [KnownPlace(row.name, row.lat, row.lon, row.population) for row in rows if row.confident]
    for found in resolve_places(wanted, known, gazetteer):
        if found.place is not None:
            yield Area(
                name=found.place.name,
                lat=found.place.lat,
                lon=found.place.lon,
                km=km,
                source=found.place.source,
                confident=found.confident,
                reason=found.reason,
            )


def _unknown(question: str) -> list[str]:
    """Return the names that stand where a place would."""
    after = {question[match.end() :] for match in _AFTER_NEAR.finditer(question)}
    return [name for name in names_in(question) if any(rest.startswith(name) for rest in after)]


def _radius(job: QueryJob) -> float:
    """Return the kilometres that the question gives ("within 10 km of"), else the setting's."""
    match = _RADIUS.search(job.request.question)
    if match is None:
        return job.tools.settings.query_near_km
    size, unit = float(match["size"].replace(",", ".")), match["unit"].lower()
    km = size * (_MILE if unit.startswith(("mi", "meil")) else 1 if unit[0] in "kq" else 0.001)
    return min(max(km, 0.1), 20_000.0)


# -- what is near -------------------------------------------------------------------------------------------------------
async def nearby_geo(job: QueryJob) -> None:
    """Add the memories about what lies in the areas, the nearest first; those that were found anyway are not added again."""
    job.near = await asyncio.to_thread(_near, job)


def _near(job: QueryJob) -> tuple[NearMemory, ...]:
    taken = {hit.memory.id.slot for hit in job.hits}
    near: list[NearMemory] = []
    for area in job.areas:
        places = _places_in(job, area)
        for place, km, memory in _memories_at(job, places, taken):
            near.append(NearMemory(memory=memory, place=place.name, area=area.name, km=km))
            taken.add(memory.id.slot)
    near.sort(key=lambda each: each.km)
    return tuple(near[:_MEMORIES])


def _places_in(job: QueryJob, area: Area) -> list[tuple[PlaceRow, float]]:
    cells = cover(area.lat, area.lon, area.km)
    rows = job.tools.store.places(job.dataset.number, cells=cells, limit=_PLACES)
    points = np.array([(row.lat, row.lon) for row in rows], np.float64).reshape(-1, 2)
    return [(rows[at], km) for at, km in within(points, area.lat, area.lon, area.km)[:_NEAREST]]


def _memories_at(
    job: QueryJob, places: Sequence[tuple[PlaceRow, float]], taken: set[int]
) -> list[tuple[PlaceRow, float, Memory]]:
    """Return the memories of the places that the call may see, in order, at most so many."""
    entities = [place.entity for place, _ in places if place.entity is not None]
    naming: dict[int, list[int]] = {}
    for entity, slot in job.tools.store.mention_slots(job.dataset.number, entities, _OF_ENTITY) if entities else ():
        naming.setdefault(entity, []).append(slot)
    wanted: dict[int, tuple[PlaceRow, float]] = {}
    for place, km in places:
        slots = [place.memory_id.slot] if place.memory_id is not None else naming.get(place.entity or 0, [])
        for slot in slots:
            if slot not in taken:
                wanted.setdefault(slot, (place, km))
    shown = _shown(job, list(islice(_allowed(job, list(wanted)), _MEMORIES)))
    return [(*wanted[memory.id.slot], memory) for memory in shown]


def _allowed(job: QueryJob, slots: Sequence[int]) -> Iterable[int]:
    """Return the slots that pass the call's filters and were there at the instant asked for."""
    if job.found is None or job.found.mask is None or not slots:
        return []
    mask = job.found.mask
    rows = job.tools.recall.indexes.catalog.rows(np.array(slots, np.int64))
    inside = (rows >= 0) & (rows < mask.size)
    inside[inside] = mask[rows[inside]]
    return [slot for slot, is_allowed in zip(slots, inside.tolist(), strict=True) if is_allowed]


def _shown(job: QueryJob, slots: Sequence[int]) -> list[Memory]:
    store = job.tools.store
    if job.as_of is None:
        read = store.memories(slots)
    else:
        read = [memory for slot in slots if (memory := store.memory_as_of(slot, job.as_of)) is not None]
    return [memory for memory in read if memory.state is MemoryState.LIVE]
