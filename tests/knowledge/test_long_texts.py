"""A very long text is read as far as its tiers go, and that is bounded."""

from __future__ import annotations

from mindlog.knowledge.extract.reading import LONGEST, OfflineReader
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import Tier

NOW = 1_700_000_000_000_000


def test_what_stands_beyond_the_reach_of_a_tier_is_not_read_and_spans_hold() -> None:
    head, tail = "I live in Oslo. ", "I work at Globex."
    text = head + "x " * (LONGEST[Tier.PATTERN] // 2) + tail
    found = OfflineReader(classifier=False).read(Source(text=text, occurred_at=NOW))
    assert [claim.predicate for claim in found.claims] == ["lives_in"]
    assert all(span.of(text) in head for claim in found.claims for span in claim.spans)
