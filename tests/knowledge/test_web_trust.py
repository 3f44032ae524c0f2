"""What only the web says stands beside others' words: it ends nothing, moves nothing and outranks nobody, whichever came first."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from mindlog.knowledge.regroup import regroup
from mindlog.knowledge.timeline import Assertion, Fact, History, timeline
from mindlog.store.graphrows import Interval, StatementQuery
from tests.derive.made import world

JAN, FEB, MAR, APR = (1_700_000_000_000_000 + month * 2_600_000_000_000 for month in range(4))


def own(at: int, *, confidence: float = 0.9, start: int | None = None, end: int | None = None) -> Assertion:
    return Assertion(asserted_at=at, confidence=confidence, valid_from=start, valid_to=end)


def web(at: int, *, start: int | None = None, end: int | None = None) -> Assertion:
    return Assertion(asserted_at=at, confidence=0.3, valid_from=start, valid_to=end, is_web=True)


def fact(statement: int, target: str, *said: Assertion, predicate: str = "lives_in") -> Fact:
    return Fact(statement=statement, predicate=predicate, target=(target, 0), assertions=said)


def history(*facts: Fact) -> History:
    """The history, after proof that the order of facts and of their words changes nothing."""
    found = timeline(facts)
    for order in permutations(facts):
        turned = [
            Fact(statement=f.statement, predicate=f.predicate, target=f.target, assertions=f.assertions[::-1])
            for f in order
        ]
        assert timeline(turned) == found
    return found


def spans(found: History, statement: int) -> list[tuple[int | None, int | None]]:
    return [(each.valid_from, each.valid_to) for each in found.intervals[statement]]


@pytest.mark.parametrize("confidence", [0.9, 0.2])  # the user's own counts even where it is no more certain
def test_a_later_page_does_not_end_what_the_user_said(confidence: float) -> None:
    found = history(fact(1, "berlin", own(JAN, confidence=confidence)), fact(2, "paris", web(MAR)))
    assert found.intervals[1] == (Interval(valid_from=JAN, valid_to=None),)
    assert found.intervals[2] == ()
    assert found.contradictions == ((1, 2),)


def test_what_the_user_says_later_ends_what_a_page_said() -> None:
    found = history(fact(1, "paris", web(JAN)), fact(2, "berlin", own(MAR)))
    assert found.intervals[1] == (Interval(valid_from=JAN, valid_to=MAR, superseded_by=2),)
    assert spans(found, 2) == [(MAR, None)]
    assert found.contradictions == ()


def test_a_page_does_not_say_when_what_the_user_said_ended_or_began() -> None:
    found = history(fact(1, "berlin", own(FEB), web(FEB, start=JAN, end=MAR)))
    assert spans(found, 1) == [(FEB, None)]


def test_a_page_fills_the_time_that_nobody_else_speaks_of() -> None:
    found = history(fact(1, "berlin", own(JAN, start=FEB, end=MAR)), fact(2, "paris", web(JAN, start=JAN)))
    assert spans(found, 1) == [(FEB, MAR)]
    assert found.intervals[2] == (
        Interval(valid_from=JAN, valid_to=FEB, superseded_by=1),
        Interval(valid_from=MAR, valid_to=None),
    )


def test_pages_are_ordered_among_themselves() -> None:
    found = history(fact(1, "paris", web(JAN)), fact(2, "rome", web(MAR)))
    assert spans(found, 1) == [(JAN, MAR)]
    assert spans(found, 2) == [(MAR, None)]


def test_of_what_is_fixed_the_users_word_is_believed_and_the_pages_contradicts_it() -> None:
    facts = fact(1, "1990", own(MAR), predicate="born_on"), fact(2, "1991", web(JAN), predicate="born_on")
    found = history(*facts)
    assert spans(found, 1) == [(None, None)]
    assert spans(found, 2) == []
    assert found.contradictions == ((1, 2),)


def test_a_page_does_not_turn_a_liking_round() -> None:
    found = history(
        fact(1, "tea", own(JAN), predicate="likes"),
        fact(2, "tea", web(MAR), predicate="dislikes"),
        fact(3, "coffee", web(MAR), predicate="dislikes"),
    )
    assert spans(found, 1) == [(JAN, None)]
    assert spans(found, 2) == []
    assert spans(found, 3) == [(MAR, None)]
    assert found.contradictions == ((1, 2),)


def test_a_page_does_not_move_an_event() -> None:
    found = history(fact(1, "berlin", own(MAR, start=MAR), web(MAR, start=JAN), predicate="moved_to"))
    assert spans(found, 1) == [(MAR, None)]


def test_a_page_that_the_user_confirms_counts_as_the_users_word() -> None:
    found = history(fact(1, "berlin", own(JAN)), fact(2, "paris", web(FEB), own(APR)))
    assert spans(found, 1) == [(JAN, APR)]
    assert spans(found, 2) == [(APR, None)]


async def test_a_memory_of_the_web_that_is_derived_by_itself_ends_nothing_either(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.keep("Anna lives in Berlin.")
        await here.keep("Anna lives in Paris. I live in Rome.", agent="web", metadata={"trust": "web"})
        await here.derive()
        now = here.store.statements(StatementQuery(dataset=here.number(), now=here.tools.clock.now()))
        assert [row.text for row in now] == ["Anna lives in Berlin"]


async def test_forgetting_the_users_word_lets_the_pages_count_and_restoring_it_takes_that_back(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        mine = await here.keep("Anna lives in Berlin.")
        await here.keep("Anna lives in Paris.", agent="web", metadata={"trust": "web"})
        await here.derive()
        asked = StatementQuery(dataset=here.number(), now=here.tools.clock.now() + 1_000_000)
        seen: list[list[str]] = []
        for change in (
            here.store.forget(here.number(), [mine.slot]),
            here.store.restore(here.number(), [mine.slot], 0),
        ):
            await change
            await regroup(here.store, here.tools.locks)
            seen.append([row.text for row in here.store.statements(asked)])
        assert seen == [["Anna lives in Paris"], ["Anna lives in Berlin"]]
