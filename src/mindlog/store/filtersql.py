"""Filters as SQL conditions with parameters. Owns the translation; the meaning is that of `filters.matches`.

Conditions are on `memories AS m`. Every part is 0 or 1, never NULL, so that NOT is the plain complement.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from typing import Any

import apsw

from mindlog.filters import AllOf, AnyOf, Compare, Condition, Filters, Not, Scalar

__all__ = ["compile_filters", "register"]

Sql = tuple[str, list[Any]]

_SIGNS = {"$eq": "=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
_PYTHON: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_NUMBER = "coalesce(json_type(m.metadata, ?) IN ('integer', 'real'), 0)"
_TEXT = "json_type(m.metadata, ?) IS 'text'"
_VALUE = "json_extract(m.metadata, ?)"
# SQLite reads an integer beyond 64 bits as the nearest double. Then the digits are compared as Python does.
_LARGE = "typeof(json_extract(m.metadata, ?)) = 'real' AND json_type(m.metadata, ?) = 'integer'"

# A list is one parameter: a query has room for thousands of values.
_AMONG = "IN (SELECT value FROM json_each(?))"


def register(connection: apsw.Connection) -> None:
    """Give the connection the functions that compiled conditions use."""
    connection.create_scalar_function("compare_large", _compare_large, 3, deterministic=True)
    connection.create_scalar_function("among_large", _among_large, 2, deterministic=True)


def _compare_large(*values: Any) -> bool:
    digits, sign, other = values
    return _PYTHON[sign](int(digits), other)


def _among_large(*values: Any) -> bool:
    digits, others = values
    return int(digits) in json.loads(others)


def compile_filters(filters: Filters) -> Sql:
    """Return the condition and its parameters."""
    parts: list[Sql] = []
    for column in ("session", "agent", "kind", "document_id"):
        wanted: tuple[str, ...] | None = getattr(filters, column)
        if wanted is not None:
            parts.append((f"coalesce(m.{column} {_AMONG}, 0)", [_json(wanted)]))
    if filters.after is not None:
        parts.append(("m.occurred_at >= ?", [filters.after]))
    if filters.before is not None:
        parts.append(("m.occurred_at < ?", [filters.before]))
    if filters.metadata is not None:
        parts.append(_condition(filters.metadata))
    return _join(parts, "AND", "1")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _join(parts: list[Sql], word: str, empty: str) -> Sql:
    if not parts:
        return empty, []
    return "(" + f" {word} ".join(sql for sql, _ in parts) + ")", [value for _, values in parts for value in values]


def _condition(condition: Condition) -> Sql:
    match condition:
        case AllOf(parts=parts):
            return _join([_condition(part) for part in parts], "AND", "1")
        case AnyOf(parts=parts):
            return _join([_condition(part) for part in parts], "OR", "0")
        case Not(part=part):
            sql, values = _condition(part)
            return f"(NOT {sql})", values
        case Compare():
            return _compare(condition)


def _compare(test: Compare) -> Sql:
    path = "$." + _json(test.key)
    value = test.value
    if test.operator == "$exists":
        return f"(json_type(m.metadata, ?) IS {'NOT ' if value else ''}NULL)", [path]
    if isinstance(value, tuple):
        found = _in(path, value)
        return found if test.operator == "$in" else _present_and_not(path, found)
    if test.operator == "$ne":
        return _present_and_not(path, _single(path, "=", value))
    return _single(path, _SIGNS[test.operator], value)


def _present_and_not(path: str, same: Sql) -> Sql:
    sql, values = same
    return f"(json_type(m.metadata, ?) IS NOT NULL AND NOT {sql})", [path, *values]


def _single(path: str, sign: str, value: Scalar) -> Sql:
    if value is None or isinstance(value, bool):
        word = "null" if value is None else "true" if value else "false"
        return f"(json_type(m.metadata, ?) IS '{word}')", [path]
    if isinstance(value, str):
        return f"({_TEXT} AND {_VALUE} {sign} ?)", [path, path, value]
    large = f"compare_large(m.metadata -> ?, '{sign}', ?)"
    sql = f"({_NUMBER} AND CASE WHEN {_LARGE} THEN {large} ELSE {_VALUE} {sign} ? END)"
    return sql, [path, path, path, path, value, path, value]


def _in(path: str, values: tuple[Scalar, ...]) -> Sql:
    texts = [value for value in values if isinstance(value, str)]
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    parts = [_single(path, "=", word) for word in (None, True, False) if any(value is word for value in values)]
    if texts:
        parts.append((f"({_TEXT} AND {_VALUE} {_AMONG})", [path, path, _json(texts)]))
    if numbers:
        sql = f"({_NUMBER} AND CASE WHEN {_LARGE} THEN among_large(m.metadata -> ?, ?) ELSE {_VALUE} {_AMONG} END)"
        parts.append((sql, [path, path, path, path, _json(numbers), path, _json(numbers)]))
    return _join(parts, "OR", "0")
