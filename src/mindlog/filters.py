"""What a recall or a listing may be narrowed by. Owns the filter grammar and its tree; knows no index and no SQL.

A filter either holds exactly or is refused: an unknown key, operator or value type is an error, never ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from mindlog.clock import check_instant, from_iso
from mindlog.errors import InvalidInput, UnknownFilter

__all__ = ["AllOf", "AnyOf", "Compare", "Condition", "Filters", "Not", "Scalar", "matches", "parse_filters"]

Scalar = str | int | float | bool | None

OPERATORS = ("$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte", "$exists")
MAX_DEPTH = 8
MAX_CONDITIONS = 64
MAX_VALUES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """`key operator value` on one metadata key.

    A memory without the key satisfies only `$exists: false`. Values of different JSON types are never equal and are not
    ordered; true is not 1. `$ne` and `$nin` ask for a value that is there and differs; `Not` is the plain complement.
    """

    key: str
    operator: str
    value: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition = Compare | AllOf | AnyOf | Not


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """A conjunction; None leaves an aspect open. `after` is inclusive, `before` exclusive, both on `occurred_at`."""

    session: tuple[str, ...] | None = None
    agent: tuple[str, ...] | None = None
    kind: tuple[str, ...] | None = None
    document_id: tuple[str, ...] | None = None
    metadata: Condition | None = None
    after: int | None = None
    before: int | None = None

    def __post_init__(self) -> None:
        """Refuse instants that no memory can have: stores could not even be asked for them."""
        for name in ("after", "before"):
            if (at := getattr(self, name)) is not None:
                check_instant(at, f"filters.{name}")

    @property
    def is_open(self) -> bool:
        """Whether nothing is filtered."""
        return all(getattr(self, f.name) is None for f in fields(self))


def parse_filters(raw: Mapping[str, Any] | None, *, default_zone: str | None = None) -> Filters:
    """Read the JSON form `{session, agent, kind, document_id, metadata, after, before}`.

    Strings may be a list (any of them). Raises `UnknownFilter` for an unknown key or operator and `InvalidInput` for a
    wrong value, naming the field.
    """
    raw = raw or {}
    known = {f.name for f in fields(Filters)}
    for key in raw:
        if key not in known:
            raise UnknownFilter(
                f"filters.{key}: unknown filter; known are {', '.join(sorted(known))}", field=f"filters.{key}"
            )
    after, before = (_instant(raw.get(name), f"filters.{name}", default_zone) for name in ("after", "before"))
    if after is not None and before is not None and before <= after:
        raise InvalidInput("filters.before: the end is not after the start", field="filters.before")
    return Filters(
        session=_strings(raw.get("session"), "filters.session"),
        agent=_strings(raw.get("agent"), "filters.agent"),
        kind=_kinds(raw.get("kind")),
        document_id=_strings(raw.get("document_id"), "filters.document_id"),
        metadata=_metadata(raw.get("metadata")),
        after=after,
        before=before,
    )


def _instant(value: Any, field: str, default_zone: str | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise InvalidInput(f"{field}: must be an RFC 3339 time", field=field)
    return from_iso(value, field=field, default_zone=default_zone)


def _strings(value: Any, field: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    items: Sequence[Any] = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    if not items or len(items) > MAX_VALUES or not all(isinstance(item, str) for item in items):
        raise InvalidInput(f"{field}: must be a string or a list of 1 to {MAX_VALUES} strings", field=field)
    return tuple(items)


def _kinds(value: Any) -> tuple[str, ...] | None:
    kinds = _strings(value, "filters.kind")
    for kind in kinds or ():
        if kind not in ("episodic", "semantic", "consolidated"):
            raise InvalidInput(f"filters.kind: {kind!r} is not a memory kind", field="filters.kind")
    return kinds


def _metadata(raw: Any) -> Condition | None:
    if raw is None:
        return None
    budget = [MAX_CONDITIONS]
    return _condition(raw, "filters.metadata", 0, budget)


def _condition(raw: Any, field: str, depth: int, budget: list[int]) -> Condition:
    if not isinstance(raw, Mapping) or not raw:
        raise InvalidInput(f"{field}: must be an object with at least one condition", field=field)
    if depth > MAX_DEPTH:
        raise InvalidInput(f"{field}: nested deeper than {MAX_DEPTH}", field=field)
    parts = [part for key, value in raw.items() for part in _entry(str(key), value, field, depth, budget)]
    return parts[0] if len(parts) == 1 else AllOf(parts=tuple(parts))


def _entry(key: str, value: Any, field: str, depth: int, budget: list[int]) -> list[Condition]:
    where = f"{field}.{key}"
    if key in ("$and", "$or"):
        if not isinstance(value, list | tuple) or not value:
            raise InvalidInput(f"{where}: must be a non-empty list of conditions", field=where)
        parts = tuple(_condition(item, where, depth + 1, budget) for item in value)
        return [AllOf(parts=parts) if key == "$and" else AnyOf(parts=parts)]
    if key == "$not":
        return [Not(part=_condition(value, where, depth + 1, budget))]
    if key.startswith("$"):
        raise UnknownFilter(f"{where}: unknown operator; known are $and, $or, $not", field=where)
    tests = value if isinstance(value, Mapping) else {"$eq": value}
    if not tests:
        raise InvalidInput(f"{where}: must name at least one operator", field=where)
    return [_compare(key, str(op), arg, where, budget) for op, arg in tests.items()]


def _compare(key: str, operator: str, value: Any, field: str, budget: list[int]) -> Compare:
    where = f"{field}.{operator}"
    budget[0] -= 1
    if budget[0] < 0:
        raise InvalidInput(f"filters.metadata: more than {MAX_CONDITIONS} conditions", field="filters.metadata")
    if operator not in OPERATORS:
        raise UnknownFilter(f"{where}: unknown operator; known are {', '.join(OPERATORS)}", field=where)
    return Compare(key=key, operator=operator, value=_operand(operator, value, where))


def _operand(operator: str, value: Any, where: str) -> Scalar | tuple[Scalar, ...]:
    if operator in ("$in", "$nin"):
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_VALUES or not all(map(_is_scalar, value)):
            raise InvalidInput(f"{where}: must be a list of 1 to {MAX_VALUES} plain values", field=where)
        return tuple(value)
    if operator == "$exists":
        if not isinstance(value, bool):
            raise InvalidInput(f"{where}: must be true or false", field=where)
        return value
    if operator in ("$eq", "$ne"):
        if not _is_scalar(value):
            raise InvalidInput(f"{where}: must be a plain value", field=where)
        return value
    if _type_of(value) not in ("number", "string") or not _is_scalar(value):
        raise InvalidInput(f"{where}: must be a number or a string", field=where)
    return value


def _is_scalar(value: Any) -> bool:
    # A NaN equals nothing and JSON cannot carry it; integers beyond 64 bits would be compared differently by stores.
    if isinstance(value, float):
        return value == value and value not in (float("inf"), float("-inf"))
    if isinstance(value, int) and not isinstance(value, bool):
        return -(2**63) <= value < 2**63
    return value is None or isinstance(value, str | bool)


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, int | float) else "string" if isinstance(value, str) else "other"


_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda a, b: a > b,
    "$gte": lambda a, b: a >= b,
    "$lt": lambda a, b: a < b,
    "$lte": lambda a, b: a <= b,
}


def matches(condition: Condition, metadata: Mapping[str, Any]) -> bool:
    """Say whether the metadata satisfies the condition: the reference that indexes and SQL agree with."""
    match condition:
        case AllOf(parts=parts):
            return all(matches(part, metadata) for part in parts)
        case AnyOf(parts=parts):
            return any(matches(part, metadata) for part in parts)
        case Not(part=part):
            return not matches(part, metadata)
        case Compare(key=key, operator="$exists", value=wanted):
            return (key in metadata) is wanted
        case Compare(key=key):
            return key in metadata and holds(condition, metadata[key])


def holds(test: Compare, value: Any) -> bool:
    """Say whether a present value satisfies the test (any operator but `$exists`)."""
    match test.operator:
        case "$eq":
            return _same(value, test.value)
        case "$ne":
            return not _same(value, test.value)
        case "$in" | "$nin":
            found = any(_same(value, item) for item in test.value)  # type: ignore[union-attr]
            return found is (test.operator == "$in")
        case operator:
            return _type_of(value) == _type_of(test.value) and _ORDER[operator](value, test.value)


def _same(a: Any, b: Any) -> bool:
    return _type_of(a) == _type_of(b) and a == b
