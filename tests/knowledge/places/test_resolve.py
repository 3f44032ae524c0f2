from __future__ import annotations

import pytest

from mindlog.knowledge.places.gazetteer import Gazetteer
from mindlog.knowledge.places.resolve import CONFIDENT, KnownPlace, Resolution, resolve_places

from .labelled import CASES, ILLINOIS, UNSEEN, Case


def resolved(case: Case, gazetteer: Gazetteer) -> Resolution:
    known = [KnownPlace(*each) for each in case.known]
    (found,) = resolve_places([(case.name, case.text)], known, gazetteer)
    return found


def is_place(case: Case, found: Resolution) -> bool:
    place = found.place
    return (
        place is not None
        and (place.kind, place.country) == (case.kind, case.country)
        and case.region in (None, place.admin1)
    )


def is_right(case: Case, found: Resolution) -> bool:
    return not found.confident if case.country is None else found.confident and is_place(case, found)


@pytest.mark.parametrize(
    ("cases", "least", "least_sure"), [(CASES, 0.97, 0.98), (UNSEEN, 0.86, 0.95)], ids=["tuned", "unseen"]
)
def test_labelled_names_mean_the_right_places(
    gazetteer: Gazetteer, cases: list[Case], least: float, least_sure: float, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [(case, resolved(case, gazetteer)) for case in cases]
    right = sum(is_right(case, each) for case, each in found)
    sure = [is_place(case, each) for case, each in found if each.confident]
    with capsys.disabled():
        print(f"\nplaces: {right} of {len(cases)} right; of {len(sure)} said to be sure, {sum(sure)} right")
    assert right / len(cases) >= least
    assert sum(sure) / len(sure) >= least_sure


def test_a_doubtful_name_names_its_rivals(gazetteer: Gazetteer) -> None:
    (found,) = resolve_places([("Springfield", "They met in Springfield.")], [], gazetteer)
    assert not found.confident
    assert found.place is not None
    assert "Massachusetts" in found.reason
    assert len(found.candidates) == 8
    chances = [each.chance for each in found.candidates]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] < CONFIDENT


def test_a_sure_name_says_what_makes_it_sure(gazetteer: Gazetteer) -> None:
    (found,) = resolve_places([("Paris", "A rodeo in Paris, Texas.")], [], gazetteer)
    assert found.confident
    assert found.reason == "the text says Texas"


def test_a_contradiction_is_a_doubt_and_says_so(gazetteer: Gazetteer) -> None:
    (found,) = resolve_places([("Paris", "A fair in Paris, Germany.")], [], gazetteer)
    assert not found.confident
    assert found.reason == "the text says Germany, where no place of that name is known"


def test_the_next_name_of_a_list_is_no_contradiction(gazetteer: Gazetteer) -> None:
    (found,) = resolve_places([("Paris", "We saw Paris, Germany, and Spain.")], [], gazetteer)
    assert found.confident
    assert found.place is not None
    assert found.place.country == "FR"


def test_names_of_one_call_help_each_other(gazetteer: Gazetteer) -> None:
    alone = resolve_places([("Springfield", "Springfield")], [], gazetteer)
    names = [("Springfield", "Springfield"), *((name, f"{name}, Illinois") for name, _, _ in ILLINOIS)]
    together = resolve_places(names, [], gazetteer)
    assert not alone[0].confident
    assert together[0].confident
    assert together[0].place is not None
    assert together[0].place.admin1 == "Illinois"


def test_a_place_the_dataset_has_is_meant_again(gazetteer: Gazetteer) -> None:
    known = [KnownPlace("Springfield", 44.05, -123.02, 60_870)]
    (found,) = resolve_places([("Springfield", "Back to Springfield.")], known, gazetteer)
    assert found.confident
    assert found.place is not None
    assert found.place.admin1 == "Oregon"
    assert "the dataset has it" in found.reason


def test_a_name_no_place_has_has_no_place(gazetteer: Gazetteer) -> None:
    (found,) = resolve_places([("Nosuchplaceatall", "At Nosuchplaceatall.")], [], gazetteer)
    assert (found.place, found.confident, found.candidates) == (None, False, ())


def test_a_long_text_and_odd_names_are_no_trouble(gazetteer: Gazetteer) -> None:
    text = "Springfield, Illinois. " * 40_000
    names = [("Springfield", text), ("", text), ("(", text), ("a" * 5_000, text)]
    found = resolve_places(names, [], gazetteer)
    assert [each.confident for each in found] == [True, False, False, False]


def test_no_names_resolve_to_nothing(gazetteer: Gazetteer) -> None:
    assert resolve_places([], [KnownPlace("Paris", 48.85, 2.35)], gazetteer) == []
