"""What a text only repeats of earlier memories makes nothing new, and nothing beside it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.extract.classifier import ClassifierTier
from mindlog.knowledge.extract.patterns import PatternTier
from mindlog.knowledge.extract.quotes import SHORTEST_QUOTE, quoted_spans
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import Extraction, Span
from tests.knowledge.made import AT, S, said

KNOWN = "My sister Grace lives in Oslo. I work at Siemens since 2019."
NO_SPACY = ClassifierTier().unavailable
TIERS = [PatternTier().extract, pytest.param(ClassifierTier().extract, marks=pytest.mark.skipif(bool(NO_SPACY), reason=NO_SPACY or ""))]  # fmt: skip


def quoting(text: str, *known: str) -> Source:
    return Source(text=text, occurred_at=AT, quoted=quoted_spans(text, known))


def stretches(text: str, *known: str) -> list[str]:
    return [span.of(text) for span in quoted_spans(text, known)]


def test_a_known_text_and_each_of_its_sentences_are_found_word_for_word() -> None:
    assert stretches(f"Context: {KNOWN}", KNOWN) == [KNOWN]
    assert stretches("He said: My sister Grace lives in Oslo. True?", KNOWN) == ["My sister Grace lives in Oslo."]
    assert stretches("[1] I work at Siemens since 2019.\n[2] nothing", KNOWN) == ["I work at Siemens since 2019."]


def test_stretches_that_overlap_or_touch_are_one() -> None:
    text = "I live in Porto with Tom. Tom is my best friend here."
    known = [text, "Tom is my best friend here.", "I live in Porto with Tom."]
    assert quoted_spans(text, known) == (Span(0, len(text)),)


@pytest.mark.parametrize(
    "text",
    [
        "I like tea.",  # people say short things twice of their own accord
        "My sister Grace lives in Berlin now.",  # another fact in nearly the same words
        "I moved to Lisbon last week with my sister",  # says more
        "I moved to Lisbon last week's end",
        "Unfortunately xI moved to Lisbon last week",
    ],
)
def test_what_is_short_or_says_something_else_or_more_is_no_quotation(text: str) -> None:
    assert quoted_spans(text, ["I like tea.", KNOWN, "I moved to Lisbon last week"]) == ()


@pytest.mark.parametrize("extract", TIERS)
def test_no_tier_reads_a_quotation(extract) -> None:
    found = extract(quoting(f"Context: {KNOWN}\nI live in Berlin.", KNOWN))
    assert said(found) == {(S, "lives_in", "Berlin")}
    assert {mention.name for mention in found.mentions} == {"Berlin"}
    assert found.dates == ()


def test_a_text_that_is_all_quotation_gives_nothing_and_recalling_it_again_and_again_neither() -> None:
    reader, text = OfflineReader(), KNOWN
    memories = [KNOWN]
    for _ in range(20):
        text = f"Context: {text}"
        assert reader.read(quoting(text, *memories)) == Extraction()
        memories.append(text)


def test_no_sentence_is_read_across_a_quotation() -> None:
    quote = "the weather is nice today and warm"
    assert said(PatternTier().extract(quoting(f"I live in {quote}\nOslo is far.", quote))) == set()


def test_evidence_beside_a_quotation_keeps_its_place() -> None:
    text = f"{KNOWN}\nGrace Hopper moved to Bergen."
    found = OfflineReader().read(quoting(text, KNOWN))
    (claim,) = found.claims
    assert claim.spans[0].of(text) == "Grace Hopper moved to Bergen"


@given(st.text(max_size=120), st.lists(st.text(min_size=SHORTEST_QUOTE, max_size=60), max_size=4))
def test_any_quotation_stands_in_the_text_and_its_blanks_keep_the_length(text: str, known: list[str]) -> None:
    text = text + "".join(f"\n{piece}\n" for piece in known[:2])
    source = quoting(text, *known)
    assert len(source.readable) == len(text)
    for left, right in zip(source.quoted, source.quoted[1:], strict=False):
        assert left.end < right.start
    for span in source.quoted:
        assert span.inside(text)
        assert source.readable[span.start : span.end].strip() == ""
