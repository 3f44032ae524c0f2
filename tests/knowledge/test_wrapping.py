"""Lines broken by a page's width are sentences again; lines that mean something stay lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extract.wrapping import unwrapped

WRAPPED = """The first version was written by Raphael Finkel at Stanford in the year
1975, and it was soon kept in a file that anybody could change. Later the
Massachusetts Institute of Technology took part in it as well, and Guy
Steele edited a book of it."""


def test_a_wrapped_paragraph_is_one_line_of_the_same_length() -> None:
    assert unwrapped(WRAPPED) == WRAPPED.replace("\n", " ")


@pytest.mark.parametrize(
    "text",
    [
        "milk\neggs\nbread and butter",
        "Ines: I like tea with a little milk and no sugar in it\nTom: I like coffee with a little sugar in it",
        "- the first thing that has to be done before the others\n- the second thing that has to be done after it",
        "| name of the thing that is measured | value of it |\n| height of the tower by the harbour | 31 metres |",
        "It rained the whole day and the whole night at the harbour.\nwe stayed inside all day.",
        "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate",
        "INTRODUCTION\n\nThis is the first paragraph of the text that follows it here\n\nThis is the second one",
    ],
)
def test_lines_that_were_ended_on_purpose_stay(text: str) -> None:
    assert unwrapped(text) == text


@given(st.text(alphabet="ab A.:-\n1", max_size=400))
def test_nothing_but_line_breaks_changes_and_every_character_keeps_its_place(text: str) -> None:
    joined = unwrapped(text)
    assert len(joined) == len(text)
    assert all(a == b or (a == "\n" and b == " ") for a, b in zip(text, joined, strict=True))


def test_what_a_broken_sentence_says_is_read_and_rests_on_the_words_as_they_stand() -> None:
    text = "After many years in the south of the country and by the sea Anna Berg\nmoved to Lisbon in 2019, where the light is good and where the old trams\nstill run up the hills."
    found = OfflineReader(classifier=False).read(Source(text=text, occurred_at=1_700_000_000_000_000))
    claims = {(claim.subject, claim.predicate, claim.object) for claim in found.claims}
    assert ("Anna Berg", "moved_to", "Lisbon") in claims
    assert all(span.inside(text) for claim in found.claims for span in claim.spans)
