"""find_series keeps its precision and recall on the labelled texts (`python -m tests.knowledge.series.scoring` prints them)."""

from __future__ import annotations

import pytest

from tests.knowledge.series.labelled import LABELLED
from tests.knowledge.series.made import check, found
from tests.knowledge.series.scoring import score

# A few points below what was measured: precision, recall.
FLOORS = {"a": (0.98, 0.98), "b": (0.97, 0.97), "c": (0.97, 0.93), "d": (0.87, 0.83)}


def test_the_set_is_large_and_has_tables_lists_languages_and_texts_that_hold_nothing() -> None:
    assert len(LABELLED) >= 160
    assert sum(not labelled.series for labelled in LABELLED) >= 30
    assert sum("|" in labelled.text for labelled in LABELLED) >= 12
    assert len({labelled.text for labelled in LABELLED}) == len(LABELLED)


@pytest.mark.parametrize("half", FLOORS)
def test_a_half_keeps_its_precision_and_recall(half: str) -> None:
    measured = score(half)
    print(f"half {half}: precision {measured.precision:.3f} recall {measured.recall:.3f} of {measured.wanted} points")
    precision, recall = FLOORS[half]
    assert measured.precision >= precision
    assert measured.recall >= recall


@pytest.mark.parametrize("labelled", LABELLED, ids=range(len(LABELLED)))
def test_every_point_rests_on_characters_that_hold_its_amount(labelled: object) -> None:
    text = labelled.text  # type: ignore[attr-defined]
    check(found(text), text)
