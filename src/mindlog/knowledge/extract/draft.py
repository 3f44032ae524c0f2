"""Gathers what a tier finds into one extraction: mentions by name, claims by what they say, rejections by reason.

Owns no rule of language; knows of a name only its key and its best kind.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TypeVar

from mindlog.knowledge.extraction import (
    SPEAKER,
    Claim,
    DateMention,
    EntityKind,
    Extraction,
    Mention,
    Modality,
    Quantity,
    Rejection,
    Span,
    Tier,
    merged_spans,
    name_key,
)

__all__ = ["ClaimKey", "Draft", "claim_key", "joined", "joined_claims"]

ClaimKey = tuple[str, str, str, bool, Modality]
Found = TypeVar("Found", Mention, Claim)
_WEAK = frozenset({EntityKind.OTHER, EntityKind.CONCEPT})
_RESOLVED = 0.7  # of the confidence in a name is left where only a pronoun stands for it


@dataclass(slots=True)
class Draft:
    """An extraction in the making."""

    text: str
    tier: Tier
    dates: tuple[DateMention, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    rejected: Counter[Rejection] = field(default_factory=Counter[Rejection])
    _mentions: dict[str, Mention] = field(default_factory=dict[str, Mention])
    _claims: dict[ClaimKey, Claim] = field(default_factory=dict[ClaimKey, Claim])
    # Beside their owners, not in them: a name said ten thousand times would else be copied as often.
    _places: dict[str | ClaimKey, set[Span]] = field(default_factory=dict[str | ClaimKey, set[Span]])

    def mention(self, span: Span, kind: EntityKind, confidence: float) -> str:
        """Add a mention of the words in the span; return the name it goes by."""
        name = span.of(self.text)
        key = name_key(name)
        new = Mention(name=name, kind=kind, spans=(span,), confidence=confidence, tier=self.tier)
        old = self._mentions.get(key)
        if old is None or old.is_resolved:
            self._mentions[key] = new
            self._places[key] = set()  # a name that is said needs no pronoun
        elif old.kind is not kind or old.confidence < confidence or span < old.spans[0]:
            self._mentions[key] = replace(joined(old, new), spans=(min(span, old.spans[0]),))
        self._places.setdefault(key, set()).add(span)
        return self._mentions[key].name

    def refer(self, span: Span, earlier: Mention) -> str:
        """Let the pronoun in the span stand for a name of an earlier memory; return the name it goes by."""
        key = name_key(earlier.name)
        known = self._mentions.get(key)
        if known is not None and not known.is_resolved:
            return known.name
        self._mentions.setdefault(
            key,
            replace(
                earlier, spans=(span,), confidence=_RESOLVED * earlier.confidence, tier=self.tier, is_resolved=True
            ),
        )
        self._places.setdefault(key, set()).add(span)
        return self._mentions[key].name

    def kind_of(self, name: str) -> EntityKind | None:
        """Return the kind of a mention, None if there is none of that name."""
        known = self._mentions.get(name_key(name))
        return known.kind if known else None

    def is_resolved(self, name: str) -> bool:
        """Say whether a name is said by pronouns alone."""
        known = self._mentions.get(name_key(name))
        return known is not None and known.is_resolved

    def claim(self, claim: Claim) -> None:
        """Add a claim; one that says the same keeps the better confidence and all spans. A self-loop is rejected."""
        if claim.object is not None and claim.subject == claim.object:
            self.rejected[Rejection.SELF_LOOP] += 1
            return
        key = claim_key(claim)
        old = self._claims.get(key)
        self._claims[key] = claim if old is None else joined_claims(old, replace(claim, spans=()))
        self._places.setdefault(key, set()).update(claim.spans)

    def reject(self, reason: Rejection) -> None:
        """Count something that is no claim."""
        self.rejected[reason] += 1

    def finish(self) -> Extraction:
        """Return the extraction. A pronoun that no claim needed is no mention."""
        used = {name_key(end) for claim in self._claims.values() for end in (claim.subject, claim.object) if end}
        kept = ((k, m) for k, m in self._mentions.items() if not m.is_resolved or k in used)
        return Extraction(
            mentions=tuple(sorted((self._placed(k, m) for k, m in kept), key=lambda m: m.spans[0])),
            claims=tuple(sorted((self._placed(k, c) for k, c in self._claims.items()), key=lambda c: c.spans[0])),
            dates=self.dates,
            quantities=self.quantities,
            rejected=dict(self.rejected),
        )

    def _placed(self, key: str | ClaimKey, found: Found) -> Found:
        return replace(found, spans=tuple(sorted(self._places[key])))


def joined(left: Mention, right: Mention) -> Mention:
    """Return one mention of two with the same key: the surer kind, unless only the other one says something."""
    if left.is_resolved is not right.is_resolved:
        return right if left.is_resolved else left  # a name that is said needs no pronoun
    best, other = (left, right) if left.confidence >= right.confidence else (right, left)
    kind = other.kind if best.kind in _WEAK and other.kind not in _WEAK else best.kind
    first = min(left, right, key=lambda m: m.spans[0])
    return replace(best, name=first.name, kind=kind, spans=merged_spans(left.spans + right.spans))


def joined_claims(left: Claim, right: Claim) -> Claim:
    """Return one claim of two that say the same: the surer one with the spans of both and the times either gives."""
    best, other = (left, right) if left.confidence >= right.confidence else (right, left)
    return replace(
        best,
        spans=merged_spans(left.spans + right.spans),
        valid_from=best.valid_from if best.valid_from is not None else other.valid_from,
        valid_to=best.valid_to if best.valid_to is not None else other.valid_to,
        time_phrase=best.time_phrase or other.time_phrase,
    )


def claim_key(claim: Claim) -> ClaimKey:
    """Return what two claims that say the same have in common, an object or a value of the same words alike."""
    ends = [end if end == SPEAKER else name_key(end) for end in (claim.subject, claim.object or claim.value or "")]
    return ends[0], claim.predicate, ends[1], claim.negated, claim.modality
