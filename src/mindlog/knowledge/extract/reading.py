"""Reads a text with every tier that can run and merges what they found. Knows no tier's rules and no store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mindlog.knowledge.extract.classifier import ClassifierTier
from mindlog.knowledge.extract.endings import with_endings
from mindlog.knowledge.extract.merge import merge
from mindlog.knowledge.extract.patterns import PatternTier
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extract.wrapping import unwrapped
from mindlog.knowledge.extraction import EntityKind, Extraction, Tier, validate

__all__ = ["LONGEST", "OfflineReader", "combined"]

LONGEST = {Tier.PATTERN: 200_000, Tier.CLASSIFIER: 20_000}
"""How many characters of a text each tier reads: a few seconds' work. What is longer is a document, to be read in chunks."""

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
        # Broken lines are read as the sentences they are; places stay the same.
        source = replace(source, text=unwrapped(source.text))
        found = [self._patterns.extract(_head(source, Tier.PATTERN))]
        if Tier.CLASSIFIER not in self.skipped:
            names = {mention.name: mention.kind for mention in found[0].mentions if mention.kind not in _NOT_NAMES}
            head = _head(source, Tier.CLASSIFIER)
            found.append(self._classifier.extract(replace(head, known={**names, **source.known})))
        return combined(found, source)


def _head(source: Source, tier: Tier) -> Source:
    most = LONGEST[tier]
    return source if len(source.text) <= most else replace(source, text=source.text[:most])


def combined(extractions: Sequence[Extraction], source: Source) -> Extraction:
    """Return what several tiers read out of one source, in their order, merged and validated."""
    merged = with_endings(merge(extractions), source)
    return validate(merged, source.text, earlier=source.earlier, quoted=source.quoted)
