"""The metadata columns agree with `filters.matches` on every condition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.filters import AllOf, AnyOf, Compare, Condition, Not, matches
from mindlog.index.metadata import MetadataTable
from tests.index.made import CALM

KEYS = st.sampled_from(["a", "b", "c", ""])
NUMBERS = st.sampled_from([0, 1, -1, 2, 0.0, -0.0, 1.0, 1.5, 2**53, 2**53 + 1, float(2**53), -(2**63)])
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, st.sampled_from(["", "1", "a", "b", "é", "true", "0"]))
VALUES = st.one_of(SCALARS, st.just([]), st.just([1]), st.just({"a": 1}), st.just({}))
METADATA = st.dictionaries(KEYS, VALUES, max_size=4)
ORDERED = st.one_of(NUMBERS, st.sampled_from(["", "1", "a", "b"]))


def compares() -> st.SearchStrategy[Compare]:
    def test(operators: list[str], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Compare]:
        return st.builds(Compare, key=KEYS, operator=st.sampled_from(operators), value=values)

    return st.one_of(
        test(["$eq", "$ne"], SCALARS),
        test(["$in", "$nin"], st.lists(SCALARS, min_size=1, max_size=3).map(tuple)),
        test(["$gt", "$gte", "$lt", "$lte"], ORDERED),
        test(["$exists"], st.booleans()),
    )


def conditions() -> st.SearchStrategy[Condition]:
    def joined(part: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        parts = st.lists(part, min_size=1, max_size=3).map(tuple)
        return st.one_of(st.builds(AllOf, parts=parts), st.builds(AnyOf, parts=parts), st.builds(Not, part=part))

    return st.recursive(compares(), joined, max_leaves=6)


@CALM
@given(rows=st.lists(METADATA, max_size=12), condition=conditions())
def test_a_condition_selects_exactly_the_rows_that_match_it(rows: list[dict[str, Any]], condition: Condition) -> None:
    table = MetadataTable()
    table.extend(0, rows[:5])
    table.extend(5, rows[5:])
    assert table.mask(condition, len(rows)).tolist() == [matches(condition, metadata) for metadata in rows]


@CALM
@given(rows=st.lists(METADATA, min_size=1, max_size=8), condition=conditions(), data=st.data())
def test_a_reader_sees_only_the_rows_of_its_view(
    rows: list[dict[str, Any]], condition: Condition, data: st.DataObject
) -> None:
    table = MetadataTable()
    table.extend(0, rows[:5])
    table.extend(5, rows[5:])
    length = data.draw(st.integers(0, len(rows)))
    assert table.mask(condition, length).tolist() == [matches(condition, metadata) for metadata in rows[:length]]


@CALM
@given(
    values=st.lists(st.one_of(NUMBERS, st.sampled_from(["", "a", "b"]), st.booleans()), min_size=1, max_size=40),
    operator=st.sampled_from(["$gt", "$gte", "$lt", "$lte"]),
    bound=ORDERED,
    rounds=st.integers(1, 3),
)
def test_comparisons_hold_while_sorted_and_recent_values_are_mixed(
    values: list[Any], operator: str, bound: Any, rounds: int
) -> None:
    condition = Compare(key="k", operator=operator, value=bound)
    table, rows = MetadataTable(), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mindlog.index.metadata._UNSORTED", 3)
        for _ in range(rounds):
            table.extend(len(rows), [{"k": value} for value in values])
            rows.extend({"k": value} for value in values)
            values = [value + 1 if isinstance(value, int) else value for value in values]
            assert table.mask(condition, len(rows)).tolist() == [matches(condition, row) for row in rows]


def test_a_key_with_a_value_of_its_own_for_every_row_is_filtered_exactly() -> None:
    table = MetadataTable()
    table.extend(0, [{"message": f"m{number}", "number": number} for number in range(5000)])
    eq = table.mask(Compare(key="message", operator="$eq", value="m4321"), 5000)
    assert np.flatnonzero(eq).tolist() == [4321]
    span = AllOf(
        parts=(
            Compare(key="number", operator="$gte", value=17),
            Compare(key="number", operator="$lt", value=20.5),
        )
    )
    assert np.flatnonzero(table.mask(span, 5000)).tolist() == [17, 18, 19, 20]
