"""Reads of places on a connection: of entities, of memories, in cells. Knows no pool and no geometry.

An entity's place is read under its root, and there while the entity is; a memory's while the revision that gave it is live.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

import apsw

from mindlog.ids import MemoryId
from mindlog.store.askingrows import PlaceRow
from mindlog.store.connect import Row, fetch
from mindlog.store.entityreads import groups
from mindlog.store.queries import q
from mindlog.store.seen import ENTITY_IS_SEEN

__all__ = ["AMONG", "EVERYWHERE", "places"]

_LIST = q.list_places.replace("/*seen*/", ENTITY_IS_SEEN)
AMONG = _LIST.replace("/*filters*/", f"+p.dataset = ? AND p.id IN ({q.places_among})")
EVERYWHERE = _LIST.replace("/*filters*/", "p.dataset = ? AND p.id < ?")
_ALL = (1 << 63) - 1


def places(
    connection: apsw.Connection,
    dataset: int,
    entities: Collection[int],
    slots: Collection[int],
    cells: Collection[int] | None,
    limit: int,
    before_id: int | None,
) -> list[PlaceRow]:
    """Return the places, the last given first, at most `limit` (-1: all); see `AskingStore.places`."""
    if not entities and not slots and cells is None:
        found = fetch(connection, EVERYWHERE, (dataset, _ALL if before_id is None else before_id, limit))
    else:
        members = [each for one in groups(connection, dataset, entities).values() for each in one]
        wanted = (_json(members), _json(slots), _json(cells or ()), dataset)
        found = fetch(connection, AMONG, (dataset, *wanted, limit))
    return [_place(row) for row in found]


def _place(row: Row) -> PlaceRow:
    number, dataset, entity, slot, version, name, country, region, kind, population, lat, lon, cell = row[:13]
    source, confident, reason, created_at = row[13:]
    return PlaceRow(
        id=number,
        dataset=dataset,
        entity=entity,
        memory_id=None if slot is None else MemoryId(0, slot, version),
        name=name,
        country=country,
        region=region,
        kind=kind,
        population=population,
        lat=lat,
        lon=lon,
        cell=cell,
        source=source,
        confident=bool(confident),
        reason=reason,
        created_at=created_at,
    )


def _json(values: Iterable[int]) -> str:
    return json.dumps(list(values))
