"""The operation that keeps places: one of each entity, and those that a memory's revision is about. Knows no queue.

Given again they stay as they are. What is of an entity that is not there, or of a revision that is not live, is passed over.
"""

from __future__ import annotations

from collections.abc import Sequence

from mindlog.errors import InvalidInput
from mindlog.store.askingrows import NewPlace
from mindlog.store.connect import Row, fetch
from mindlog.store.queries import q
from mindlog.store.transaction import Transaction

__all__ = ["check_place", "put_places"]


def put_places(tx: Transaction, places: Sequence[NewPlace]) -> int:
    """Keep the places; see `AskingStore.put_places`. Raises `InvalidInput` before anything is changed."""
    for place in places:
        check_place(place)
    of_entities = {place.entity: place for place in places if place.entity is not None}
    of_memories: dict[tuple[int, int | None, int], list[NewPlace]] = {}
    for place in places:
        if place.slot is not None:
            of_memories.setdefault((place.slot, place.version, place.dataset), []).append(place)
    changed = sum(_put_of_entity(tx, entity, place) for entity, place in of_entities.items())
    return changed + sum(_put_of_memory(tx, *revision, rooms) for revision, rooms in of_memories.items())


def check_place(place: NewPlace) -> None:
    """Raise `InvalidInput` for what is no place of one thing."""
    if (place.entity is None) == (place.slot is None) or (place.slot is None) != (place.version is None):
        raise InvalidInput("entity: a place is of an entity, or of a memory's slot and version", field="entity")
    if not -90 <= place.lat <= 90:
        raise InvalidInput(f"lat: a latitude is -90 to 90 degrees, not {place.lat}", field="lat")
    if not -180 <= place.lon <= 180:
        raise InvalidInput(f"lon: a longitude is -180 to 180 degrees, not {place.lon}", field="lon")


def _put_of_entity(tx: Transaction, entity: int, place: NewPlace) -> int:
    if not fetch(tx.connection, q.roots_of, (f"[{entity}]", place.dataset)):
        return 0
    new = _facts(place)
    # Of what was made one with it the place that was given last counts: only that can say already what is said now.
    if [row[1:] for row in fetch(tx.connection, q.place_of_root, (entity,))] == [new]:
        return 0
    tx.connection.execute(q.delete_place_of_entity, (entity,))
    tx.connection.execute(q.insert_place, (*new, entity, None, None, tx.at))
    return 1


def _put_of_memory(tx: Transaction, slot: int, version: int | None, dataset: int, places: Sequence[NewPlace]) -> int:
    live = fetch(tx.connection, q.live_memories, (f"[{slot}]", dataset))
    if [row[1] for row in live] != [version]:
        return 0
    old = [row[1:] for row in fetch(tx.connection, q.places_of_revision, (slot, version))]
    new = list(dict.fromkeys(map(_facts, places)))
    if old == new:
        return 0
    tx.connection.execute(q.delete_places_of_revision, (slot, version))
    tx.connection.executemany(q.insert_place, [(*row, None, slot, version, tx.at) for row in new])
    return len(set(new) - set(old))


def _facts(place: NewPlace) -> Row:
    where = (place.name, place.country, place.region, place.kind, place.population)
    point = (float(place.lat), float(place.lon), place.cell)
    return (place.dataset, *where, *point, place.source, int(place.confident), place.reason)
