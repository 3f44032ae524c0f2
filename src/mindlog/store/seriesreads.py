"""Reads of series and their points on a connection. Knows no pool.

A series is read under the root of whose it is, and there while a point of it is: one that a memory gave while that revision
is live, a provider's while somebody may see whose series it is. Of the points of one time the latest recorded is current.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import apsw

from mindlog.ids import MemoryId
from mindlog.store.askingrows import PointRow, SeriesRow
from mindlog.store.connect import Row, fetch
from mindlog.store.entityreads import groups, names
from mindlog.store.queries import q
from mindlog.store.seen import ENTITY_IS_SEEN

__all__ = ["LIST", "SeriesQuery", "compile_series", "points", "series"]

LIST = q.list_series.replace("/*seen*/", ENTITY_IS_SEEN)

_FIRST, _LAST = -(1 << 63), (1 << 63) - 1
# What is asked for is taken from its index first: else a list by falling id is a walk through all of the dataset's series.
_OF_IDS = "s.id IN (SELECT value FROM json_each(?))"
_OF_ENTITIES = "s.id IN (SELECT o.id FROM json_each(?) AS j CROSS JOIN series AS o ON o.entity = j.value)"
_OF_KEYS = """s.id IN (
    SELECT o.id FROM json_each(?) AS j CROSS JOIN series AS o ON o.dataset = ? AND o.key = j.value
)"""
_OF_SLOTS = """s.id IN (
    SELECT o.series FROM json_each(?) AS j CROSS JOIN memories AS m ON m.slot = j.value
    CROSS JOIN points AS o ON o.slot = m.slot AND o.version = m.version
    WHERE m.forgotten_at IS NULL
)"""
_NAMED = """(holds_text(?, s.name) OR EXISTS (
    SELECT 1 FROM entities AS o CROSS JOIN aliases AS a ON a.entity = o.id
    WHERE o.dataset = e.dataset AND o.root = e.root AND holds_text(?, a.name) AND EXISTS (
        SELECT 1 FROM alias_uses AS u CROSS JOIN memories AS m ON m.slot = u.slot
        WHERE u.alias = a.id AND m.forgotten_at IS NULL
    )
))"""


# -- series -------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesQuery:
    """Which series to list; the fields are the arguments of `AskingStore.series`."""

    dataset: int
    ids: Collection[int] = ()
    entities: Collection[int] = ()
    keys: Collection[str] = ()
    slots: Collection[int] = ()
    text: str | None = None
    limit: int = 50
    before_id: int | None = None


def series(connection: apsw.Connection, query: SeriesQuery) -> list[SeriesRow]:
    """Return a page of series, newest first; see `AskingStore.series`."""
    found = groups(connection, query.dataset, query.entities)
    members = [member for each in found.values() for member in each]
    heads = fetch(connection, *compile_series(query, members))
    extents = _extents(connection, heads)
    called = _called(connection, heads)
    return [_series(head, called, extents[head[0]]) for head in heads]


def compile_series(query: SeriesQuery, members: Collection[int]) -> tuple[str, list[Any]]:
    """Return the statement and its values; members: everything that is one with the entities asked for."""
    is_narrow = bool(query.ids or query.entities or query.keys or query.slots)
    parts, values = ["+s.dataset = ?" if is_narrow else "s.dataset = ?"], list[Any]([query.dataset])
    wanted = "" if query.text is None else query.text.casefold()
    for condition, is_asked, given in (
        (_OF_IDS, query.ids, [_json(query.ids)]),
        (_OF_ENTITIES, query.entities, [_json(members)]),
        (_OF_KEYS, query.keys, [_json(query.keys), query.dataset]),
        (_OF_SLOTS, query.slots, [_json(query.slots)]),
        ("s.id < ?", query.before_id is not None, [query.before_id]),
        (_NAMED, wanted, [wanted, wanted]),
    ):
        if is_asked:
            parts.append(condition)
            values += given
    return LIST.replace("/*filters*/", " AND ".join(parts)), [*values, query.limit]


def _extents(connection: apsw.Connection, heads: Sequence[Row]) -> dict[int, Row]:
    """Return count, first and last time of the points by series."""
    values = (_json(head[0] for head in heads), _json(head[0] for head in heads if head[-1]))
    return {row[0]: row[1:] for row in fetch(connection, q.extents, values)}


def _called(connection: apsw.Connection, heads: Iterable[Row]) -> dict[int, str]:
    """Return by root what those are called whose series they are."""
    ends = {(head[1], head[2]) for head in heads if head[2] is not None}
    called: dict[int, str] = {}
    for dataset in {dataset for dataset, _ in ends}:
        found = groups(connection, dataset, (root for owner, root in ends if owner == dataset))
        members = [member for each in found.values() for member in each]
        called |= {row[0]: row[2] for row in fetch(connection, q.entity_heads, (_json(found),))}
        called |= {root: known[0] for root, known in names(connection, members).items()}
    return called


def _series(head: Row, called: dict[int, str], extent: Row) -> SeriesRow:
    number, dataset, entity, name, key, unit, dimension, created_at, _ = head
    count, first_at, last_at = extent
    return SeriesRow(
        id=number,
        dataset=dataset,
        entity=entity,
        entity_name=None if entity is None else called[entity],
        name=name,
        key=key,
        unit=unit,
        dimension=dimension,
        points=count,
        first_at=first_at,
        last_at=last_at,
        created_at=created_at,
    )


# -- points -------------------------------------------------------------------------------------------------------------
def points(
    connection: apsw.Connection,
    number: int,
    *,
    start: int | None,
    end: int | None,
    limit: int | None,
    after: tuple[int, int] | None,
) -> list[PointRow]:
    """Return a page of the current points of a series, by rising time; see `AskingStore.points`."""
    first = max(_FIRST if start is None else start, _FIRST if after is None else after[0])
    most = _LAST if limit is None else limit
    found: list[PointRow] = []
    for head in fetch(connection, LIST.replace("/*filters*/", "s.id = ?"), (number, 1)):
        values = (number, first, _LAST if end is None else end, head[-1])
        cursor: Any = connection.execute(q.walk_points, values)
        for _, rows in groupby(cursor, key=lambda row: row[2]):
            if len(found) >= most:
                cursor.close()
                break
            found += (point for point in _current(rows) if after is None or (point.at, point.id) > after)
    return found[:most]


def _current(rows: Iterable[Row]) -> Iterator[PointRow]:
    """Yield the current one of every time, of rows that begin together, in the order of their ids."""
    of_time: dict[int | None, list[Row]] = {}
    for row in rows:
        of_time.setdefault(row[3], []).append(row)
    for recorded in sorted(of_time.values(), key=lambda recorded: recorded[-1][0]):
        former = dict.fromkeys(row[4] for row in reversed(recorded))
        yield _point(recorded[-1], tuple(value for value in former if value != recorded[-1][4]))


def _point(row: Row, was: tuple[float, ...]) -> PointRow:
    number, series, at, until, value, written, slot, version, start, end, source, source_url, recorded_at = row
    return PointRow(
        id=number,
        series=series,
        at=at,
        until=until,
        value=value,
        written=written,
        memory_id=None if slot is None else MemoryId(0, slot, version),
        start=start,
        end=end,
        source=source,
        source_url=source_url,
        recorded_at=recorded_at,
        was=was,
    )


def _json(values: Iterable[int] | Iterable[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
