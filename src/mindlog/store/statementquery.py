"""Statement queries as SQL: where to look, and what must hold. Knows no rows.

A page is read in the order of an index, from every entity it may be about, so that it costs what it shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import apsw

from mindlog.store.connect import fetch
from mindlog.store.entityreads import groups
from mindlog.store.graphrows import StatementQuery
from mindlog.store.queries import q
from mindlog.store.statementreads import NOW, Moment

__all__ = ["moment_of", "statement_ids"]

Sql = tuple[str, Sequence[object]]

_AMONG = "IN (SELECT value FROM json_each(?))"
_LIVE = """EXISTS (
    SELECT 1 FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot AND m.version = e.version
    WHERE e.statement = s.id AND m.forgotten_at IS NULL)"""
_VISIBLE = """EXISTS (
    SELECT 1 FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot
    WHERE e.statement = s.id AND m.forgotten_at IS NULL)"""
# After a merge a statement may be about one thing twice; until the merge is undone it says nothing.
_NO_LOOP = "(SELECT root FROM entities WHERE id = s.object) IS NOT (SELECT root FROM entities WHERE id = s.subject)"
_BELIEVED = """EXISTS (
    SELECT 1 FROM validities AS v WHERE v.statement = s.id
    AND v.recorded_at <= ? AND (v.invalidated_at IS NULL OR v.invalidated_at > ?){})"""
_VALID = " AND (v.valid_from IS NULL OR v.valid_from <= ?) AND (v.valid_to IS NULL OR v.valid_to > ?)"


def moment_of(query: StatementQuery) -> Moment:
    """Return of when the query asks. What is current is so at `as_of`, else at `known_at`, else now."""
    valid_at = query.as_of
    if valid_at is None and query.current:
        valid_at = query.now if query.known_at is None else query.known_at
    return Moment(known_at=NOW if query.known_at is None else query.known_at, valid_at=valid_at)


def statement_ids(connection: apsw.Connection, query: StatementQuery) -> list[int]:
    """Return the ids of the page, newest first."""
    moment = moment_of(query)
    sides = [_members(connection, query.dataset, ids) for ids in (query.subjects, query.objects, query.either)]
    conditions, values = _conditions(query, moment, *sides)
    before = NOW if query.before_id is None else query.before_id
    found: set[int] = set()
    for sql, lead in _places(connection, query, moment, *sides):
        row = (*lead, query.dataset, before, *values, query.limit)
        found.update(number for (number,) in fetch(connection, sql.replace("/*filters*/", conditions), row))
    return sorted(found, reverse=True)[: query.limit]


def _members(connection: apsw.Connection, dataset: int, ids: Iterable[int]) -> list[int]:
    return [member for found in groups(connection, dataset, ids).values() for member in found]


def _places(
    connection: apsw.Connection,
    query: StatementQuery,
    moment: Moment,
    subjects: list[int],
    objects: list[int],
    either: list[int],
) -> Iterable[Sql]:
    """Yield where to look: the narrowest of what the query names, one statement for every entity."""
    if query.ids or query.slot is not None:
        yield q.statements_of_ids, [json.dumps(_named(connection, query, moment))]
    elif query.subjects:
        yield from ((q.statements_of_subject, [each]) for each in subjects)
    elif query.objects:
        yield from ((q.statements_of_object, [each]) for each in objects)
    elif query.either:
        yield from ((q.statements_of_subject, [each]) for each in either)
        yield from ((q.statements_of_object, [each]) for each in either)
    elif query.predicate is not None:
        yield q.statements_of_predicate, [query.predicate]
    else:
        yield q.statements_of_dataset, []


def _named(connection: apsw.Connection, query: StatementQuery, moment: Moment) -> list[int]:
    if query.slot is None:
        return list(dict.fromkeys(query.ids))
    carried = [number for (number,) in fetch(connection, q.statements_of_slot, (query.slot, moment.is_past))]
    return [number for number in carried if not query.ids or number in query.ids]


def _conditions(
    query: StatementQuery, moment: Moment, subjects: list[int], objects: list[int], either: list[int]
) -> Sql:
    parts: list[Sql] = []
    if query.subjects:
        parts.append((f"s.subject {_AMONG}", [json.dumps(subjects)]))
    if query.objects:
        parts.append((f"s.object {_AMONG}", [json.dumps(objects)]))
    if query.either:
        parts.append((f"(s.subject {_AMONG} OR s.object {_AMONG})", [json.dumps(either)] * 2))
    if query.predicate is not None:
        parts.append(("s.predicate = ?", [query.predicate]))
    if query.text is not None:
        parts.append(("s.text LIKE ? ESCAPE '\\'", [f"%{_escaped(query.text)}%"]))
    parts += [(_NO_LOOP, []), _believed(moment), (_VISIBLE if moment.is_past else _LIVE, [])]
    return " AND ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]


def _believed(moment: Moment) -> Sql:
    values: list[object] = [moment.known_at, moment.known_at]
    if moment.valid_at is None:
        return _BELIEVED.format(""), values
    return _BELIEVED.format(_VALID), [*values, moment.valid_at, moment.valid_at]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
