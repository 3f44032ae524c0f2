"""The filter grammar: everything known is read, everything else is refused and never ignored."""

from __future__ import annotations

from typing import Any

import pytest

from mindlog.errors import InvalidInput, UnknownFilter
from mindlog.filters import AllOf, AnyOf, Compare, Filters, Not, matches, parse_filters


def metadata(condition: Any) -> Any:
    return parse_filters({"metadata": condition}).metadata


def test_the_whole_form_is_read() -> None:
    filters = parse_filters(
        {
            "session": "s",
            "agent": ["a", "b"],
            "kind": "episodic",
            "document_id": ["d"],
            "metadata": {"topic": "lamp"},
            "after": "1970-01-01T00:00:00Z",
            "before": 5,
        }
    )
    assert filters == Filters(
        session=("s",),
        agent=("a", "b"),
        kind=("episodic",),
        document_id=("d",),
        metadata=Compare(key="topic", operator="$eq", value="lamp"),
        after=0,
        before=5,
    )
    assert not filters.is_open
    assert parse_filters(None).is_open
    assert parse_filters({}).is_open
    assert parse_filters({"session": None, "metadata": None}).is_open


def test_conditions_are_joined_and_nested() -> None:
    read = metadata(
        {"a": 1, "$or": [{"b": {"$gt": 2, "$lt": 9}}, {"$not": {"c": {"$exists": True}}}], "$and": [{"d": None}]}
    )
    assert read == AllOf(
        parts=(
            Compare(key="a", operator="$eq", value=1),
            AnyOf(
                parts=(
                    AllOf(
                        parts=(
                            Compare(key="b", operator="$gt", value=2),
                            Compare(key="b", operator="$lt", value=9),
                        )
                    ),
                    Not(part=Compare(key="c", operator="$exists", value=True)),
                )
            ),
            AllOf(parts=(Compare(key="d", operator="$eq", value=None),)),
        )
    )


UNKNOWN = [
    ({"user": "b"}, "filters.user"),
    ({"sessions": "s"}, "filters.sessions"),
    ({"Session": "s"}, "filters.Session"),
    ({"": "s"}, "filters."),
    ({"metadata": {"a": {"$regex": "x"}}}, "filters.metadata.a.$regex"),
    ({"metadata": {"a": {"eq": 1}}}, "filters.metadata.a.eq"),
    ({"metadata": {"a": {"$eq": 1, "$like": 2}}}, "filters.metadata.a.$like"),
    ({"metadata": {"$nor": [{"a": 1}]}}, "filters.metadata.$nor"),
    ({"metadata": {"$where": "1"}}, "filters.metadata.$where"),
]


@pytest.mark.parametrize(("raw", "field"), UNKNOWN)
def test_what_is_not_known_is_refused_by_name(raw: dict[str, Any], field: str) -> None:
    with pytest.raises(UnknownFilter) as refusal:
        parse_filters(raw)
    assert (refusal.value.field, refusal.value.code, refusal.value.status) == (field, "unknown_filter", 400)


WRONG = [
    ({"session": 5}, "filters.session"),
    ({"session": []}, "filters.session"),
    ({"session": ["s", 5]}, "filters.session"),
    ({"session": {"$eq": "s"}}, "filters.session"),
    ({"agent": ["a"] * 1001}, "filters.agent"),
    ({"kind": "other"}, "filters.kind"),
    ({"after": "2025-07-25T00:00:00"}, "filters.after"),
    ({"after": 1.5}, "filters.after"),
    ({"after": True}, "filters.after"),
    ({"after": "soon"}, "filters.after"),
    ({"before": 10**30}, "filters.before"),
    ({"after": 5, "before": 5}, "filters.before"),
    ({"after": 6, "before": 5}, "filters.before"),
    ({"metadata": []}, "filters.metadata"),
    ({"metadata": {}}, "filters.metadata"),
    ({"metadata": "a"}, "filters.metadata"),
    ({"metadata": {"a": {}}}, "filters.metadata.a"),
    ({"metadata": {"a": [1]}}, "filters.metadata.a.$eq"),
    ({"metadata": {"a": {"$eq": {"b": 1}}}}, "filters.metadata.a.$eq"),
    ({"metadata": {"a": float("nan")}}, "filters.metadata.a.$eq"),
    ({"metadata": {"a": 2**63}}, "filters.metadata.a.$eq"),
    ({"metadata": {"a": {"$in": []}}}, "filters.metadata.a.$in"),
    ({"metadata": {"a": {"$in": "abc"}}}, "filters.metadata.a.$in"),
    ({"metadata": {"a": {"$nin": [[1]]}}}, "filters.metadata.a.$nin"),
    ({"metadata": {"a": {"$gt": True}}}, "filters.metadata.a.$gt"),
    ({"metadata": {"a": {"$lte": None}}}, "filters.metadata.a.$lte"),
    ({"metadata": {"a": {"$gt": float("inf")}}}, "filters.metadata.a.$gt"),
    ({"metadata": {"a": {"$exists": 1}}}, "filters.metadata.a.$exists"),
    ({"metadata": {"$or": []}}, "filters.metadata.$or"),
    ({"metadata": {"$and": {"a": 1}}}, "filters.metadata.$and"),
    ({"metadata": {"$or": ["a"]}}, "filters.metadata.$or"),
    ({"metadata": {"$not": [{"a": 1}]}}, "filters.metadata.$not"),
    ({"metadata": {f"k{n}": 1 for n in range(65)}}, "filters.metadata"),
]


@pytest.mark.parametrize(("raw", "field"), WRONG)
def test_a_wrong_value_is_refused_by_name(raw: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_filters(raw)
    assert refusal.value.field == field


def test_nesting_is_bounded() -> None:
    condition: Any = {"a": 1}
    for _ in range(8):
        condition = {"$not": condition}
    assert metadata(condition)
    with pytest.raises(InvalidInput, match="deeper"):
        metadata({"$not": condition})


def test_a_naive_bound_is_taken_in_the_datasets_zone() -> None:
    filters = parse_filters({"after": "1970-01-01T09:00:00"}, default_zone="Asia/Tokyo")
    assert filters.after == 0


MEANING = [
    ({"a": 1}, {"a": 1}, True),
    ({"a": 1}, {"a": 1.0}, True),
    ({"a": 1}, {"a": True}, False),
    ({"a": 1}, {"a": "1"}, False),
    ({"a": 1}, {}, False),
    ({"a": None}, {"a": None}, True),
    ({"a": None}, {}, False),
    ({"a": {"$ne": 1}}, {"a": 2}, True),
    ({"a": {"$ne": 1}}, {"a": "1"}, True),
    ({"a": {"$ne": 1}}, {}, False),
    ({"$not": {"a": 1}}, {}, True),
    ({"$not": {"a": {"$ne": 1}}}, {}, True),
    ({"a": {"$in": [1, "x", None]}}, {"a": None}, True),
    ({"a": {"$in": [1]}}, {"a": True}, False),
    ({"a": {"$nin": [1]}}, {"a": 2}, True),
    ({"a": {"$nin": [1]}}, {}, False),
    ({"a": {"$gt": 1}}, {"a": 1.5}, True),
    ({"a": {"$gt": 1}}, {"a": "2"}, False),
    ({"a": {"$gt": 0}}, {"a": True}, False),
    ({"a": {"$gte": "b"}}, {"a": "b"}, True),
    ({"a": {"$lt": "b"}}, {"a": "B"}, True),
    ({"a": {"$exists": True}}, {"a": None}, True),
    ({"a": {"$exists": False}}, {}, True),
    ({"a": {"$exists": False}}, {"a": None}, False),
    ({"a": {"$ne": 1}}, {"a": [1]}, True),
    ({"a": {"$gt": 1, "$lt": 3}}, {"a": 2}, True),
    ({"$or": [{"a": 1}, {"b": 2}]}, {"b": 2}, True),
    ({"a": 1, "b": 2}, {"a": 1}, False),
]


@pytest.mark.parametrize(("condition", "values", "holds"), MEANING)
def test_a_condition_means_what_the_docs_say(condition: Any, values: dict[str, Any], holds: bool) -> None:
    assert matches(metadata(condition), values) is holds
