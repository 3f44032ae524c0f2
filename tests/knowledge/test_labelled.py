"""The offline tiers keep their precision and recall on the labelled sentences (`python -m tests.knowledge.scoring` prints them)."""

from __future__ import annotations

import pytest

from tests.knowledge import tiers
from tests.knowledge.scoring import score, sentences

# A few points below what was measured: (precision, recall) of entities, then of claims, by half.
FLOORS = {
    ("patterns", "a"): ((0.97, 0.97), (0.97, 0.94)),
    ("patterns", "b"): ((0.94, 0.95), (0.93, 0.91)),
    ("patterns", "c"): ((0.92, 0.92), (0.94, 0.92)),
    ("classifier", "a"): ((0.95, 0.62), (0.93, 0.48)),
    ("classifier", "b"): ((0.95, 0.60), (0.93, 0.47)),
    ("classifier", "c"): ((0.85, 0.45), (0.85, 0.30)),
    ("merged", "a"): ((0.97, 0.97), (0.97, 0.94)),
    ("merged", "b"): ((0.93, 0.94), (0.93, 0.91)),
    ("merged", "c"): ((0.92, 0.92), (0.93, 0.94)),
}


def test_the_set_is_large_and_has_three_languages_and_hard_negatives() -> None:
    labelled = list(sentences())
    assert len(labelled) >= 200
    assert {"en", "es", "zh", "hi", "ru", "ar", "ko", "hu"} <= {sentence.language for sentence in labelled}
    assert sum(not sentence.claims for sentence in labelled if sentence.language == "en") >= 30


@pytest.mark.parametrize(("tier", "half"), FLOORS)
def test_a_tier_keeps_its_precision_and_recall(tier: str, half: str) -> None:
    read = tiers.readers().get(tier)
    if read is None:
        pytest.skip("spacy is not installed")
    scores = score(read, list(sentences(half)))
    for measured, (precision, recall) in zip((scores.entities, scores.claims), FLOORS[tier, half], strict=True):
        assert measured.precision >= precision
        assert measured.recall >= recall
