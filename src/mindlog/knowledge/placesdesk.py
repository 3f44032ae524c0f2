"""The places of a dataset and what is near a point, as callers ask for them. Reads a store.

For what is near, cells say where to look and distances what is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from mindlog.cursor import check_limit, listing_tag, read_cursor, write_cursor
from mindlog.errors import InvalidInput
from mindlog.knowledge.asking import Asking
from mindlog.knowledge.places.cells import cover
from mindlog.knowledge.places.near import check_circle, within
from mindlog.knowledge.shown import entity_id
from mindlog.store.askingrows import PlaceRow
from mindlog.store.base import Store
from mindlog.views import EntityRef, NearPlace, Page, Place

__all__ = ["near_places", "places_page"]

_MEMORIES = 5  # of one entity
_FARTHEST = 20_040.0  # kilometres: half-way round the earth


def places_page(store: Store, asking: Asking, name: str, *, limit: int, cursor: str | None, most: int) -> Page[Place]:
    """Return a page of the places of a dataset, those given last first; of memories and entities at one place, each its own.

    `DatasetNotFound`, `InvalidInput`, `InvalidCursor`.
    """
    dataset = asking.dataset(name)
    check_limit(limit, most)
    tag = listing_tag("places", dataset.number)
    before = None if cursor is None else read_cursor(cursor, tag)
    # One more tells whether there is a next page.
    rows = store.places(dataset.number, limit=limit + 1, before_id=before)
    following = write_cursor(tag, rows[limit - 1].id) if len(rows) > limit else None
    return Page(data=_shown(store, dataset.number, rows[:limit]), next_cursor=following)


def near_places(
    store: Store, asking: Asking, name: str, lat: float, lon: float, km: float, limit: int, most: int
) -> tuple[NearPlace, ...]:
    """Return the `limit` places of a dataset that are nearest to a point, of those at most `km` away, nearest first.

    `DatasetNotFound`, `InvalidInput`; `MissingExtra` where cells cannot be told.
    """
    dataset = asking.dataset(name)
    check_limit(limit, most)
    for field, value in (("lat", lat), ("lon", lon), ("km", km)):
        if isinstance(value, bool) or not isinstance(value, int | float):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"{field}: must be a number", field=field)
    check_circle(lat, lon, km)
    radius = min(km, _FARTHEST)
    rows = store.places(dataset.number, cells=cover(lat, lon, radius))
    found = within([(row.lat, row.lon) for row in rows], lat, lon, radius)[:limit]
    places = _shown(store, dataset.number, [rows[at] for at, _ in found])
    return tuple(NearPlace(**_fields(place), km=km) for place, (_, km) in zip(places, found, strict=True))


def _memories(store: Store, dataset: int, entities: Iterable[int]) -> dict[int, list[str]]:
    """Return the ids of the newest memories that name each entity."""
    pairs = store.mention_slots(dataset, sorted(entities), _MEMORIES)
    ids = {memory.id.slot: str(memory.id) for memory in store.memories(list({slot for _, slot in pairs}))}
    found: dict[int, list[str]] = {}
    for entity, slot in pairs:
        if slot in ids:
            found.setdefault(entity, []).append(ids[slot])
    return found


def _shown(store: Store, dataset: int, rows: Sequence[PlaceRow]) -> tuple[Place, ...]:
    entities = {row.entity for row in rows if row.entity is not None}
    names = {row.id: row.name for row in store.entities(dataset, sorted(entities))} if entities else {}
    memories = _memories(store, dataset, entities)
    return tuple(_place(row, names, memories) for row in rows)


def _place(row: PlaceRow, names: dict[int, str], memories: dict[int, list[str]]) -> Place:
    entity = None
    if row.entity is not None:
        entity = EntityRef(entity_id=entity_id(row.entity), name=names.get(row.entity, row.name))
    of_it = memories.get(row.entity or 0, []) if row.memory_id is None else [str(row.memory_id)]
    return Place(
        name=row.name,
        country=row.country,
        region=row.region,
        lat=row.lat,
        lon=row.lon,
        source=row.source,
        confident=row.confident,
        entity=entity,
        memory_ids=tuple(of_it),
    )


def _fields(place: Place) -> dict[str, Any]:
    return {each.name: getattr(place, each.name) for each in fields(place)}
