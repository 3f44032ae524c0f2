"""Records as JSON and back: the form they have in HTTP bodies and in the command line's output.

Owns the names and shapes of that form. Knows no HTTP library and checks no caller's value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, cast

from mindlog.clock import from_iso, iso
from mindlog.filters import AllOf, AnyOf, Compare, Condition, Filters, Not
from mindlog.ids import MemoryId
from mindlog.records import (
    ApiKey,
    Dataset,
    Hit,
    LaneScore,
    Memory,
    MemoryKind,
    MemoryPage,
    MemoryState,
    RecallResult,
    Scope,
)

__all__ = ["filters_to_json", "hit", "page", "recall_result", "record", "to_json"]

T = TypeVar("T")

_INSTANTS = frozenset(
    [
        "occurred_at",
        "created_at",
        "recorded_at",
        "persisted_at",
        "forgotten_at",
        "restorable_until",
        "last_used_at",
        "revoked_at",
    ]
)
# Field of a record -> name in JSON, where they differ; None: not shown.
_NAMES: dict[type, dict[str, str | None]] = {
    Memory: {"id": "memory_id"},
    ApiKey: {"id": "key_id"},
    Dataset: {"number": None},
}


def to_json(value: Any) -> Any:
    """Return a record, or any tree of records and plain values, as JSON values."""
    match value:
        case MemoryId():
            return str(value)
        case MemoryPage():
            return {"data": to_json(value.data), "has_more": value.has_more, "next_cursor": value.next_cursor}
        case Hit():
            return {**to_json(value.memory), "score": value.score, "lanes": to_json(value.lanes)}
        case Filters():
            return filters_to_json(value)
        case Mapping():
            return {str(key): to_json(item) for key, item in cast("Mapping[Any, Any]", value).items()}
        case list() | tuple():
            return [to_json(item) for item in cast("list[Any]", value)]
        case frozenset():
            return sorted(map(to_json, cast("frozenset[Any]", value)))
        case _ if is_dataclass(value):
            return _fields_to_json(value)
        case _:
            return value


def _fields_to_json(value: Any) -> dict[str, Any]:
    names = _NAMES.get(type(value), {})
    shown = {f.name: name for f in fields(value) if (name := names.get(f.name, f.name)) is not None}
    return {name: _field_to_json(field, getattr(value, field)) for field, name in shown.items()}


def _field_to_json(field: str, value: Any) -> Any:
    return iso(value) if field in _INSTANTS and isinstance(value, int) else to_json(value)


def filters_to_json(filters: Filters) -> dict[str, Any]:
    """Return the form that `parse_filters` reads back to the same filters."""
    body: dict[str, Any] = {}
    for name in ("session", "agent", "kind", "document_id"):
        if (values := getattr(filters, name)) is not None:
            body[name] = list(values)
    for name in ("after", "before"):
        if (at := getattr(filters, name)) is not None:
            body[name] = iso(at)
    if filters.metadata is not None:
        body["metadata"] = _condition_to_json(filters.metadata)
    return body


def _condition_to_json(condition: Condition) -> dict[str, Any]:
    match condition:
        case Compare(key=key, operator=operator, value=value):
            return {key: {operator: list(value) if isinstance(value, tuple) else value}}
        case AllOf(parts=parts):
            return {"$and": [_condition_to_json(part) for part in parts]}
        case AnyOf(parts=parts):
            return {"$or": [_condition_to_json(part) for part in parts]}
        case Not(part=part):
            return {"$not": _condition_to_json(part)}


def _instant(value: str) -> int:
    return from_iso(value, field="answer")


_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_INSTANTS, _instant),
    "kind": MemoryKind,
    "state": MemoryState,
    "scopes": lambda names: frozenset(map(Scope, names)),
    "datasets": frozenset,
    "pending_stages": tuple,
    "memory_ids": tuple,
    "reasons": tuple,
    "indexes": tuple,
}


def record(kind: type[T], body: Mapping[str, Any]) -> T:
    """Read a flat record (memory, result, receipt, dataset, key); `KeyError` or `ValueError` if it is not one."""
    names = _NAMES.get(kind, {})
    values: dict[str, Any] = {}
    for field in fields(cast("Any", kind)):
        name = names.get(field.name, field.name)
        # A dataset's number is the store's own affair; outside there is none.
        values[field.name] = 0 if name is None else _read(field.name, body[name])
    if kind is Memory:
        values["id"] = MemoryId.parse(values["id"])
    return kind(**values)


def _read(field: str, value: Any) -> Any:
    reader = _READERS.get(field)
    return value if reader is None or value is None else reader(value)


def page(body: Mapping[str, Any]) -> MemoryPage:
    """Read a page of memories."""
    return MemoryPage(data=tuple(record(Memory, each) for each in body["data"]), next_cursor=body["next_cursor"])


def hit(body: Mapping[str, Any]) -> Hit:
    """Read a hit: a memory with its score and lanes beside its own fields."""
    lanes = {name: record(LaneScore, lane) for name, lane in body["lanes"].items()}
    return Hit(memory=record(Memory, body), score=body["score"], lanes=lanes)


def recall_result(body: Mapping[str, Any]) -> RecallResult:
    """Read the answer to a recall."""
    hits = tuple(map(hit, body["hits"]))
    return RecallResult(hits=hits, context=body.get("context"), trace=body.get("trace"))
