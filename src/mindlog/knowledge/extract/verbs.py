"""The verbs that make a statement: each phrase with its predicate, what kind of object it takes, and its tense.

A table and a lookup by tokens; knows no sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mindlog.knowledge.extraction import EntityKind
from mindlog.knowledge.pronouns import THINGS
from mindlog.knowledge.wordlist import wordlist

__all__ = [
    "OF_PERSONS",
    "OF_THINGS",
    "PHRASES",
    "THIRD_PERSON",
    "WORDED",
    "Takes",
    "Verb",
    "is_believed",
    "kind_of_object",
    "longest",
]


class Takes(StrEnum):
    """What stands after the verb."""

    PLACE = "place"  #: a name, of a place
    ORGANIZATION = "organization"  #: a name, of an organisation
    PERSON = "person"  #: a name, of a person
    NAME = "name"  #: a name of whatever
    THING = "thing"  #: a name or something in lower case
    TASTE = "taste"  #: a name, something in lower case that is meant in general, or something one does
    CHOICE = "choice"  #: the same, before what it is preferred to
    OWNED = "owned"  #: something people own
    OCCASION = "occasion"  #: something one goes to
    TOOL = "tool"  #: a name, or words with a name in them
    NAMED = "named"  #: a name that the subject goes by
    DATE = "date"
    MONEY = "money"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """A phrase's meaning. `past` is the predicate after was/were/used to; None: the same."""

    predicate: str
    takes: Takes
    past: str | None = None
    denied: str | None = None  # the predicate of its negation; None: the negation is counted, not kept
    ended: bool = False  # "no longer", "stopped": the negation is worth keeping as a denied claim


# predicate [> past] [! denied] | takes | phrases. Tokens: n't and 's stand apart.
_ROWS = """
lives_in > lived_in | place | live in, lives in, living in, reside in, resides in, residing in, based in, based out of
lived_in | place | lived in, used to live in, stayed in
grew_up_in | place | grew up in, raised in
moved_to | place | moved to, moved back to, relocated to, emigrated to, moved over to
moved_from | place | moved away from, moved out of, moved from
works_at > worked_at | organization | work at, works at, working at, work for, works for, working for, employed at, employed by
worked_at | organization | worked at, worked for, used to work at, used to work for, interned at
works_as > worked_as | thing | work as, works as, working as
worked_as | thing | worked as, used to work as
joined | organization | joined, got a job at, got hired by, got a new job at, got a new job with, got a job with, hired by, started working at, started working for, started at
left | organization | resigned from, left my job at, quit my job at, left her job at, left his job at, fired from, laid off from
studies_at > studied_at | organization | study at, studies at, studying at
studied_at | organization | studied at, went to school at
graduated_from | organization | graduated from
studies > studied | thing | study, studies, studying, majoring in
studied | thing | studied, majored in
teaches | thing | teach, teaches, teaching
born_in | place | born in, born and raised in
born_on | date | born on
likes ! dislikes | taste | like, likes, love, loves, enjoy, enjoys, adore, adores, fond of, a fan of, a big fan of, a huge fan of, passionate about, into, keen on
dislikes | taste | dislike, dislikes, hate, hates, ca n't stand, can not stand, detest, detests, loathe, loathes
prefers | choice | prefer, prefers
allergic_to | thing | allergic to
speaks | thing | speak, speaks, fluent in
plays_for | organization | play for, plays for, playing for
plays | thing | play the, plays the, play, plays
collects | thing | collect, collects
reads | name | reading
uses | tool | use, uses, using, switched over to using
switched_to | tool | switched to, migrated to
switched_from | tool | switched from, migrated from
depends_on | name | depends on, depend on, relies on
runs_on | tool | runs on, run on
married_to | person | married to, married, got married to
engaged_to | person | engaged to
dating | person | dating, going out with
visited | place | visited, went to, traveled to, travelled to, flew to, been to, drove to
attended | occasion | attended, took part in, participated in, competed in
signed_up_for | thing | signed up for, enrolled in
volunteers_at | thing | volunteer at, volunteers at, volunteering at
started | thing | started my own, opened my own, launched my own, started our own, opened our own
learns | taste | learning
won | occasion | won a, won the, won my, won our, won
finished | thing | finished writing, finished reading
works_on | thing | working on a, working on an, working on my
met | name | met, met with, ran into, met up with
founded | name | founded, co-founded, cofounded
acquired | name | acquired, bought out, took over
wrote | name | wrote, authored
invented | thing | invented
created | name | created, developed, built, designed
leads | name | leads, heads
manages | thing | manages, manage
owns | thing | own, owns
has | owned | have a, has a, have an, has an, have two, has two, have three, has three, have four, adopted a, adopted an, got a new
bought | thing | bought a, bought an, bought
sold | thing | sold my, sold our, sold the
located_in | place | located in, headquartered in, situated in
from | place | from, come from, comes from, originally from
costs | money | costs, cost, priced at
scheduled_for | date | scheduled for, due on, due, set for, moved back until
has_name | named | called, named
"""
_KINDS: Final = {
    Takes.PLACE: EntityKind.PLACE,
    Takes.ORGANIZATION: EntityKind.ORGANIZATION,
    Takes.PERSON: EntityKind.PERSON,
}
# States of which "I don't live in Berlin" and "no longer works at Nokia" are worth keeping.
_STATES = wordlist(
    """
lives_in works_at works_as studies_at uses married_to dating plays_for owns speaks allergic_to has
"""
)


def _verb(meaning: str, takes: str) -> Verb:
    rest, _, denied = meaning.partition("!")
    predicate, _, past = (part.strip() for part in rest.partition(">"))
    return Verb(
        predicate=predicate,
        takes=Takes(takes),
        past=past or None,
        denied=denied.strip() or None,
        ended=predicate in _STATES,
    )


def _phrases() -> dict[str, list[tuple[tuple[str, ...], Verb]]]:
    table: dict[str, list[tuple[tuple[str, ...], Verb]]] = {}
    for row in _ROWS.strip().splitlines():
        meaning, takes, phrases = (part.strip() for part in row.split("|"))
        verb = _verb(meaning, takes)
        for phrase in phrases.split(","):
            words = tuple(phrase.split())
            table.setdefault(words[0], []).append((words, verb))
    return {first: sorted(rows, key=lambda row: -len(row[0])) for first, rows in table.items()}


PHRASES: Final = _phrases()
"""By first word, the longest phrase first."""

THIRD_PERSON: Final = frozenset(
    [first for first in PHRASES if first.endswith(("s", "ed")) and len(first) > 3]
    + [
        "is",
        "was",
        "has",
        "had",
        "said",
        "says",
        "told",
        "asked",
        "went",
        "met",
        "called",
        "wrote",
        "left",
        "came",
        "got",
        "made",
        "moved",
        "founded",
        "bought",
        "sold",
        "won",
        "lost",
    ]
)
"""A word in capitals before one of these is a subject."""


WORDED: Final = frozenset({Takes.THING, Takes.TASTE, Takes.CHOICE, Takes.OWNED, Takes.OCCASION, Takes.TOOL})
"""They take words in lower case as well as names."""

OF_THINGS: Final = wordlist("runs_on costs located_in scheduled_for depends_on")
"""No person is the subject of these."""

OF_PERSONS: Final = wordlist(
    """
lives_in lived_in grew_up_in works_at worked_at works_as worked_as studies_at studied_at graduated_from born_in born_on married_to
engaged_to dating allergic_to speaks likes dislikes prefers joined left
"""
)
"""No thing is the subject of these."""

_OF_FAR = (OF_PERSONS | {"moved_to"}) - wordlist("likes dislikes prefers speaks allergic_to")


def is_believed(predicate: str, pronoun: str, *, far: bool) -> bool:
    """Say whether a predicate can be meant of whom a pronoun stands for; `far`: somebody whom only an earlier memory names."""
    if pronoun in THINGS:
        return predicate in OF_THINGS or (not far and predicate not in OF_PERSONS)
    return not far or predicate in _OF_FAR


def kind_of_object(takes: Takes) -> EntityKind:
    """Return the kind of entity the verb makes of a name."""
    return _KINDS.get(takes, EntityKind.OTHER)


def longest(lower: list[str], at: int) -> tuple[int, Verb] | None:
    """Return the end and the meaning of the longest phrase that begins at a token."""
    for words, verb in PHRASES.get(lower[at], ()):
        if tuple(lower[at : at + len(words)]) == words:
            return at + len(words), verb
    return None
