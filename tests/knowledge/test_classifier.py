"""The tier of the language model: entities and rules over its parse; without the model it says why it is skipped."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindlog.errors import ModelMissing
from mindlog.knowledge.extract import spacy_model
from mindlog.knowledge.extract.classifier import ClassifierTier
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import Extraction, Rejection, Tier
from tests.knowledge.made import AT, S, Said, check, said

TIER = ClassifierTier()
needs_model = pytest.mark.skipif(TIER.unavailable is not None, reason=TIER.unavailable or "")


def read(text: str) -> Extraction:
    return TIER.extract(Source(text=text, occurred_at=AT))


def test_without_spacy_the_tier_is_skipped_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "spacy" else find(name))
    reader = OfflineReader()
    assert reader.skipped == {Tier.CLASSIFIER: "spacy is not installed"}
    assert said(reader.read(Source(text="I live in Oslo.", occurred_at=AT))) == {(S, "lives_in", "Oslo")}
    spacy_model.load.cache_clear()
    with pytest.raises(ModelMissing, match=r"mindlog\[nlp\]"):
        spacy_model.load()


def test_importing_the_tiers_imports_no_spacy() -> None:
    code = "import sys, mindlog.knowledge.extract.reading as r; r.OfflineReader(); print('spacy' in sys.modules)"
    assert printed("-c", code) == "False"


def test_neither_the_package_nor_the_help_of_its_command_imports_spacy() -> None:
    assert (
        printed(
            "-c", "import sys, mindlog; [getattr(mindlog, n) for n in mindlog.__all__]; print('spacy' in sys.modules)"
        )
        == "False"
    )
    code = "import sys, atexit, mindlog.cli; atexit.register(lambda: print('spacy' in sys.modules)); mindlog.cli.main(['--help'])"
    assert printed("-c", code).splitlines()[-1] == "False"


def printed(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


STATED: list[tuple[str, set[Said]]] = [
    ("I moved to Lisbon with my sister Grace.", {(S, "moved_to", "Lisbon"), ("Grace", "sister_of", S)}),
    ("Grace Hopper, a pilot from Oslo, works at Siemens.",
     {("Grace Hopper", "is_a", "pilot"), ("Grace Hopper", "from", "Oslo"), ("Grace Hopper", "works_at", "Siemens")}),
    ("Anna's brother Tom lives in Paris and works for Nokia.",
     {("Tom", "brother_of", "Anna"), ("Tom", "lives_in", "Paris"), ("Tom", "works_at", "Nokia")}),
    ("Grace met Tom in Oslo. She lives in Berlin.", {("Grace", "met", "Tom"), ("Tom", "lives_in", "Berlin")}),
]  # fmt: skip


@needs_model
@pytest.mark.parametrize(("text", "expected"), STATED)
def test_a_statement_is_read_from_the_parse(text: str, expected: set[Said]) -> None:
    found = read(text)
    assert said(found) == expected
    check(found, text)


UNSTATED = [
    "I might move to Berlin.",
    "Does Grace live in Oslo?",
    "I want to live in Rome.",
    "If I lived in Paris I would work for Nokia.",
    "I hope Grace lives in Oslo.",
    "I think Grace might live in Oslo.",
    "Grace was not born in Berlin.",
]


@needs_model
@pytest.mark.parametrize("text", UNSTATED)
def test_what_is_asked_denied_or_supposed_is_no_claim(text: str) -> None:
    found = read(text)
    assert found.claims == ()
    assert set(found.rejected) <= {Rejection.HYPOTHETICAL, Rejection.QUESTION, Rejection.NEGATED}


@needs_model
@pytest.mark.parametrize(
    "text",
    ["I love the color of it.", "What a wild week, Joanna!", "I love the thought Nate!", "It's a great story.",
     "I enjoy each other's company.", "I'm a huge fan.", "Nature helps put things in perspective."],
)  # fmt: skip
def test_what_is_said_of_the_moment_is_no_claim(text: str) -> None:
    assert read(text).claims == ()


@needs_model
def test_what_somebody_else_is_quoted_as_saying_is_not_said_by_the_speaker() -> None:
    assert read('The letter says: "I live in Oslo and I like tea."').claims == ()


@needs_model
def test_a_first_word_is_no_name_because_it_has_a_capital() -> None:
    for text in ("Nature helps put things in perspective.", "Pottery is fun.", "Kickboxing was hard today."):
        assert read(text).mentions == (), text


@needs_model
def test_a_word_with_a_hyphen_is_read_whole() -> None:
    assert said(read("I love action and sci-fi movies.")) == {(S, "likes", "action"), (S, "likes", "sci-fi movies")}


@needs_model
def test_a_denied_preference_is_a_dislike_and_a_state_that_ended_a_denied_claim() -> None:
    assert said(read("She said that I don't like coffee.")) == {(S, "dislikes", "coffee")}
    assert said(read("Tom no longer works at Nokia.")) == {("Tom", "works_at", "Nokia", "not")}


@needs_model
@settings(max_examples=40, deadline=None)
@given(st.text(max_size=120))
def test_any_text_is_read_with_its_evidence(text: str) -> None:
    check(read(text), text)


@needs_model
def test_a_long_text_is_read_in_pieces_with_true_places() -> None:
    text = "The weather is fine today. " * 700 + "Grace Hopper works at Siemens."
    found = read(text)
    check(found, text)
    assert ("Grace Hopper", "works_at", "Siemens") in said(found)
