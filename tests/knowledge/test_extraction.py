"""What an extraction must carry to be believed: every mention and claim has its words in the text."""

from __future__ import annotations

from typing import Any

import pytest

from mindlog.knowledge.extraction import (
    SPEAKER,
    Claim,
    EntityKind,
    Extraction,
    Mention,
    Rejection,
    Span,
    Tier,
    ValueType,
    name_key,
    validate,
)
from mindlog.knowledge.predicates import PREDICATES, Cardinality, predicate

TEXT = "Grace lives in Oslo. Ágnes pays 20 euros."


def mention(name: str, start: int | None = None) -> Mention:
    at = TEXT.find(name) if start is None else start
    return Mention(name=name, kind=EntityKind.OTHER, spans=(Span(at, at + len(name)),), confidence=0.9, tier=Tier.LLM)


def claim(subject: str, name: str, **more: Any) -> Claim:
    return Claim(
        **{"subject": subject, "predicate": name, "spans": (Span(0, 19),), "confidence": 0.8, "tier": Tier.LLM, **more}
    )


def judged(*claims: Claim) -> tuple[int, dict[Rejection, int]]:
    found = validate(Extraction(mentions=(mention("Grace"), mention("Oslo")), claims=claims), TEXT)
    return len(found.claims), dict(found.rejected)


def test_what_the_text_says_is_kept() -> None:
    good = (
        claim("Grace", "lives_in", object="Oslo"),
        claim(SPEAKER, "costs", value="20 euros", value_type=ValueType.TEXT),
    )
    assert judged(*good) == (2, {})


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (claim("Grace", "includes", object="Grace"), Rejection.SELF_LOOP),
        (claim("GRACE", "includes", object="Grace"), Rejection.SELF_LOOP),
        (claim("Grace", "knows", object="99"), Rejection.DANGLING),
        (claim("Nobody", "lives_in", object="Oslo"), Rejection.DANGLING),
        (claim("Grace", "likes", value="chocolate"), Rejection.NOT_IN_TEXT),
        (claim("Grace", "lives_in", object="Oslo", time_phrase="last week"), Rejection.NOT_IN_TEXT),
        (claim("Grace", "lives_in"), Rejection.MALFORMED),
        (claim("Grace", "lives_in", object="Oslo", value="Oslo"), Rejection.MALFORMED),
        (claim("Grace", "Lives In", object="Oslo"), Rejection.MALFORMED),
        (claim("Grace", "lives_in", object="Oslo", confidence=1.5), Rejection.MALFORMED),
        (claim("Grace", "lives_in", object="Oslo", spans=()), Rejection.SPAN_OUTSIDE),
        (claim("Grace", "lives_in", object="Oslo", spans=(Span(0, 999),)), Rejection.SPAN_OUTSIDE),
    ],
)
def test_a_claim_without_evidence_is_rejected_and_counted(bad: Claim, reason: Rejection) -> None:
    assert judged(bad, claim("Grace", "lives_in", object="Oslo")) == (1, {reason: 1})


def test_a_mention_that_is_not_in_the_text_is_rejected_with_what_is_said_of_it() -> None:
    invented = Mention(name="Paul", kind=EntityKind.PERSON, spans=(Span(0, 5),), confidence=0.9, tier=Tier.LLM)
    outside = Mention(name="Oslo", kind=EntityKind.PLACE, spans=(Span(90, 94),), confidence=0.9, tier=Tier.LLM)
    found = validate(
        Extraction(mentions=(invented, outside, mention("Grace")), claims=(claim("Paul", "knows", object="Grace"),)),
        TEXT,
    )
    assert [m.name for m in found.mentions] == ["Grace"]
    assert found.rejected == {Rejection.NOT_IN_TEXT: 1, Rejection.SPAN_OUTSIDE: 1, Rejection.DANGLING: 1}


def test_a_mention_may_be_spelt_as_it_likes_where_its_words_are() -> None:
    spelt = Mention(name="agnes", kind=EntityKind.PERSON, spans=(Span(21, 26),), confidence=1.0, tier=Tier.LLM)
    assert validate(Extraction(mentions=(spelt,)), TEXT).mentions == (spelt,)


def test_names_of_one_spelling_share_a_key_and_others_do_not() -> None:
    assert name_key("Łódź") == name_key("LODZ") == name_key(" lodz ")
    assert name_key("Анна Петрова") != name_key("Анна Петров")
    assert name_key("कमल") != name_key("कमला")
    assert name_key("田中") != name_key("中田")
    assert name_key("!!!") == "!!!"


def test_the_table_of_predicates_is_whole() -> None:
    for entry in PREDICATES.values():
        for other in (entry.begins, entry.ends, entry.opposite):
            assert other is None or other in PREDICATES, entry
        assert not entry.supersedes or entry.cardinality is Cardinality.SINGLE
    assert predicate("moved_to").begins == "lives_in"
    assert predicate("favourite_colour").supersedes
    assert predicate("never_heard_of") == predicate("never_heard_of")
    assert predicate("never_heard_of").cardinality is Cardinality.MANY
