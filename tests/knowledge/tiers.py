"""The tiers as the tests use them: those that are installed, by name."""

from __future__ import annotations

from mindlog.knowledge.extract.classifier import ClassifierTier
from mindlog.knowledge.extract.patterns import PatternTier
from mindlog.knowledge.extract.reading import OfflineReader
from tests.knowledge.scoring import Reader


def readers() -> dict[str, Reader]:
    classifier = ClassifierTier()
    patterns = {"patterns": PatternTier().extract}
    if classifier.unavailable:
        return patterns
    return {**patterns, "classifier": classifier.extract, "merged": OfflineReader().read}
