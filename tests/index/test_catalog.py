"""The catalog's masks are exact, a view stays what it was, and rows follow edits, forgets and restores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.filters import Compare, Filters, matches
from mindlog.index.catalog import Catalog
from mindlog.records import MemoryState
from mindlog.store.base import CatalogRow
from tests.index.made import CALM, row

NAMES = [None, "ann", "bob", "eve"]
ROWS = st.builds(
    row,
    slot=st.just(0),
    dataset=st.integers(1, 2),
    agent=st.sampled_from(NAMES),
    session=st.sampled_from(NAMES),
    kind=st.sampled_from(["episodic", "semantic", "consolidated"]),
    document_id=st.sampled_from(NAMES),
    occurred_at=st.integers(0, 5),
    created_at=st.integers(0, 5),
    metadata=st.sampled_from([{}, {"k": 1}, {"k": "1"}, {"k": 2, "other": True}]),
    state=st.sampled_from(MemoryState),
)
SOME = st.none() | st.lists(st.sampled_from(["ann", "bob", "eve", "nobody"]), min_size=1, max_size=4).map(tuple)
FILTERS = st.builds(
    Filters,
    session=SOME,
    agent=SOME,
    kind=st.none() | st.just(("semantic",)) | st.just(("semantic", "episodic", "consolidated")),
    document_id=SOME,
    metadata=st.none() | st.just(Compare(key="k", operator="$gte", value=1)),
    after=st.none() | st.integers(0, 5),
    before=st.none() | st.integers(0, 6),
)


def numbered(rows: list[CatalogRow]) -> list[CatalogRow]:
    return [replace(each, slot=slot) for slot, each in enumerate(rows)]


def loaded(rows: list[CatalogRow]) -> Catalog:
    catalog = Catalog()
    catalog.load(rows)
    return catalog


def applied(rows: list[CatalogRow]) -> Catalog:
    catalog = Catalog()
    for each in rows:
        commit(catalog, each)
    return catalog


def commit(catalog: Catalog, *changes: CatalogRow) -> None:
    catalog.publish(catalog.stage(changes))


def slots(catalog: Catalog, **filters: Any) -> list[int]:
    view = catalog.view()
    return view.slot[view.mask(1, Filters(**filters))].tolist()


def passes(each: CatalogRow, dataset: int, filters: Filters, as_of: int | None) -> bool:
    def among(wanted: tuple[str, ...] | None, value: str | None) -> bool:
        return wanted is None or value in wanted

    return (
        each.dataset == dataset
        and each.state == MemoryState.LIVE
        and (as_of is None or each.created_at <= as_of)
        and among(filters.session, each.session)
        and among(filters.agent, each.agent)
        and among(filters.kind, each.kind)
        and among(filters.document_id, each.document_id)
        and (filters.after is None or each.occurred_at >= filters.after)
        and (filters.before is None or each.occurred_at < filters.before)
        and (filters.metadata is None or matches(filters.metadata, each.metadata))
    )


@CALM
@given(rows=st.lists(ROWS, max_size=20), filters=FILTERS, as_of=st.none() | st.integers(0, 5))
@pytest.mark.parametrize("make", [loaded, applied])
def test_a_mask_holds_exactly_what_every_filter_lets_through(
    make: Any, rows: list[CatalogRow], filters: Filters, as_of: int | None
) -> None:
    rows = numbered(rows)
    view = make(rows).view()
    assert view.mask(1, filters, as_of).tolist() == [passes(each, 1, filters, as_of) for each in rows]


def test_an_edit_is_a_new_row_and_the_old_one_is_gone() -> None:
    catalog = loaded(numbered([row(0, session="s"), row(0, session="s")]))
    commit(catalog, row(0, 2, session="t", metadata={"k": 1}))
    assert slots(catalog) == [1, 0]
    assert slots(catalog, session=("s",)) == [1]
    assert slots(catalog, metadata=Compare(key="k", operator="$eq", value=1)) == [0]
    assert catalog.rows(np.array([0, 1, 2, -1, 99])).tolist() == [2, 1, -1, -1, -1]
    assert catalog.rows_of(np.array([0, 0, 1]), np.array([1, 2, 1], np.uint32)).tolist() == [-1, 2, 1]
    assert catalog.current().tolist() == [1, 2]


def test_a_reader_with_an_older_view_sees_the_edited_memory_as_it_was() -> None:
    catalog = loaded([row(0)])
    before = catalog.view()
    commit(catalog, row(0, 2))
    assert before.mask(1).tolist() == [True]
    assert catalog.view().mask(1).tolist() == [False, True]


def test_staged_rows_are_unseen_until_they_are_published() -> None:
    catalog = loaded([row(0)])
    staged = catalog.stage([row(0, 2), row(1)])
    assert staged.rows.tolist() == [1, 2]
    assert catalog.view().mask(1).tolist() == [True]
    catalog.publish(staged)
    assert slots(catalog) == [0, 1]


def test_a_forgotten_memory_is_hidden_and_a_restored_one_is_back_in_its_row() -> None:
    catalog = loaded([row(0), row(1)])
    commit(catalog, row(0, state=MemoryState.FORGOTTEN))
    assert slots(catalog) == [1]
    assert catalog.forgotten().tolist() == [0]
    commit(catalog, row(0))
    assert slots(catalog) == [0, 1]
    assert catalog.view().length == 2


def test_one_commit_may_make_edit_and_forget_the_same_memory() -> None:
    catalog = Catalog()
    commit(catalog, row(5), row(5, 2), row(5, 2, state=MemoryState.FORGOTTEN), row(6), row(6, 2))
    assert slots(catalog) == [6]
    assert catalog.view().version[catalog.rows(np.array([5, 6]))].tolist() == [2, 2]


def test_a_change_that_is_known_changes_nothing() -> None:
    catalog = loaded([row(0), row(1)])
    commit(catalog, row(0, 2))
    commit(catalog, row(0), row(0, 2), row(1))
    assert catalog.view().length == 3
    assert slots(catalog) == [1, 0]


def test_agents_are_counted_among_live_memories_of_the_dataset() -> None:
    rows = [row(0, agent=name) for name in ("bob", "ann", "bob", None, "eve", "ann")]
    catalog = loaded(numbered([*rows, row(0, agent="far", dataset=2)]))
    commit(catalog, row(4, agent="eve", state=MemoryState.FORGOTTEN))
    view = catalog.view()
    assert view.agents(1) == [("ann", 2), ("bob", 2)]
    assert view.count(1) == 5
    assert view.agents(3) == []


def test_rows_tell_their_names() -> None:
    view = loaded([row(0, agent="ann", session="s"), row(1)]).view()
    assert (view.agent_name(0), view.session_name(0)) == ("ann", "s")
    assert (view.agent_name(1), view.session_name(1)) == (None, None)


def test_the_columns_grow_without_disturbing_older_views() -> None:
    catalog = Catalog()
    views = []
    for slot in range(3000):
        commit(catalog, row(slot, session=f"s{slot % 7}"))
        if slot % 500 == 0:
            views.append((slot + 1, catalog.view()))
    for length, view in views:
        assert view.slot.tolist() == list(range(length))
        assert np.count_nonzero(view.mask(1)) == length
    assert slots(catalog, session=("s3",)) == list(range(3, 3000, 7))


def test_a_live_row_that_is_not_current_is_found_as_a_stray() -> None:
    catalog = loaded([row(0), row(1)])
    catalog.stage([row(0, 2)])
    assert catalog.strays().tolist() == [0]
