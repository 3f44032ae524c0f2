"""Records as JSON and back: the form they have in HTTP bodies and in the command line's output.

Owns the names and shapes of that form. Knows no HTTP library and checks no caller's value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from mindlog.clock import from_iso, iso
from mindlog.filters import AllOf, AnyOf, Compare, Condition, Filters, Not
from mindlog.ids import MemoryId
from mindlog.records import (
    ApiKey,
    Dataset,
    Hit,
    LaneScore,
    Memory,
    MemoryPage,
    RecallResult,
    Revision,
)
from mindlog.views import Page

__all__ = ["filters_to_json", "hit", "page", "page_of", "recall_result", "record", "time_to_json", "to_json"]

T = TypeVar("T")

_INSTANTS = frozenset(
    [
        "asserted_at",
        "at",
        "created_at",
        "decided_at",
        "finished_at",
        "first_at",
        "forgotten_at",
        "invalidated_at",
        "last_at",
        "last_used_at",
        "next_attempt_at",
        "occurred_at",
        "persisted_at",
        "recorded_at",
        "restorable_until",
        "revoked_at",
        "started_at",
        "taken_at",
        "until",
        "updated_at",
        "valid_from",
        "valid_to",
    ]
)
# Field of a record -> name in JSON, where they differ; None: not shown.
_NAMES: dict[type, dict[str, str | None]] = {
    Memory: {"id": "memory_id"},
    Revision: {"id": "memory_id"},
    ApiKey: {"id": "key_id"},
    Dataset: {"number": None},
}
_SPAN = ("start", "end")  # of the time that a cue names


def to_json(value: Any) -> Any:
    """Return a record, or any tree of records and plain values, as JSON values."""
    match value:
        case MemoryId():
            return str(value)
        case MemoryPage() | Page():
            return {"data": to_json(value.data), "has_more": value.has_more, "next_cursor": value.next_cursor}
        case Hit():
            return {**to_json(value.memory), "score": value.score, "lanes": to_json(value.lanes)}
        case RecallResult():
            return _fields_to_json(value) | {"time": time_to_json(value.time)}
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


def _time_as(time: Mapping[str, Any] | None, convert: Callable[[Any], Any]) -> dict[str, Any] | None:
    if time is None:
        return None
    return {name: convert(each) if name in _SPAN and each is not None else each for name, each in time.items()}


def time_to_json(time: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return what a cue's time was understood as, its instants as text."""
    return _time_as(time, iso)


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


def record(kind: type[T], body: Mapping[str, Any]) -> T:
    """Read a record and the records in it; `KeyError`, `TypeError` or `ValueError` if it is not one."""
    values: dict[str, Any] = {}
    for field, name, read, is_needed in _plan(kind):
        if name is None:
            # A dataset's number is the store's own affair; outside there is none.
            values[field] = 0
        elif is_needed or name in body:
            values[field] = read(body[name])
    return kind(**values)


@cache
def _plan(kind: type[Any]) -> tuple[tuple[str, str | None, Callable[[Any], Any], bool], ...]:
    """Return for each field of a record its name in JSON, how it is read, and whether it must be there."""
    names, hints = _NAMES.get(kind, {}), get_type_hints(kind)
    return tuple(
        (
            field.name,
            names.get(field.name, field.name),
            _or_none(_instant) if field.name in _INSTANTS else _reader(hints[field.name]),
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    )


def _reader(hint: Any) -> Callable[[Any], Any]:
    """Return what reads a value of the type from JSON."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        kinds = [each for each in inner if each is not NoneType]
        return _or_none(_reader(kinds[0])) if len(kinds) == 1 else _as_it_is
    if origin is tuple and inner[-1] is ...:
        each = _reader(inner[0])
        return lambda values: tuple(map(each, values))
    if origin in (tuple, frozenset):
        each, made = _reader(inner[0]), cast("Callable[[Any], Any]", origin)
        return lambda values: made(map(each, values))
    if hint is MemoryId:
        return MemoryId.parse
    if isinstance(hint, type) and is_dataclass(hint):
        return lambda body: record(hint, body)
    return hint if isinstance(hint, type) and issubclass(hint, StrEnum) else _as_it_is


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _as_it_is(value: Any) -> Any:
    return value


def _instant(value: str) -> int:
    return from_iso(value, field="answer")


def page_of(kind: type[T], body: Mapping[str, Any]) -> Page[T]:
    """Read a page of records."""
    return Page(data=tuple(record(kind, each) for each in body["data"]), next_cursor=body["next_cursor"])


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
    time = _time_as(body.get("time"), _instant)
    return RecallResult(hits=hits, context=body.get("context"), trace=body.get("trace"), time=time)
