"""What is near a point, as callers ask for it: cells say where to look, distances what is near. Reads a store."""

from __future__ import annotations

from collections.abc import Iterable

from mindlog.cursor import check_limit
from mindlog.errors import InvalidInput
from mindlog.knowledge.asking import Asking
from mindlog.knowledge.places.cells import cover
from mindlog.knowledge.places.near import check_circle, within
from mindlog.knowledge.shown import entity_id
from mindlog.store.askingrows import PlaceRow
from mindlog.store.base import Store
from mindlog.views import EntityRef, NearPlace

__all__ = ["near_places"]

_MEMORIES = 5  # of one entity
_FARTHEST = 20_040.0  # kilometres: half-way round the earth


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
    near = [(rows[at], distance) for at, distance in found]
    entities = {row.entity for row, _ in near if row.entity is not None}
    names = {row.id: row.name for row in store.entities(dataset.number, sorted(entities))} if entities else {}
    memories = _memories(store, dataset.number, entities)
    return tuple(_shown(row, distance, names, memories) for row, distance in near)


def _memories(store: Store, dataset: int, entities: Iterable[int]) -> dict[int, list[str]]:
    """Return the ids of the newest memories that name each entity."""
    pairs = store.mention_slots(dataset, sorted(entities), _MEMORIES)
    ids = {memory.id.slot: str(memory.id) for memory in store.memories(list({slot for _, slot in pairs}))}
    found: dict[int, list[str]] = {}
    for entity, slot in pairs:
        if slot in ids:
            found.setdefault(entity, []).append(ids[slot])
    return found


def _shown(row: PlaceRow, km: float, names: dict[int, str], memories: dict[int, list[str]]) -> NearPlace:
    entity = None
    if row.entity is not None:
        entity = EntityRef(entity_id=entity_id(row.entity), name=names.get(row.entity, row.name))
    of_it = memories.get(row.entity or 0, []) if row.memory_id is None else [str(row.memory_id)]
    return NearPlace(
        name=row.name,
        country=row.country,
        region=row.region,
        lat=row.lat,
        lon=row.lon,
        km=km,
        source=row.source,
        confident=row.confident,
        entity=entity,
        memory_ids=tuple(of_it),
    )
