"""Several tiers become one extraction: names by place and spelling, claims by what they say."""

from __future__ import annotations

from typing import Any

from mindlog.knowledge.extract.merge import merge
from mindlog.knowledge.extraction import (
    SPEAKER,
    Claim,
    EntityKind,
    Extraction,
    Mention,
    Rejection,
    Span,
    Tier,
    validate,
)

TEXT = "Grace Hopper met Ada. Grace lives in Oslo."


def mention(name: str, kind: EntityKind, confidence: float, tier: Tier, *starts: int) -> Mention:
    spans = tuple(Span(at, at + len(name)) for at in starts)
    return Mention(name=name, kind=kind, spans=spans, confidence=confidence, tier=tier)


def claim(subject: str, predicate: str, target: str, confidence: float, tier: Tier, **more: Any) -> Claim:
    return Claim(
        subject=subject,
        predicate=predicate,
        object=target,
        spans=(Span(0, 20),),
        confidence=confidence,
        tier=tier,
        **more,
    )


P, C = Tier.PATTERN, Tier.CLASSIFIER


def test_one_name_of_two_tiers_is_one_mention_with_the_surer_kind_and_all_places() -> None:
    left = Extraction(mentions=(mention("Grace", EntityKind.OTHER, 0.8, P, 22),))
    right = Extraction(mentions=(mention("Grace", EntityKind.PERSON, 0.7, C, 22),))
    (one,) = merge([left, right]).mentions
    assert (one.kind, one.spans, one.tier) == (EntityKind.PERSON, (Span(22, 27),), P)


def test_of_two_names_that_overlap_the_surer_stays_and_takes_the_claims() -> None:
    left = Extraction(
        mentions=(mention("Grace Hopper", EntityKind.PERSON, 0.85, P, 0), mention("Ada", EntityKind.PERSON, 0.8, P, 17))
    )
    right = Extraction(
        mentions=(mention("Hopper", EntityKind.PERSON, 0.7, C, 6), mention("Ada", EntityKind.PERSON, 0.7, C, 17)),
        claims=(claim("Hopper", "met", "Ada", 0.7, C),),
    )
    merged = merge([left, right])
    assert [m.name for m in merged.mentions] == ["Grace Hopper", "Ada"]
    assert [(c.subject, c.predicate, c.object) for c in merged.claims] == [("Grace Hopper", "met", "Ada")]
    assert validate(merged, TEXT) == merged


def test_claims_that_say_the_same_become_one_with_the_best_of_both() -> None:
    left = Extraction(claims=(claim(SPEAKER, "lives_in", "Oslo", 0.6, P, valid_from=5, time_phrase="Oslo"),))
    right = Extraction(
        claims=(claim(SPEAKER, "lives_in", "OSLO", 0.7, C), claim(SPEAKER, "lives_in", "Oslo", 0.7, C, negated=True))
    )
    merged = merge([left, right])
    assert [(c.negated, c.confidence, c.valid_from, c.tier) for c in merged.claims] == [
        (False, 0.7, 5, C),
        (True, 0.7, None, C),
    ]


def test_rejections_add_up_and_nothing_merges_to_nothing() -> None:
    merged = merge(
        [
            Extraction(rejected={Rejection.QUESTION: 2}),
            Extraction(rejected={Rejection.QUESTION: 1, Rejection.NEGATED: 1}),
        ]
    )
    assert merged.rejected == {Rejection.QUESTION: 3, Rejection.NEGATED: 1}
    assert merge([]) == Extraction()
