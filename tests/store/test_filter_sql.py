"""Compiled filters mean what `filters.matches` means."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindlog.filters import MAX_VALUES, Condition, Filters, matches, parse_filters
from mindlog.store.filtersql import compile_filters, register

KEYS = st.sampled_from(["a", "b", "a.b", 'q"', "", "é", "k$", "[0]", "a\\b", "x\ny", "'"])
INTEGERS = st.one_of(st.integers(-3, 3), st.integers(), st.sampled_from([2**53, 2**53 + 1, 2**63, -(2**63) - 1, 2**64]))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.one_of(st.sampled_from(["", "a", "A", "1", "true", "null", "é", "a\x00b"]), st.text(max_size=4))
SCALARS = st.one_of(st.none(), st.booleans(), INTEGERS, FLOATS, TEXTS)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(KEYS, SCALARS, max_size=2))
METADATA = st.dictionaries(KEYS, VALUES, max_size=4)

SMALL = st.one_of(INTEGERS.filter(lambda n: -(2**63) <= n < 2**63), FLOATS)
OPERANDS = st.one_of(st.none(), st.booleans(), SMALL, TEXTS)
TESTS = st.one_of(
    OPERANDS,
    st.fixed_dictionaries({"$ne": OPERANDS}),
    st.fixed_dictionaries({"$in": st.lists(OPERANDS, min_size=1, max_size=4)}),
    st.fixed_dictionaries({"$nin": st.lists(OPERANDS, min_size=1, max_size=4)}),
    st.fixed_dictionaries({"$exists": st.booleans()}),
    st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), st.one_of(SMALL, TEXTS), min_size=1, max_size=2),
)
LEAVES = st.dictionaries(KEYS, TESTS, min_size=1, max_size=3)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"$and": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"$or": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"$not": inner}),
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def connection() -> Iterator[apsw.Connection]:
    database = apsw.Connection(":memory:")
    register(database)
    database.execute("CREATE TABLE memories (number INTEGER PRIMARY KEY, metadata TEXT NOT NULL) STRICT")
    yield database
    database.close()


def surrogate_free(value: Any) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in json.dumps(value, ensure_ascii=False))


def condition_of(raw: Any) -> Condition:
    condition = parse_filters({"metadata": raw}).metadata
    assert condition is not None
    return condition


def found(database: apsw.Connection, condition: Condition) -> set[int]:
    sql, values = compile_filters(Filters(metadata=condition))
    return {number for (number,) in database.execute(f"SELECT number FROM memories AS m WHERE {sql}", values)}


@settings(max_examples=300, deadline=None)
@given(rows=st.lists(METADATA.filter(surrogate_free), min_size=1, max_size=8), raw=CONDITIONS.filter(surrogate_free))
def test_sql_finds_exactly_what_matches_says(connection: apsw.Connection, rows: list[dict[str, Any]], raw: Any) -> None:
    condition = condition_of(raw)
    connection.execute("DELETE FROM memories")
    stored = [(number, json.dumps(metadata, ensure_ascii=False)) for number, metadata in enumerate(rows)]
    connection.executemany("INSERT INTO memories VALUES (?, ?)", stored)
    assert found(connection, condition) == {n for n, metadata in enumerate(rows) if matches(condition, metadata)}


@settings(max_examples=300, deadline=None)
@given(value=SCALARS.filter(surrogate_free), operand=OPERANDS.filter(surrogate_free))
def test_one_value_against_one_operand(connection: apsw.Connection, value: Any, operand: Any) -> None:
    connection.execute("DELETE FROM memories")
    connection.execute("INSERT INTO memories VALUES (0, ?)", (json.dumps({"k": value}, ensure_ascii=False),))
    ordered = isinstance(operand, int | float | str) and not isinstance(operand, bool)
    for operator in ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte") if ordered else ("$eq", "$ne"):
        condition = condition_of({"k": {operator: operand}})
        assert found(connection, condition) == ({0} if matches(condition, {"k": value}) else set()), operator


def test_the_largest_filter_that_parses_also_runs(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM memories")
    connection.execute("INSERT INTO memories VALUES (0, ?)", (json.dumps({"k": 999, "t": "999"}),))
    numbers, texts = list(range(MAX_VALUES)), [str(n) for n in range(MAX_VALUES)]
    parts = [{"k": {"$in": numbers}}, {"t": {"$in": texts}}] * 32
    raw: Any = {"$and": parts}
    for _ in range(6):
        raw = {"$or": [raw]}
    assert found(connection, condition_of(raw)) == {0}
