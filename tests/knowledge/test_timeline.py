"""When statements hold: the rules of time, whatever the order in which the evidence came."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.families import Consequence, Nature, consequence, family, nature
from mindlog.knowledge.timeline import WEAK, Assertion, Fact, History, timeline

Span = tuple[int | None, int | None]


def said(statement: int, predicate: str, target: str, *times: int | Assertion, confidence: float = 0.8) -> Fact:
    assertions = tuple(
        time if isinstance(time, Assertion) else Assertion(asserted_at=time, confidence=confidence) for time in times
    )
    return Fact(statement=statement, predicate=predicate, target=(target, 0), assertions=assertions)


def dated(begin: int | None, end: int | None = None, at: int = 1000, confidence: float = 0.8) -> Assertion:
    return Assertion(asserted_at=at, valid_from=begin, valid_to=end, confidence=confidence)


def spans(history: History) -> dict[int, list[Span]]:
    return {statement: [(i.valid_from, i.valid_to) for i in each] for statement, each in history.intervals.items()}


def superseded(history: History) -> dict[int, list[int | None]]:
    return {statement: [i.superseded_by for i in each] for statement, each in history.intervals.items()}


# -- families -----------------------------------------------------------------------------------------------------------
def test_events_and_opposites_are_reconciled_with_their_state() -> None:
    assert {family(p) for p in ("lives_in", "moved_to", "moved_from")} == {"lives_in"}
    assert {family(p) for p in ("works_at", "joined", "left")} == {"works_at"}
    assert {family(p) for p in ("uses", "switched_to", "switched_from")} == {"uses"}
    assert {family(p) for p in ("likes", "dislikes")} == {"likes"}
    assert {family(p) for p in ("prefers", "prefers_less")} == {"prefers"}
    assert [family(p) for p in ("favourite_colour", "born_in", "never_seen")] == [
        "favourite_colour",
        "born_in",
        "never_seen",
    ]


def test_an_event_says_which_state_it_begins_or_ends() -> None:
    moved, left = consequence("moved_to"), consequence("left")
    assert moved == Consequence("lives_in", begins=True)
    assert left == Consequence("works_at", begins=False)
    assert consequence("lives_in") is None


def test_kin_by_birth_is_for_good_and_a_friend_is_not() -> None:
    assert nature("sister_of") is Nature.LASTING
    assert nature("friend_of") is Nature.MANY
    assert [nature(p) for p in ("lives_in", "born_in", "likes", "joined", "uses")] == [
        Nature.STATE,
        Nature.FIXED,
        Nature.OPPOSED,
        Nature.EVENT,
        Nature.MANY,
    ]


# -- states -------------------------------------------------------------------------------------------------------------
def test_a_later_other_object_ends_the_earlier_one_and_is_named_as_what_ended_it() -> None:
    history = timeline([said(1, "lives_in", "bonn", 10, 15), said(2, "lives_in", "berlin", 20)])
    assert spans(history) == {1: [(10, 20)], 2: [(20, None)]}
    assert superseded(history) == {1: [2], 2: [None]}
    assert history.contradictions == ()


def test_coming_back_makes_a_second_interval() -> None:
    history = timeline([said(1, "lives_in", "bonn", 10, 30), said(2, "lives_in", "berlin", 20)])
    assert spans(history) == {1: [(10, 20), (30, None)], 2: [(20, 30)]}
    assert superseded(history) == {1: [2, None], 2: [1]}


def test_an_older_fact_that_is_learned_later_supersedes_nothing_newer() -> None:
    history = timeline([said(1, "lives_in", "berlin", 20), said(2, "lives_in", "bonn", dated(5, at=99))])
    assert spans(history) == {1: [(20, None)], 2: [(5, 20)]}
    assert superseded(history)[2] == [1]


def test_an_end_in_the_words_ends_the_state_by_itself() -> None:
    history = timeline([said(1, "works_at", "initech", dated(5, 9))])
    assert spans(history) == {1: [(5, 9)]}
    assert superseded(history) == {1: [None]}


def test_what_is_said_to_have_lasted_until_then_has_an_unknown_beginning() -> None:
    history = timeline([said(1, "lives_in", "bonn", dated(None, 50, at=99)), said(2, "lives_in", "berlin", dated(50))])
    assert spans(history) == {1: [(None, 50)], 2: [(50, None)]}
    assert superseded(history)[1] == [2]


def test_two_pasts_known_by_their_ends_follow_each_other() -> None:
    history = timeline([said(1, "lives_in", "bonn", dated(None, 50)), said(2, "lives_in", "köln", dated(None, 30))])
    assert spans(history) == {1: [(30, 50)], 2: [(None, 30)]}


def test_a_past_known_by_its_end_stands_against_what_was_believed_of_that_time() -> None:
    history = timeline([said(1, "lives_in", "köln", dated(10)), said(2, "lives_in", "bonn", dated(None, 50))])
    assert spans(history) == {1: [(10, None)], 2: [(10, 50)]}
    assert history.contradictions == ((1, 2),)


def test_two_pasts_that_end_together_contradict_each_other() -> None:
    history = timeline([said(1, "lives_in", "köln", dated(10, 50)), said(2, "lives_in", "bonn", dated(None, 50))])
    assert spans(history) == {1: [(10, 50)], 2: [(10, 50)]}
    assert history.contradictions == ((1, 2),)


def test_an_end_that_is_still_to_come_is_no_past() -> None:
    assert spans(timeline([said(1, "lives_in", "bonn", dated(None, 50, at=20))])) == {1: [(20, 50)]}


def test_an_end_before_the_beginning_is_not_believed() -> None:
    assert spans(timeline([said(1, "lives_in", "bonn", dated(50, 50))])) == {1: [(50, None)]}


def test_two_objects_for_one_moment_contradict_each_other_and_both_hold() -> None:
    history = timeline([said(1, "lives_in", "bonn", 10), said(2, "lives_in", "berlin", 10)])
    assert spans(history) == {1: [(10, None)], 2: [(10, None)]}
    assert history.contradictions == ((1, 2),)


def test_a_later_assertion_decides_a_contradiction() -> None:
    history = timeline([said(1, "lives_in", "bonn", 10), said(2, "lives_in", "berlin", 10, 30)])
    assert spans(history) == {1: [(10, 30)], 2: [(10, None)]}
    assert superseded(history)[1] == [2]
    assert history.contradictions == ()


def test_a_third_object_ends_both_and_what_they_said_of_the_past_stays_contradictory() -> None:
    history = timeline(
        [said(1, "lives_in", "bonn", 10), said(2, "lives_in", "berlin", 10), said(3, "lives_in", "rome", 20)]
    )
    assert spans(history) == {1: [(10, 20)], 2: [(10, 20)], 3: [(20, None)]}
    assert superseded(history) == {1: [3], 2: [3], 3: [None]}
    assert history.contradictions == ((1, 2),)


def test_a_weak_assertion_does_not_end_a_strong_one_but_stands_against_it() -> None:
    weak = said(2, "lives_in", "berlin", 20, confidence=WEAK - 0.1)
    history = timeline([said(1, "lives_in", "bonn", 10), weak])
    assert spans(history) == {1: [(10, None)], 2: [(20, None)]}
    assert history.contradictions == ((1, 2),)
    decided = timeline([said(1, "lives_in", "bonn", 10, 30), weak])
    assert spans(decided) == {1: [(10, None)], 2: [(20, 30)]}
    assert decided.contradictions == ()


def test_a_weak_assertion_ends_a_weak_one_and_a_weak_end_ends_nothing_strong() -> None:
    weak = WEAK - 0.1
    pair = [said(1, "lives_in", "bonn", 10, confidence=weak), said(2, "lives_in", "berlin", 20, confidence=weak)]
    assert spans(timeline(pair)) == {1: [(10, 20)], 2: [(20, None)]}
    ended = said(1, "lives_in", "bonn", 10, dated(None, 30, confidence=weak))
    assert spans(timeline([ended])) == {1: [(10, None)]}


def test_a_statement_without_live_evidence_never_holds() -> None:
    history = timeline([said(1, "lives_in", "bonn", 10), said(2, "lives_in", "berlin")])
    assert spans(history) == {1: [(10, None)], 2: []}


def test_statements_of_one_object_share_its_history() -> None:
    history = timeline(
        [said(1, "lives_in", "nyc", 10), said(2, "lives_in", "nyc", 30), said(3, "lives_in", "rome", 20)]
    )
    assert spans(history) == {1: [(10, 20), (30, None)], 2: [(10, 20), (30, None)], 3: [(20, 30)]}
    assert superseded(history)[3] == [1]


# -- other natures ------------------------------------------------------------------------------------------------------
def test_what_is_fixed_always_holds_and_another_object_contradicts_it() -> None:
    history = timeline([said(1, "born_in", "bonn", 10), said(2, "born_in", "rome", 20)])
    assert spans(history) == {1: [(None, None)], 2: [(None, None)]}
    assert history.contradictions == ((1, 2),)


def test_many_objects_hold_beside_each_other_from_when_they_were_first_said() -> None:
    history = timeline([said(1, "speaks", "german", 20, 10), said(2, "speaks", "dutch", 30)])
    assert spans(history) == {1: [(10, None)], 2: [(30, None)]}
    assert history.contradictions == ()


def test_kin_by_birth_holds_before_it_was_said() -> None:
    assert spans(timeline([said(1, "sister_of", "anna", 20)])) == {1: [(None, None)]}


def test_the_opposite_of_the_same_object_ends_it_and_of_another_does_not() -> None:
    history = timeline(
        [said(1, "likes", "coffee", 10), said(2, "dislikes", "coffee", 20), said(3, "dislikes", "tea", 5)]
    )
    assert spans(history) == {1: [(10, 20)], 2: [(20, None)], 3: [(5, None)]}
    assert superseded(history)[1] == [2]


def test_an_event_holds_from_when_it_happened_and_ends_its_state() -> None:
    history = timeline(
        [
            said(1, "uses", "vim", 10, dated(None, 50)),
            said(2, "switched_from", "vim", dated(50)),
            said(3, "uses", "emacs", 30),
        ]
    )
    assert spans(history) == {1: [(10, 50)], 2: [(50, None)], 3: [(30, None)]}


# -- any order ----------------------------------------------------------------------------------------------------------
TIMES = st.integers(min_value=0, max_value=12)
MAYBE = st.none() | TIMES
ASSERTIONS = st.builds(
    Assertion, asserted_at=TIMES, valid_from=MAYBE, valid_to=MAYBE, confidence=st.sampled_from([0.3, 0.6, 0.6, 0.9])
)
PREDICATES = st.sampled_from(
    [
        ("lives_in",),
        ("lives_in", "moved_to", "moved_from"),
        ("likes", "dislikes"),
        ("born_in",),
        ("uses", "switched_to"),
    ]
)


@st.composite
def stories(draw: st.DrawFn) -> list[tuple[str, str, Assertion]]:
    predicates = draw(PREDICATES)
    said_of = st.tuples(st.sampled_from(predicates), st.sampled_from(["bonn", "rome", "oslo"]), ASSERTIONS)
    return draw(st.lists(said_of, max_size=8))


def told(story: list[tuple[str, str, Assertion]]) -> dict[tuple[str, str], object]:
    """The history of a story by content, with ids in the order in which things were said."""
    facts: dict[tuple[str, str], list[Assertion]] = {}
    for predicate, target, assertion in story:
        facts.setdefault((predicate, target), []).append(assertion)
    ids = {key: number for number, key in enumerate(facts, start=1)}
    names = {number: key for key, number in ids.items()}
    history = timeline(
        [
            Fact(statement=ids[key], predicate=key[0], target=(key[1], 0), assertions=tuple(a))
            for key, a in facts.items()
        ]
    )
    shown = {
        names[statement]: [(i.valid_from, i.valid_to, names.get(i.superseded_by or 0)) for i in each]
        for statement, each in history.intervals.items()
    }
    pairs = {frozenset((names[one], names[other])) for one, other in history.contradictions}
    return {**shown, ("", "pairs"): pairs}


@given(stories(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(story: list[tuple[str, str, Assertion]], chance: random.Random) -> None:
    shuffled = list(story)
    chance.shuffle(shuffled)
    assert told(shuffled) == told(story)


@given(stories())
def test_intervals_are_in_order_apart_and_not_empty(story: list[tuple[str, str, Assertion]]) -> None:
    for key, each in told(story).items():
        if key == ("", "pairs"):
            continue
        assert isinstance(each, list)
        assert each
        for begin, end, _ in each:
            assert begin is None or end is None or begin < end
        for (_, end, _), (begin, _, _) in itertools.pairwise(each):
            assert end is not None
            assert begin is not None
            assert end < begin


@given(stories())
def test_two_objects_of_a_state_hold_at_once_only_as_a_contradiction_or_until_one_of_them_was_decided_for(
    story: list[tuple[str, str, Assertion]],
) -> None:
    shown = told(story)
    pairs = shown.pop(("", "pairs"))
    assert isinstance(pairs, set)
    states = [(key, each) for key, each in shown.items() if nature(key[0]) is Nature.STATE and isinstance(each, list)]
    for (one, of_one), (other, of_other) in itertools.combinations(states, 2):
        meet = any(meets(left, right) for left in of_one for right in of_other)
        decided = other in {by for _, _, by in of_one} or one in {by for _, _, by in of_other}
        assert not meet or decided or frozenset((one, other)) in pairs


def meets(left: tuple[int | None, int | None, object], right: tuple[int | None, int | None, object]) -> bool:
    begin = max((each for each in (left[0], right[0]) if each is not None), default=-1)
    end = min((each for each in (left[1], right[1]) if each is not None), default=99)
    return begin < end


@pytest.mark.parametrize("confidence", [0.3, 0.9])
def test_a_story_told_twice_is_the_story(confidence: float) -> None:
    story = [said(1, "lives_in", "bonn", 10, 10, confidence=confidence), said(2, "lives_in", "rome", 20, 20)]
    once = [said(1, "lives_in", "bonn", 10, confidence=confidence), said(2, "lives_in", "rome", 20)]
    assert timeline(story) == timeline(once)
