"""What a tier reads: one text with who wrote it and when. Knows no store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Protocol

from mindlog.knowledge.extraction import EntityKind, Extraction

__all__ = ["Source", "TierReader"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text to read."""

    text: str
    occurred_at: int  # microseconds UTC: what "yesterday" counts from
    zone: tzinfo = UTC
    known: Mapping[str, EntityKind] = field(default_factory=dict[str, EntityKind])  # names the dataset has already


class TierReader(Protocol):
    """One tier."""

    def extract(self, source: Source) -> Extraction:
        """Return what the tier finds; its spans are valid and its claims are asserted by the text."""
        ...
