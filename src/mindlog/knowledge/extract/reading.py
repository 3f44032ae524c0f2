"""Reads a text with every tier that can run and merges what they found. Knows no tier's rules and no store."""

from __future__ import annotations

from dataclasses import replace

from mindlog.knowledge.extract.classifier import ClassifierTier
from mindlog.knowledge.extract.merge import merge
from mindlog.knowledge.extract.patterns import PatternTier
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import EntityKind, Extraction, Tier, validate

__all__ = ["OfflineReader"]

_NOT_NAMES = frozenset({EntityKind.CONTACT, EntityKind.IDENTIFIER})


class OfflineReader:
    """The tiers that need no LLM, in order. What the patterns name helps the classifier."""

    def __init__(self, *, classifier: bool = True) -> None:
        self._patterns = PatternTier()
        self._classifier = ClassifierTier()
        reason = self._classifier.unavailable if classifier else "switched off"
        self.skipped: dict[Tier, str] = {} if reason is None else {Tier.CLASSIFIER: reason}
        """Why a tier does not run."""

    def read(self, source: Source) -> Extraction:
        """Return the merged and validated extraction of any string. CPU-bound: keep it off the event loop."""
        found = [self._patterns.extract(source)]
        if Tier.CLASSIFIER not in self.skipped:
            names = {mention.name: mention.kind for mention in found[0].mentions if mention.kind not in _NOT_NAMES}
            found.append(self._classifier.extract(replace(source, known={**names, **source.known})))
        return validate(merge(found), source.text)
