"""Pages of memories on a connection: all of a dataset, or those that name an entity. Knows no pool.

A page is read in the order of an index: of slots, or of the slots that name each entity.
"""

from __future__ import annotations

import json
from heapq import nlargest
from typing import Any

import apsw

from mindlog.ids import MAX_SLOT
from mindlog.records import Memory
from mindlog.store import rows
from mindlog.store.base import Listing
from mindlog.store.connect import fetch
from mindlog.store.entityreads import groups
from mindlog.store.filtersql import compile_filters
from mindlog.store.queries import q

__all__ = ["list_memories"]


def list_memories(connection: apsw.Connection, listing: Listing) -> list[Memory]:
    """Return the page, newest slot first."""
    condition, values = compile_filters(listing.filters)
    if not listing.include_forgotten:
        condition += " AND m.forgotten_at IS NULL"
    before = MAX_SLOT + 1 if listing.before_slot is None else listing.before_slot
    bounds = (listing.dataset, before, *values, listing.limit)
    if listing.entities is not None:
        return _naming(connection, listing, condition, bounds)
    return [rows.memory(row) for row in fetch(connection, q.list_memories.replace("/*filters*/", condition), bounds)]


def _naming(connection: apsw.Connection, listing: Listing, condition: str, bounds: tuple[Any, ...]) -> list[Memory]:
    sql = q.slots_naming.replace("/*filters*/", condition)
    members = [each for found in groups(connection, listing.dataset, listing.entities or ()).values() for each in found]
    slots = {slot for each in members for (slot,) in fetch(connection, sql, (each, *bounds))}
    page = nlargest(listing.limit, slots)
    found = {row[0]: rows.memory(row) for row in fetch(connection, q.current_memories, (json.dumps(page),))}
    return [found[slot] for slot in page]
