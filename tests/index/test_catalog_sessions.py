"""The session order agrees with sorting, whatever comes in whatever order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mindlog.index.catalog import Catalog
from mindlog.records import MemoryState
from mindlog.store.base import CatalogRow
from tests.index.made import row

REACH = 2


class SessionOrderFollowsTheCatalog(RuleBasedStateMachine):
    """The catalog beside a dictionary of current revisions."""

    def __init__(self) -> None:
        super().__init__()
        self.catalog = Catalog()
        self.memories: dict[int, CatalogRow] = {}

    def commit(self, change: CatalogRow) -> None:
        self.memories[change.slot] = change
        self.catalog.publish(self.catalog.stage([change]))

    @rule(at=st.integers(0, 6), session=st.sampled_from(["s", "t", None]), dataset=st.integers(1, 2))
    def write(self, at: int, session: str | None, dataset: int) -> None:
        slot = len(self.memories)
        self.commit(row(slot, occurred_at=at, session=session, dataset=dataset))

    @precondition(lambda self: self.memories)
    @rule(data=st.data(), at=st.integers(0, 6))
    def edit(self, data: st.DataObject, at: int) -> None:
        before = self.memories[data.draw(st.sampled_from(sorted(self.memories)))]
        self.commit(replace(before, version=before.version + 1, occurred_at=at))

    @precondition(lambda self: self.memories)
    @rule(data=st.data(), state=st.sampled_from(MemoryState))
    def forget_or_restore(self, data: st.DataObject, state: MemoryState) -> None:
        before = self.memories[data.draw(st.sampled_from(sorted(self.memories)))]
        self.commit(replace(before, state=state))

    @rule()
    def load_anew(self) -> None:
        self.catalog = Catalog()
        self.catalog.load(self.memories[slot] for slot in sorted(self.memories))

    @invariant()
    def neighbours_are_those_of_the_sorted_session(self) -> None:
        view = self.catalog.view()
        for each in self.memories.values():
            if each.state == MemoryState.FORGOTTEN:
                continue
            found = view.neighbours(self.catalog.rows(np.array([each.slot])), REACH)[0]
            got = [int(view.slot[n]) if n >= 0 else -1 for n in found]
            assert got == self.expected(each)

    def expected(self, each: CatalogRow) -> list[int]:
        if each.session is None:
            return [-1] * 2 * REACH
        order = sorted(
            (other.occurred_at, other.slot)
            for other in self.memories.values()
            if (other.dataset, other.session, other.state) == (each.dataset, each.session, MemoryState.LIVE)
        )
        place = order.index((each.occurred_at, each.slot))
        places = [place - 1, place - 2, place + 1, place + 2]
        return [order[p][1] if 0 <= p < len(order) else -1 for p in places]


TestSessionOrder = SessionOrderFollowsTheCatalog.TestCase
TestSessionOrder.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_a_reader_gets_no_neighbour_its_view_does_not_have() -> None:
    catalog = Catalog()
    catalog.load([row(0, session="s")])
    view = catalog.view()
    catalog.publish(catalog.stage([row(1, session="s")]))
    rows = np.array([0])
    assert view.neighbours(rows, 1).tolist() == [[-1, -1]]
    assert catalog.view().neighbours(rows, 1).tolist() == [[-1, 1]]


def test_a_long_session_that_arrives_backwards_is_in_order() -> None:
    catalog = Catalog()
    count = 3000
    for slot in range(count):
        catalog.publish(catalog.stage([row(slot, occurred_at=count - slot, session="s")]))
    after = catalog.view().neighbours(np.arange(count), 1)[:, 1]
    assert after.tolist() == [-1, *range(count - 1)]
