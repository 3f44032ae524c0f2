"""What the patterns read: facts and preferences, contact data, identifiers, speakers, and nothing that is not stated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.clock import iso
from mindlog.knowledge.extraction import EntityKind, Rejection
from tests.knowledge.made import S, Said, check, names, read, said

STATED: list[tuple[str, set[Said]]] = [
    ("I live in Lisbon and work at Siemens.", {(S, "lives_in", "Lisbon"), (S, "works_at", "Siemens")}),
    ("We moved to Porto in May 2023.", {(S, "moved_to", "Porto")}),
    ("My sister Grace lives in Oslo.", {("Grace", "sister_of", S), ("Grace", "lives_in", "Oslo")}),
    ("My sister's name is Grace.", {("Grace", "sister_of", S)}),
    ("I prefer tea over coffee.", {(S, "prefers", "tea"), (S, "prefers_less", "coffee")}),
    ("I'm allergic to peanuts.", {(S, "allergic_to", "peanuts")}),
    ("My favourite colour is dark blue.", {(S, "favourite_colour", "dark blue")}),
    ("My name is Ines Duarte.", {(S, "has_name", "Ines Duarte")}),
    ("I'm 34 years old.", {(S, "has_age", "34")}),
    ("My birthday is on March 14.", {(S, "has_birthday", "March 14")}),
    ("Grace works for Lufthansa. She lives in Oslo.", {("Grace", "works_at", "Lufthansa"), ("Grace", "lives_in", "Oslo")}),
    ("Tom's brother Leo founded Acme.", {("Leo", "brother_of", "Tom"), ("Leo", "founded", "Acme")}),
    ("Acme was founded by Ruth Adler.", {("Ruth Adler", "founded", "Acme")}),
    ("Ruth is the CEO of Acme.", {("Ruth", "ceo_of", "Acme")}),
    ("Ruth moved from Bern to Basel.", {("Ruth", "moved_from", "Bern"), ("Ruth", "moved_to", "Basel")}),
    ("I used to live in Rome.", {(S, "lived_in", "Rome")}),
    ("I no longer work at Siemens.", {(S, "works_at", "Siemens", "not")}),
    ("I don't like coffee.", {(S, "dislikes", "coffee")}),
    ("My email is ines@example.org.", {(S, "has_email", "ines@example.org")}),
    ("Call me at +351 912 345 678.", {(S, "has_phone", "+351 912 345 678")}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), STATED)
def test_a_stated_fact_is_a_claim_with_its_evidence(text: str, expected: set[Said]) -> None:
    found = read(text)
    assert said(found) == expected
    check(found, text)


UNSTATED = [
    ("Do you live in Paris?", None),
    ("Do I live in Paris?", Rejection.QUESTION),
    ("Does Grace work at Nokia?", Rejection.QUESTION),
    ("I might move to Berlin.", None),
    ("I might work at Nokia.", Rejection.HYPOTHETICAL),
    ("If I lived in Rome, I would work for Eni.", Rejection.HYPOTHETICAL),
    ("I wish I lived in Seville.", Rejection.HYPOTHETICAL),
    ("Maybe Grace works at Ericsson.", Rejection.HYPOTHETICAL),
    ("I would like to visit Japan.", None),
    ("I'd love to live in Rome.", None),
    ("I want to work at Airbus.", None),
    ("I'm going to live in Rome.", Rejection.HYPOTHETICAL),
    ("I never lived in Rome.", Rejection.NEGATED),
    ("Grace is not my sister.", Rejection.NEGATED),
    ("I'm not a doctor.", Rejection.NEGATED),
    ("My favourite colour is not blue.", Rejection.NEGATED),
    ("The invoice from Acme Corp costs $40.", None),
    ("It looks like rain.", None),
]


@pytest.mark.parametrize(("text", "reason"), UNSTATED)
def test_what_is_asked_denied_or_supposed_is_no_claim(text: str, reason: Rejection | None) -> None:
    found = read(text)
    assert [c for c in found.claims if not c.negated] == []
    if reason:
        assert found.rejected[reason] >= 1


def test_who_speaks_is_whom_the_first_person_means() -> None:
    text = "Ines: I live in Porto.\nTom: I work at Bosch. My wife Clara likes chess.\nuser: I speak Dutch."
    assert said(read(text)) == {
        ("Ines", "lives_in", "Porto"),
        ("Tom", "works_at", "Bosch"),
        ("Clara", "wife_of", "Tom"),
        ("Clara", "likes", "chess"),
        (S, "speaks", "Dutch"),
    }  # fmt: skip


def test_a_claim_has_the_time_its_sentence_gives() -> None:
    (moved,) = read("I moved to Porto in May 2023.").claims
    assert (moved.time_phrase, moved.valid_from and iso(moved.valid_from), moved.valid_to) == (
        "May 2023",
        "2023-05-01T00:00:00Z",
        None,
    )
    (lives,) = read("I have been living in Porto since 2019.").claims
    assert (lives.time_phrase, lives.valid_from and iso(lives.valid_from)) == ("2019", "2019-01-01T00:00:00Z")
    (lived,) = read("I lived in Rome in 2019.").claims
    assert lived.valid_to is not None
    assert iso(lived.valid_to) == "2020-01-01T00:00:00Z"
    vigo, braga = read("I've lived in Vigo since 2015, but in January we moved to Braga.").claims
    assert [(c.predicate, c.time_phrase) for c in (vigo, braga)] == [("lives_in", "2015"), ("moved_to", "January")]
    (speaks,) = read("I speak Dutch.").claims
    assert (speaks.time_phrase, speaks.valid_from, speaks.valid_to) == (None, None, None)


def test_contact_data_and_identifiers_are_mentions() -> None:
    text = "Mail ines.k@example.org, see https://example.org/a?b=1, ask @ines_k about ERR-7F3A-99 in v2.10.1 at /srv/app/log."
    found = read(text)
    check(found, text)
    assert names(found) == {
        "ines.k@example.org": EntityKind.CONTACT,
        "https://example.org/a?b=1": EntityKind.CONTACT,
        "@ines_k": EntityKind.CONTACT,
        "ERR-7F3A-99": EntityKind.IDENTIFIER,
        "v2.10.1": EntityKind.IDENTIFIER,
        "/srv/app/log": EntityKind.IDENTIFIER,
    }


@pytest.mark.parametrize(
    ("number", "good"),
    [("978-0-306-40615-7", True), ("978-0-306-40615-8", False), ("0-306-40615-2", True),
     ("DE89 3704 0044 0532 0130 00", True), ("DE89 3704 0044 0532 0130 01", False)],
)  # fmt: skip
def test_a_checked_number_is_an_identifier_only_if_its_check_is_right(number: str, good: bool) -> None:
    assert (names(read(f"It is {number} here.")).get(number) is EntityKind.IDENTIFIER) is good


def test_quantities_have_an_amount_and_a_unit() -> None:
    found = read("It cost $1,200.50 and €5k for 12 kg over 30 km, 20% off.").quantities
    assert [(q.amount, q.unit, q.is_money) for q in found] == [
        (1200.5, "USD", True), (5000.0, "EUR", True), (12.0, "kg", False), (30.0, "km", False), (20.0, "%", False)
    ]  # fmt: skip


def test_an_acronym_at_the_start_of_a_sentence_is_one_entity() -> None:
    for number in range(1, 5):
        assert names(read(f"DGIA met team {number}")) == {"DGIA": EntityKind.OTHER}


def test_sentence_starts_and_shouting_are_no_names() -> None:
    for text in (
        "Yesterday was long.",
        "Networking is hard.",
        "Thanks a lot!",
        "THIS IS NOT A NAME AT ALL",
        "Running late.",
    ):
        assert names(read(text)) == {}, text


JUNK = [
    "I love the colour and texture of that scarf.",
    "I like this idea.",
    "That's what I like to hear!",
    "Connecting with the things I love makes writing fun.",
    "I went out - so much energy and love everywhere.",
    "I love seeing them like this.",
    "I love escaping to that world.",
    "I have a question about the form.",
    "I'm using the correct approach.",
    "I use everything I learnt, like loops.",
    "It's a great story about a city.",
    "I'm a big fan of nothing in particular.",
    "I'm part of a club.",
    "Barcelona is a must-visit city!",
    "She studied hard.",
    "I teach people.",
    "I've been reading a lot.",
    "A Canadian study visa is hard to get.",
    "Load Chart.js into my page.",
    "I run them on GitHub Actions.",
    "I went to an LGBTQ+ group.",
    "I visited Tom's school.",
    "I'm learning a ton.",
    "I'm working on a project.",
    "I'm passionate about creating a safe, welcoming place.",
    "When I joined the team, we were late.",
    "I created a Notion database.",
]


@pytest.mark.parametrize("text", JUNK)
def test_what_is_said_of_the_moment_or_of_nothing_in_particular_is_no_claim(text: str) -> None:
    assert said(read(text)) == set()


DONE: list[tuple[str, set[Said]]] = [
    ("I love running my own studio.", {(S, "likes", "running my own studio")}),
    ("I enjoy hiking in the mountains and exploring forests.", {(S, "likes", "hiking in the mountains"), (S, "likes", "exploring forests")}),
    ("I love going on trips with friends and family.", {(S, "likes", "going on trips with friends")}),
    ("I like to collect old coins.", {(S, "likes", "collect old coins")}),
    ("I love the ocean.", {(S, "likes", "ocean")}),
    ("I prefer walking to driving.", {(S, "prefers", "walking"), (S, "prefers_less", "driving")}),
    ("I have two kids and a dog.", {(S, "has", "dog")}),
    ("My best friend Amir called.", {("Amir", "friend_of", S)}),
    ("Samuel, my brother, is a civil engineer.", {("Samuel", "brother_of", S), ("Samuel", "is_a", "civil engineer")}),
    ("The capital of Kenya is Nairobi.", {("Nairobi", "capital_of", "Kenya")}),
    ("Lena is 41 and speaks Dutch.", {("Lena", "has_age", "41"), ("Lena", "speaks", "Dutch")}),
    ("We went to a pride parade last Friday.", {(S, "attended", "pride parade")}),
    ("I just signed up for a pottery class.", {(S, "signed_up_for", "pottery class")}),
    ("I won my second tournament.", {(S, "won", "second tournament")}),
    ("I'm learning German.", {(S, "learns", "German")}),
    ("I volunteer at the homeless shelter.", {(S, "volunteers_at", "homeless shelter")}),
    ("I'm reading \"Midnight Harvest\" now.", {(S, "reads", "Midnight Harvest")}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DONE)
def test_what_somebody_likes_or_has_or_is_is_read_whole(text: str, expected: set[Said]) -> None:
    found = read(text)
    assert said(found) == expected
    check(found, text)


def test_what_somebody_else_is_quoted_as_saying_is_not_said_by_the_speaker() -> None:
    text = 'Say this: "Hi, my name is Darryl. I live in Oslo with my sister Grace." I live in Rome.'
    found = read(text)
    assert said(found) == {(S, "lives_in", "Rome")}
    assert {"Darryl", "Oslo", "Grace", "Rome"} <= set(names(found))
    assert said(read("She said “I work at Nokia and I like tea” to me.")) == set()


def test_whom_a_greeting_calls_is_a_person() -> None:
    for text in ("Hey Zadie!", "Thanks, Zadie.", "Wow, Zadie, that's great!", "Glad you are well, Zadie."):
        assert names(read(text)) == {"Zadie": EntityKind.PERSON}, text


def test_a_title_in_quotation_marks_is_one_name() -> None:
    found = names(read('We saw "The Lord of the Rings" and “Finding Home.” He said "stop it".'))
    assert found == {"The Lord of the Rings": EntityKind.WORK, "Finding Home": EntityKind.WORK}


def test_greetings_interjections_and_days_are_no_names() -> None:
    for text in ("Woohoo!", "Awww, so cute.", "Nah, I'm fine.", "On Tues we met.", "Lots going on.", "Wanna come?"):
        assert names(read(text)) == {}, text


MARKUP = """
### Final Review Plan
- **Key Takeaways**: nothing
- Summarize the text.
1. **Prepare Equipment:** call Ingrid.
```python
class MyHandler(Base):
    owner = "Paul"
```
Run `npm install Express` and <b>Stop</b> it.
"""


def test_code_headings_and_labels_name_nothing() -> None:
    found = read(MARKUP)
    assert names(found) == {"Ingrid": EntityKind.PERSON}
    check(found, MARKUP)


def test_a_label_of_recalled_text_is_no_speaker() -> None:
    assert said(read("Context: I live in Oslo.")) == {(S, "lives_in", "Oslo")}
    assert said(read("- Commute: I live in Oslo.")) == {(S, "lives_in", "Oslo")}


def test_names_that_the_dataset_knows_are_found_in_any_case() -> None:
    found = read("we met blue harbour again", known={"Blue Harbour": EntityKind.ORGANIZATION})
    assert names(found) == {"blue harbour": EntityKind.ORGANIZATION}


HOSTILE = ["Anna ", "I live in ", "my sister ", "I like tea and ", "a@", "http://", "A: b\n", "1.", "A-1", "'", "(", "王小", "カ・", "3 days ", "if ", "\x1f", "last ", "```\n", "`a` ", "**A**: ", "<a ", "my car is ", "it painted ", "the x failed yesterday ", "\" A ", "“I am ", "my sister’s "]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_text_is_read_in_linear_time(unit: str) -> None:
    """What is quadratic takes minutes here, what is linear a third of a second."""
    text = unit * (65_536 // len(unit))
    check(read(text), text)


@given(st.text(max_size=300))
def test_any_text_is_read_with_its_evidence(text: str) -> None:
    check(read(text), text)


PIECES = st.sampled_from(["I", "we", "my", "Grace", "Tom's", "sister", "lives", "moved", "to", "in", "Oslo", "Nokia", "and", ",", ".", "?", "not", "n't", "don't", "might", "if", "since", "2019", "is", "a", "the", "of", "34", "王小明", "Анна", "was", "by", "like", "prefer", "over", "founded", "ines@example.org", "+351", "912", "345", "678", ":", "\n"])  # fmt: skip


@given(st.lists(PIECES, max_size=25).map(" ".join))
def test_any_words_of_statements_in_any_order_are_read_with_their_evidence(text: str) -> None:
    check(read(text), text)
