"""Makes one extraction of what the tiers found: mentions by place and name, claims by what they say.

Knows no tier's rules: an earlier tier gives way to a surer one, and nothing that only one of them found is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mindlog.knowledge.extract.draft import ClaimKey, claim_key, joined, joined_claims
from mindlog.knowledge.extraction import (
    SPEAKER,
    Claim,
    Extraction,
    Mention,
    Modality,
    Rejection,
    Span,
    Tier,
    merged_spans,
    name_key,
)

__all__ = ["merge"]

# Two tiers see the same words, so their agreement counts half of what an independent witness would.
_AGREEMENT = 0.5
_Stance = tuple[bool, Modality]


def merge(extractions: Sequence[Extraction]) -> Extraction:
    """Return one extraction of several of the same text, given in the order of their tiers.

    Of two names that overlap the one that was found more surely stays (the longer one, if both are as sure); claims about
    the other are about it. Claims that say the same become one with the spans of all and more confidence than the best
    alone. A claim one tier denies is kept beside its assertion by another, but what the language model takes for denied
    or only possible is asserted by no other tier. Counts of rejections add up.
    """
    rejected: Counter[Rejection] = Counter()
    for found in extractions:
        rejected.update(found.rejected)
    mentions, renamed = _mentions([mention for found in extractions for mention in found.mentions])
    listed = [_renamed(claim, renamed) for found in extractions for claim in found.claims]
    claims = _claims(_unruled(listed, rejected))
    return replace(
        extractions[0] if extractions else Extraction(),
        mentions=tuple(mentions),
        claims=tuple(sorted(claims, key=lambda claim: claim.spans[0])),
        dates=next((found.dates for found in extractions if found.dates), ()),
        quantities=next((found.quantities for found in extractions if found.quantities), ()),
        rejected=dict(rejected),
        prompt=next((found.prompt for found in extractions if found.prompt), None),
    )


def _unruled(claims: Sequence[Claim], rejected: Counter[Rejection]) -> Iterable[Claim]:
    """Yield the claims the language model does not contradict: of whether something is said at all it judges best."""
    ruled = {_said(claim): _stance(claim) for claim in claims if claim.tier is Tier.LLM}
    plain = (False, Modality.ASSERTED)
    for claim in claims:
        stance = ruled.get(_said(claim), plain)
        if claim.tier is Tier.LLM or stance in (plain, _stance(claim)):
            yield claim
        else:
            rejected[Rejection.NEGATED if stance[0] else Rejection.HYPOTHETICAL] += 1


def _claims(claims: Iterable[Claim]) -> Iterable[Claim]:
    by_key: dict[ClaimKey, Claim] = {}
    for claim in claims:
        if claim.object is not None and _key(claim.subject) == _key(claim.object):
            continue
        key = claim_key(claim)
        by_key[key] = _agreed(by_key[key], claim) if key in by_key else claim
    return by_key.values()


def _agreed(left: Claim, right: Claim) -> Claim:
    both = joined_claims(left, right)
    if left.tier is right.tier:
        return both
    other = min(left.confidence, right.confidence)
    return replace(both, confidence=both.confidence + (1 - both.confidence) * other * _AGREEMENT)


def _said(claim: Claim) -> tuple[str, str, str]:
    return claim_key(claim)[:3]


def _stance(claim: Claim) -> _Stance:
    return claim.negated, claim.modality


def _mentions(found: list[Mention]) -> tuple[list[Mention], dict[str, str]]:
    by_key: dict[str, Mention] = {}
    for mention in found:
        key = name_key(mention.name)
        by_key[key] = joined(by_key[key], mention) if key in by_key else mention
    kept: list[Mention] = []
    taken = _Taken()
    renamed: dict[str, str] = {}
    for mention in sorted(by_key.values(), key=lambda m: (-m.confidence, -len(m.name))):
        if _holds_names(mention.name):
            kept.append(mention)
            continue
        covers = [taken.over(span) for span in mention.spans]
        free = [span for span, cover in zip(mention.spans, covers, strict=True) if cover is None]
        if free:
            kept.append(replace(mention, spans=merged_spans(free)))
            taken.add(free, mention.name)
        else:
            renamed[name_key(mention.name)] = covers[0] or mention.name
    return sorted(kept, key=lambda m: m.spans[0]), renamed | {name_key(m.name): m.name for m in kept}


def _holds_names(name: str) -> bool:
    """Say whether a name is made of another one: "Tom's sister" is not Tom."""
    return "'s " in name or "’s " in name


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
