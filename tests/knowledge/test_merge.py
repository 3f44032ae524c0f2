"""Several tiers become one extraction: names by place and spelling, claims by what they say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mindlog.knowledge.extract.merge import merge
from mindlog.knowledge.extraction import (
    SPEAKER,
    Claim,
    EntityKind,
    Extraction,
    Mention,
    Modality,
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


P, C, L = Tier.PATTERN, Tier.CLASSIFIER, Tier.LLM


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


def test_claims_that_say_the_same_become_one_with_all_spans_and_times_and_agreement_makes_it_surer() -> None:
    left = Extraction(claims=(claim(SPEAKER, "lives_in", "Oslo", 0.6, P, valid_from=5, time_phrase="Oslo"),))
    other = replace(claim(SPEAKER, "lives_in", "OSLO", 0.7, C), spans=(Span(22, 27),))
    right = Extraction(claims=(other, claim(SPEAKER, "lives_in", "Oslo", 0.7, C, negated=True)))
    agreed, denied = merge([left, right]).claims
    assert (agreed.negated, agreed.valid_from, agreed.tier, agreed.spans) == (False, 5, C, (Span(0, 20), Span(22, 27)))
    assert 0.7 < agreed.confidence < 1
    assert (denied.negated, denied.confidence) == (True, 0.7)


def test_the_same_claim_twice_in_one_tier_is_no_surer() -> None:
    twice = Extraction(claims=(claim(SPEAKER, "lives_in", "Oslo", 0.6, P), claim(SPEAKER, "lives_in", "Oslo", 0.7, P)))
    assert [c.confidence for c in merge([twice]).claims] == [0.7]


def test_a_third_tier_adds_its_evidence_and_its_trust() -> None:
    said = [claim(SPEAKER, "lives_in", "Oslo", 0.7, tier) for tier in (P, C, L)]
    two = merge([Extraction(claims=(each,)) for each in said[:2]]).claims[0]
    three = merge([Extraction(claims=(each,)) for each in said]).claims[0]
    assert 0.7 < two.confidence < three.confidence < 1
    both = merge([merge([Extraction(claims=(each,)) for each in said[:2]]), Extraction(claims=(said[2],))]).claims[0]
    assert both == three


@pytest.mark.parametrize(
    ("more", "reason"),
    [({"negated": True}, Rejection.NEGATED), ({"modality": Modality.POSSIBLE}, Rejection.HYPOTHETICAL),
     ({"modality": Modality.INTENDED}, Rejection.HYPOTHETICAL)],
)  # fmt: skip
def test_what_the_language_model_takes_for_no_fact_no_other_tier_asserts(
    more: dict[str, Any], reason: Rejection
) -> None:
    offline = Extraction(claims=(claim(SPEAKER, "lives_in", "Oslo", 0.9, P), claim(SPEAKER, "likes", "Oslo", 0.9, P)))
    model = Extraction(claims=(claim(SPEAKER, "lives_in", "oslo", 0.5, L, **more),), prompt="extract.v1")
    merged = merge([offline, model])
    assert [(c.predicate, c.negated, c.modality, c.tier) for c in merged.claims if c.predicate == "lives_in"] == [
        ("lives_in", more.get("negated", False), more.get("modality", Modality.ASSERTED), L)
    ]
    assert merged.rejected == {reason: 1}
    assert merged.prompt == "extract.v1"
    assert len(merged.claims) == 2


def test_a_denial_of_another_tier_is_kept_beside_the_models_assertion() -> None:
    offline = Extraction(claims=(claim("Tom", "works_at", "Shell", 0.8, P, negated=True),))
    model = Extraction(claims=(claim("Tom", "works_at", "Shell", 0.8, L),))
    assert [c.negated for c in merge([offline, model]).claims] == [True, False]


def test_a_name_made_of_another_is_another() -> None:
    text = "Tom's sister"
    left = Extraction(
        mentions=(mention("Tom", EntityKind.PERSON, 0.9, P, 0), mention(text, EntityKind.PERSON, 0.5, P, 0))
    )
    assert {m.name for m in merge([left]).mentions} == {"Tom", text}


def test_a_name_that_is_said_needs_no_pronoun() -> None:
    said = Extraction(mentions=(mention("Grace", EntityKind.PERSON, 0.8, P, 0),))
    meant = Extraction(
        mentions=(replace(mention("Grace", EntityKind.PERSON, 0.6, C, 0), spans=(Span(9, 12),), is_resolved=True),)
    )
    for order in ([said, meant], [meant, said]):
        (one,) = merge(order).mentions
        assert (one.spans, one.is_resolved) == ((Span(0, 5),), False)


def test_rejections_add_up_and_nothing_merges_to_nothing() -> None:
    merged = merge(
        [
            Extraction(rejected={Rejection.QUESTION: 2}),
            Extraction(rejected={Rejection.QUESTION: 1, Rejection.NEGATED: 1}),
        ]
    )
    assert merged.rejected == {Rejection.QUESTION: 3, Rejection.NEGATED: 1}
    assert merge([]) == Extraction()
