"""Short ways to read a text in a test."""

from __future__ import annotations

from mindlog.knowledge.extract.patterns import PatternTier
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import SPEAKER, EntityKind, Extraction, validate

AT = 1_709_287_200_000_000  # 2024-03-01T10:00:00Z
S = SPEAKER

Said = tuple[str, str, str] | tuple[str, str, str, str]


def read(text: str, at: int = AT, known: dict[str, EntityKind] | None = None) -> Extraction:
    return PatternTier().extract(Source(text=text, occurred_at=at, known=known or {}))


def said(found: Extraction) -> set[Said]:
    return {
        (c.subject, c.predicate, c.object or c.value or "", "not")
        if c.negated
        else (c.subject, c.predicate, c.object or c.value or "")
        for c in found.claims
    }


def names(found: Extraction) -> dict[str, EntityKind]:
    return {mention.name: mention.kind for mention in found.mentions}


def check(found: Extraction, text: str) -> None:
    """Everything has its evidence in the text."""
    assert validate(found, text) == found
    for date in found.dates:
        assert date.span.of(text) == date.phrase
        assert date.start < date.end
    for quantity in found.quantities:
        assert quantity.span.inside(text)
