"""Makes one extraction of what the tiers found: mentions by place and name, claims by what they say.

Knows no tier's rules: an earlier tier gives way to a surer one, and nothing that only one of them found is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from mindlog.knowledge.extract.draft import ClaimKey, claim_key, joined, joined_claims
from mindlog.knowledge.extraction import SPEAKER, Claim, Extraction, Mention, Rejection, Span, merged_spans, name_key

__all__ = ["merge"]


def merge(extractions: Sequence[Extraction]) -> Extraction:
    """Return one extraction of several of the same text, given in the order of their tiers.

    Of two names that overlap the one that was found more surely stays (the longer one, if both are as sure); claims about
    the other are about it. Claims that say the same become one with the best confidence and the spans of all. A claim one
    tier denies is kept beside its assertion by another. Counts of rejections add up.
    """
    mentions, renamed = _mentions([mention for found in extractions for mention in found.mentions])
    claims: dict[ClaimKey, Claim] = {}
    for claim in (_renamed(claim, renamed) for found in extractions for claim in found.claims):
        if claim.object is not None and _key(claim.subject) == _key(claim.object):
            continue
        key = claim_key(claim)
        claims[key] = joined_claims(claims[key], claim) if key in claims else claim
    rejected: Counter[Rejection] = Counter()
    for found in extractions:
        rejected.update(found.rejected)
    first = extractions[0] if extractions else Extraction()
    return replace(
        first,
        mentions=tuple(mentions),
        claims=tuple(sorted(claims.values(), key=lambda claim: claim.spans[0])),
        dates=next((found.dates for found in extractions if found.dates), ()),
        quantities=next((found.quantities for found in extractions if found.quantities), ()),
        rejected=dict(rejected),
    )


def _mentions(found: list[Mention]) -> tuple[list[Mention], dict[str, str]]:
    by_key: dict[str, Mention] = {}
    for mention in found:
        key = name_key(mention.name)
        by_key[key] = joined(by_key[key], mention) if key in by_key else mention
    kept: list[Mention] = []
    taken = _Taken()
    renamed: dict[str, str] = {}
    for mention in sorted(by_key.values(), key=lambda m: (-m.confidence, -len(m.name))):
        covers = [taken.over(span) for span in mention.spans]
        free = [span for span, cover in zip(mention.spans, covers, strict=True) if cover is None]
        if free:
            kept.append(replace(mention, spans=merged_spans(free)))
            taken.add(free, mention.name)
        else:
            renamed[name_key(mention.name)] = covers[0] or mention.name
    return sorted(kept, key=lambda m: m.spans[0]), renamed | {name_key(m.name): m.name for m in kept}


class _Taken:
    """The characters that belong to a name that stays."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    def add(self, spans: Sequence[Span], name: str) -> None:
        for span in spans:
            self._names.update(dict.fromkeys(range(span.start, span.end), name))

    def over(self, span: Span) -> str | None:
        """Return the name that has a character of the span."""
        return next((self._names[at] for at in range(span.start, span.end) if at in self._names), None)


def _renamed(claim: Claim, renamed: dict[str, str]) -> Claim:
    subject = renamed.get(_key(claim.subject), claim.subject)
    target = None if claim.object is None else renamed.get(_key(claim.object), claim.object)
    return replace(claim, subject=subject, object=target)


def _key(end: str) -> str:
    return SPEAKER if end == SPEAKER else name_key(end)
