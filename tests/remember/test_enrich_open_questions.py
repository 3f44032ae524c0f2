"""What a document leaves open, told by rules: what it calls unknown, what it does not spell out, whom it says nothing of."""

from __future__ import annotations

import pytest

from mindlog.remember.enrich.openquestions import cleaned, queries_by_rules, unknowns
from mindlog.store.graphrows import EntityRow


def entity(name: str, kind: str = "organization", *, statements: int = 0, is_speaker: bool = False) -> EntityRow:
    return EntityRow(
        id=1,
        dataset=1,
        name=name,
        kind=kind,
        is_speaker=is_speaker,
        aliases=(name,),
        merged=(),
        mentions=1,
        statements=statements,
        created_at=0,
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The capacity of the Aurora battery is unknown.", ["The capacity of the Aurora battery"]),
        ("- Launch date of Borealis: TBD", ["Launch date of Borealis"]),
        ("We met. Nobody knows who founded Globex. We left.", ["who founded Globex"]),
        ("The price of the Nova phone is still to be announced.", ["The price of the Nova phone is still"]),
        ("It is unknown.", []),  # without saying what, there is nothing to look up
        ("The capacity is known and the price is final.", []),
        ("TBD", []),
    ],
)
def test_what_the_text_calls_unknown_is_asked_for_without_the_words_that_say_so(text: str, found: list[str]) -> None:
    assert list(unknowns(text)) == found


def test_an_abbreviation_is_asked_for_if_it_is_used_and_nowhere_spelt_out() -> None:
    texts = ["The QZX runs. A QZX stops.", "The WPA (Works Progress Administration) and the WPA.", "NASA and NASA."]
    assert queries_by_rules(texts, [], "Engines", 5) == ["QZX Engines meaning"]
    assert queries_by_rules([*texts, "The Quick Zone Exchange (QZX) is new."], [], "Engines", 5) == []
    assert queries_by_rules(["The QZX runs once."], [], None, 5) == []


def test_a_name_is_asked_for_if_it_is_used_often_and_nothing_is_stated_of_it() -> None:
    named = [
        (entity("Globex"), 4),
        (entity("Initech", statements=2), 9),
        (entity("Hooli"), 2),
        (entity("me", "person", is_speaker=True), 9),
        (entity("a@b.c", "contact"), 9),
        (entity("Umbrella"), 7),
    ]
    assert queries_by_rules([], named, "Report", 5) == ["Umbrella Report", "Globex Report"]


def test_the_rules_take_turns_and_there_are_no_more_than_asked_for() -> None:
    text = "The price of tea is unknown. The price of ink is unknown. The QZX and the QZX."
    named = [(entity("Globex"), 4)]
    assert queries_by_rules([text], named, None, 3) == ["The price of tea", "Globex", "QZX meaning"]
    assert queries_by_rules([text], named, None, 1) == ["The price of tea"]


def test_queries_are_one_line_each_not_too_long_and_none_is_asked_twice() -> None:
    long = "word " * 100
    found = cleaned(["a\nb\x00 c", "A b C", "  ", "?!", long], 9)
    assert found[0] == "a b c"
    assert len(found) == 2
    assert len(found[1]) <= 160
    assert found[1].endswith("word")
