"""What is said of things that belong to somebody, in one memory and over several, and what happens to them when."""

from __future__ import annotations

import pytest

from mindlog.clock import iso
from mindlog.knowledge.extract.classifier import ClassifierTier
from mindlog.knowledge.extract.patterns import PatternTier
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import EntityKind, Extraction, Mention, Rejection, Span, Tier, ValueType, validate
from mindlog.knowledge.predicates import Cardinality, predicate
from tests.knowledge.made import AT, S, Said, check, names, read, said

CAR = (S, "has", "car")


def before(*named: tuple[str, EntityKind]) -> tuple[Mention, ...]:
    return tuple(
        Mention(name=name, kind=kind, spans=(Span(0, len(name)),), confidence=0.9, tier=Tier.PATTERN)
        for name, kind in named
    )


def after(text: str, *named: tuple[str, EntityKind], speaker: str | None = None) -> Extraction:
    source = Source(text=text, occurred_at=AT, earlier=before(*named), speaker=speaker)
    return validate(PatternTier().extract(source), text, earlier=source.earlier)


STATED: list[tuple[str, set[Said]]] = [
    ("my car is red", {CAR, ("car", "colour", "red")}),
    ("My old car is dark blue and fast.", {CAR, ("car", "colour", "dark blue")}),
    ("My cat is black and white.", {(S, "has", "cat"), ("cat", "colour", "black and white")}),
    ("my cat's name is Milo", {("Milo", "pet_of", S), ("Milo", "is_a", "cat")}),
    ("My boat's name is Aurora.", {(S, "has", "boat"), ("boat", "has_name", "Aurora")}),
    ("our office is in Oslo", {(S, "has", "office"), ("office", "located_in", "Oslo")}),
    ("Our office is located in Oslo.", {(S, "has", "office"), ("office", "located_in", "Oslo")}),
    ("My car is a Toyota Corolla.", {CAR, ("car", "is_a", "Toyota Corolla")}),
    ("Tom's car is red.", {("Tom", "has", "car"), ("car", "colour", "red")}),
    ("Ines: my car is red", {("Ines", "has", "car"), ("car", "colour", "red")}),
    ("I painted my car blue.", {CAR, ("car", "colour", "blue")}),
    ("We had our house painted white.", {(S, "has", "house"), ("house", "colour", "white")}),
    ("I dyed my hair pink last week.", {(S, "has", "hair"), ("hair", "colour", "pink")}),
    ("My car is red. I repainted it blue.", {CAR, ("car", "colour", "red"), ("car", "colour", "blue")}),
    ("Our office is in Oslo. It is located in Norway.",
     {(S, "has", "office"), ("office", "located_in", "Oslo"), ("office", "located_in", "Norway")}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), STATED)
def test_what_is_said_of_a_thing_is_about_it_and_says_whose_it_is(text: str, expected: set[Said]) -> None:
    found = read(text)
    assert said(found) == expected
    check(found, text)


@pytest.mark.parametrize(
    "text",
    ["Is my car red?", "My car is not red.", "If my car is red, I am happy.", "I might paint my car blue.",
     "I didn't paint my car blue.", "my car is a mess", "My screen went red.", "My interest is in Python."],
)  # fmt: skip
def test_what_is_asked_denied_or_supposed_gives_a_thing_no_attribute(text: str) -> None:
    assert {claim.predicate for claim in read(text).claims} <= {"has"}


def test_one_name_is_one_owners_in_a_text() -> None:
    assert said(read("My car is red. Tom's car is blue.")) == {CAR, ("car", "colour", "red")}


def test_a_colour_is_single_and_a_later_one_supersedes_it() -> None:
    assert predicate("colour").cardinality is Cardinality.SINGLE
    assert predicate("colour").supersedes


def test_it_means_the_last_thing_of_the_memories_before_if_the_text_names_none() -> None:
    text = "I repainted it blue"
    found = after(text, ("Grace", EntityKind.PERSON), ("car", EntityKind.PRODUCT), ("boat", EntityKind.PRODUCT))
    (claim,) = found.claims
    assert (claim.subject, claim.predicate, claim.value) == ("car", "colour", "blue")
    (car,) = found.mentions
    assert (car.name, car.kind, car.is_resolved, car.spans[0].of(text)) == ("car", EntityKind.PRODUCT, True, "it")


def test_a_thing_the_text_names_itself_comes_first() -> None:
    found = after("My bike is black. I repainted it green.", ("car", EntityKind.PRODUCT))
    assert said(found) == {(S, "has", "bike"), ("bike", "colour", "black"), ("bike", "colour", "green")}


def test_she_means_the_last_person_before_who_is_not_the_speaker() -> None:
    text = "She lives in Bergen now."
    found = after(text, ("Ines", EntityKind.PERSON), ("Grace", EntityKind.PERSON), speaker="Ines")
    assert said(found) == {("Grace", "lives_in", "Bergen")}


@pytest.mark.parametrize("text", ["It's a great story.", "It was fun.", "It works as expected.", "It is not red.", "Is it blue?", "She likes it.", "He is tired."])  # fmt: skip
def test_a_pronoun_that_nothing_is_stated_of_is_no_mention(text: str) -> None:
    found = after(text, ("car", EntityKind.PRODUCT), ("Grace", EntityKind.PERSON))
    assert (found.claims, found.mentions) == ((), ())


def test_a_resolved_name_must_be_an_earlier_one_and_stand_at_a_pronoun() -> None:
    text = "I repainted it blue"
    (car,) = after(text, ("car", EntityKind.PRODUCT)).mentions
    nobody = validate(Extraction(mentions=(car,)), text)
    assert (nobody.mentions, nobody.rejected) == ((), {Rejection.NOT_IN_TEXT: 1})
    elsewhere = Mention(name="car", kind=car.kind, spans=(Span(0, 1),), confidence=0.9, tier=Tier.LLM, is_resolved=True)
    assert validate(Extraction(mentions=(elsewhere,)), text, earlier=before(("car", car.kind))).mentions == ()


@pytest.mark.skipif(ClassifierTier().unavailable is not None, reason="spacy is not installed")
def test_the_parser_resolves_a_pronoun_over_memories_too() -> None:
    text = "Last year they founded Acme, and she works at Nokia."
    source = Source(text=text, occurred_at=AT, earlier=before(("Grace", EntityKind.PERSON)))
    found = validate(ClassifierTier().extract(source), text, earlier=source.earlier)
    assert ("Grace", "works_at", "Nokia") in said(found)
    assert {mention.name for mention in found.mentions if mention.is_resolved} == {"Grace"}


def test_the_reader_keeps_a_resolved_mention_through_the_merge() -> None:
    source = Source(text="I repainted it blue", occurred_at=AT, earlier=before(("car", EntityKind.PRODUCT)))
    found = OfflineReader().read(source)
    assert said(found) == {("car", "colour", "blue")}
    assert [mention.is_resolved for mention in found.mentions] == [True]


def test_what_happened_at_a_time_keeps_the_interval_and_the_words() -> None:
    text = "yesterday the sensor failed"
    found = read(text)
    (date,) = found.dates
    (claim,) = found.claims
    assert (date.phrase, iso(date.start), iso(date.end)) == (
        "yesterday",
        "2024-02-29T00:00:00Z",
        "2024-03-01T00:00:00Z",
    )
    assert (claim.subject, claim.predicate, claim.value, claim.value_type) == (
        "sensor", "failed", "yesterday", ValueType.DATE
    )  # fmt: skip
    assert (claim.valid_from, claim.valid_to, claim.time_phrase) == (date.start, date.end, "yesterday")
    assert names(found) == {"sensor": EntityKind.OTHER}
    check(found, text)


@pytest.mark.parametrize("text", ["The sensor failed.", "The sensor did not fail yesterday.", "If the sensor failed yesterday, call me.", "Did the sensor fail yesterday?", "The news broke my heart yesterday.", "The sensor might have failed yesterday."])  # fmt: skip
def test_without_a_time_or_certainty_nothing_happened(text: str) -> None:
    assert read(text).claims == ()


def test_a_relative_of_somebody_is_not_that_somebody() -> None:
    found = OfflineReader(classifier=False).read(Source(text="Tom's sister lives in Oslo.", occurred_at=AT))
    assert said(found) == {("Tom's sister", "sister_of", "Tom"), ("Tom's sister", "lives_in", "Oslo")}
