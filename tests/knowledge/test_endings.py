"""What is said to be no longer so was so until now."""

from __future__ import annotations

import pytest

from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source

NOW = 1_700_000_000_000_000
READER = OfflineReader(classifier=False)


@pytest.mark.parametrize(
    ("text", "predicate", "target"),
    [
        ("I no longer work at Nokia.", "works_at", "Nokia"),
        ("We don't use Jira any longer.", "uses", "Jira"),
        ("I don't live in Berlin anymore.", "lives_in", "Berlin"),
    ],
)
def test_a_no_longer_ends_the_state_at_the_time_of_the_text(text: str, predicate: str, target: str) -> None:
    (claim,) = READER.read(Source(text=text, occurred_at=NOW)).claims
    assert (claim.predicate, claim.object or claim.value) == (predicate, target)
    assert not claim.negated
    assert (claim.valid_from, claim.valid_to) == (None, NOW)


def test_a_bare_denial_says_nothing_of_before() -> None:
    claims = READER.read(Source(text="I don't live in Berlin.", occurred_at=NOW)).claims
    assert all(claim.negated for claim in claims)


def test_a_taste_that_is_gone_is_of_the_thing_alone() -> None:
    (claim,) = READER.read(Source(text="I don't like sushi any more.", occurred_at=NOW)).claims
    assert (claim.predicate, claim.object or claim.value) == ("dislikes", "sushi")
