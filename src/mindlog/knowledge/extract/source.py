"""What a tier reads: one text with who wrote it, when, and what was said before it. Knows no store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Protocol

from mindlog.knowledge.extraction import EntityKind, Extraction, Mention, Span

__all__ = ["Source", "TierReader"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text to read.

    speaker: the name of whoever wrote it, if known. known: names the dataset has already. quoted: stretches that repeat
    memories it has already; nothing is read out of them. earlier: people and things of the memories just before, the
    latest first; what "it" or "she" means where the text itself does not say.
    """

    text: str
    occurred_at: int  # microseconds UTC: what "yesterday" counts from
    zone: tzinfo = UTC
    speaker: str | None = None
    known: Mapping[str, EntityKind] = field(default_factory=dict[str, EntityKind])
    quoted: tuple[Span, ...] = ()
    earlier: tuple[Mention, ...] = ()

    @property
    def readable(self) -> str:
        """The text, as long as it is, with blanks for what is quoted. A quotation ends the line before and after it."""
        text, at, pieces = self.text, 0, list[str]()
        for span in sorted(self.quoted):
            start, end = max(span.start, at), min(span.end, len(text))
            if start < end:
                pieces += [text[at:start], _blank(end - start)]
                at = end
        return "".join([*pieces, text[at:]]) if pieces else text


def _blank(size: int) -> str:
    # Line breaks, so that no sentence is read across it.
    return "\n" + " " * (size - 2) + "\n" if size > 1 else "\n"


class TierReader(Protocol):
    """One tier."""

    def extract(self, source: Source) -> Extraction:
        """Return what the tier finds; its spans are valid and its claims are asserted by the text."""
        ...
