"""Metadata as columns: which rows satisfy a condition, exactly as `filters.matches` says.

Owns one sparse column a key with dictionary-coded values; knows no other fact of a memory. Rows are append-only and a
row's metadata never changes, so readers need no lock.
"""

from __future__ import annotations

import operator as op
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindlog.filters import AllOf, AnyOf, Compare, Condition, Not
from mindlog.index.columns import Growing

__all__ = ["MetadataTable"]

_ORDER: dict[str, Callable[[Any, Any], bool]] = {"$gt": op.gt, "$gte": op.ge, "$lt": op.lt, "$lte": op.le}
_NESTED = "nested"
_UNSORTED = 256  # values that are compared one by one before all are sorted


_KINDS: dict[type, str] = {type(None): "null", bool: "bool", int: "number", float: "number", str: "string"}


def _kind(value: Any) -> str:
    return _KINDS.get(type(value)) or next(
        (_KINDS[kind] for kind in (str, int, float) if isinstance(value, kind)), _NESTED
    )


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The first values of a type, in order, with their codes."""

    values: list[Any]
    codes: NDArray[np.int32]


class _Values:
    """The distinct values of one JSON type under one key, with their codes, for comparisons.

    They are compared as Python objects: a float64 column would round integers beyond 2^53.
    """

    __slots__ = ("_codes", "_sorted", "_values")

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._codes: list[int] = []
        self._sorted = _Sorted([], np.empty(0, np.int32))

    def add(self, value: Any, code: int) -> None:
        if value == value:  # a NaN is in no order and satisfies no comparison
            self._codes.append(code)
            self._values.append(value)  # last: a reader goes by the number of values

    def within(self, operator: str, bound: Any) -> NDArray[np.int32]:
        """Return the codes of the values that the operator holds for."""
        ordered = self._in_order()
        cut = (bisect_left if operator in ("$gte", "$lt") else bisect_right)(ordered.values, bound)
        found = ordered.codes[cut:] if operator in ("$gt", "$gte") else ordered.codes[:cut]
        holds, known = _ORDER[operator], len(ordered.values)
        recent = zip(self._values[known:], self._codes[known:], strict=False)
        return np.concatenate((found, np.array([code for value, code in recent if holds(value, bound)], np.int32)))

    def _in_order(self) -> _Sorted:
        ordered, count = self._sorted, len(self._values)
        if count - len(ordered.values) > max(_UNSORTED, len(ordered.values) // 8):
            values = self._values[:count]
            order = sorted(range(count), key=values.__getitem__)
            codes = np.array(self._codes[:count], np.int32)[order]
            ordered = self._sorted = _Sorted([values[i] for i in order], codes)
        return ordered


class _Column:
    """The rows that have one key, with the codes of their values."""

    __slots__ = ("_by_kind", "_codes", "_rows", "_seen")

    def __init__(self) -> None:
        self._rows: Growing[np.int32] = Growing(np.int32)
        self._codes: Growing[np.int32] = Growing(np.int32)
        self._seen: dict[tuple[str, Any], int] = {}
        self._by_kind: dict[str, _Values] = {}

    def extend(self, rows: list[int], values: list[Any]) -> None:
        """Append rows, which rise, with their values."""
        self._codes.extend([self._code(value) for value in values])
        self._rows.extend(rows)  # last: a reader goes by the number of rows

    def _code(self, value: Any) -> int:
        kind = _kind(value)
        # No operator tells one list or object from another, so they share a code.
        key = (kind, None if kind == _NESTED else value)
        code = self._seen.get(key)
        if code is None:
            code = len(self._seen)
            self._by_kind.setdefault(kind, _Values()).add(value, code)
            self._seen[key] = code
        return code

    def rows(self, length: int) -> NDArray[np.int32]:
        """Return the rows below `length` that have the key."""
        rows = self._rows.view()
        return rows[: int(np.searchsorted(rows, length))]

    def select(self, test: Compare, length: int) -> NDArray[np.int32]:
        """Return the rows below `length` whose value satisfies the test (any operator but `$exists`)."""
        rows = self.rows(length)
        codes = self._codes.view()[: len(rows)]
        hits = self._hits(test)
        return rows[hits.take(codes)]

    def _hits(self, test: Compare) -> NDArray[np.bool_]:
        match test.operator:
            case "$eq" | "$in":
                return self._equal(test, wanted=True)
            case "$ne" | "$nin":
                return self._equal(test, wanted=False)
            case name:
                return self._ordered(name, test.value)

    def _equal(self, test: Compare, *, wanted: bool) -> NDArray[np.bool_]:
        operands = test.value if isinstance(test.value, tuple) else (test.value,)
        found = [self._seen.get((_kind(value), value)) for value in operands]
        hits = np.full(len(self._seen), not wanted)
        hits[[code for code in found if code is not None and code < len(hits)]] = wanted
        return hits

    def _ordered(self, operator: str, bound: Any) -> NDArray[np.bool_]:
        known = self._by_kind.get(_kind(bound))
        codes = known.within(operator, bound) if known else np.empty(0, np.int32)
        hits = np.zeros(len(self._seen), np.bool_)
        hits[codes[codes < len(hits)]] = True
        return hits


class MetadataTable:
    """The metadata of all rows, one sparse column a key."""

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}

    def extend(self, first: int, metadata: Iterable[Mapping[str, Any]]) -> None:
        """Record the metadata of the rows from `first` on. Rows come in rising order, each once."""
        found: dict[str, tuple[list[int], list[Any]]] = {}
        for row, pairs in enumerate(metadata, first):
            for key, value in pairs.items():
                rows, values = found.setdefault(key, ([], []))
                rows.append(row)
                values.append(value)
        for key, (rows, values) in found.items():
            if key not in self._columns:
                self._columns[key] = _Column()
            self._columns[key].extend(rows, values)

    def mask(self, condition: Condition, length: int) -> NDArray[np.bool_]:
        """Say for each row below `length` whether its metadata satisfies the condition."""
        match condition:
            case AllOf(parts=parts):
                return np.logical_and.reduce(self._masks(parts, length))
            case AnyOf(parts=parts):
                return np.logical_or.reduce(self._masks(parts, length))
            case Not(part=part):
                return ~self.mask(part, length)
            case Compare():
                return self._compare(condition, length)

    def _masks(self, parts: Iterable[Condition], length: int) -> list[NDArray[np.bool_]]:
        return [self.mask(part, length) for part in parts]

    def _compare(self, test: Compare, length: int) -> NDArray[np.bool_]:
        mask = np.zeros(length, np.bool_)
        column = self._columns.get(test.key)
        if test.operator == "$exists":
            if column is not None:
                mask[column.rows(length)] = True
            return mask if test.value is True else ~mask
        if column is not None:
            mask[column.select(test, length)] = True
        return mask
