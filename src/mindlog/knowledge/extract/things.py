"""Reads what is said of things that belong to somebody: "my car is red", "our office is in Oslo", "I repainted it blue".

The thing is a mention under its common name, and a claim says whose it is: so my car is told from another's.
"""

from __future__ import annotations

from mindlog.knowledge.extract.belongings import HOMES, is_thing_word, own
from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.subjects import Subject, subject_before
from mindlog.knowledge.extract.words import ADVERBS, CUTS
from mindlog.knowledge.extraction import EntityKind, Rejection, Span
from mindlog.knowledge.kin import KIN, PETS
from mindlog.knowledge.wordlist import wordlist

__all__ = ["read_paint", "read_pronoun", "read_thing"]

_COLOURS = wordlist(
    """
red orange yellow green blue purple violet pink brown black white grey gray silver gold golden beige turquoise cyan magenta
maroon burgundy teal lilac lavender blonde ginger auburn khaki indigo cream
"""
)
_SHADES = wordlist("dark light bright pale deep navy sky olive mint rose matte metallic midnight forest")
_PRESENT = frozenset({"is", "are", "'s"})
_NAMED = frozenset({"called", "named"})
_THERE = wordlist("located based situated headquartered")
_PAINTED = wordlist("painted repainted dyed redyed coloured colored recoloured recolored sprayed resprayed")
_HAD = frozenset({"had", "got"})
_MOST_WORDS = 3


def read_thing(line: Line, owner: str, first: int, at: int) -> None:
    """Add what the sentence says of the thing whose words begin at a token; its owner's begin at `first`."""
    be = _verb_after(line, at)
    if be is None or line.lower(be - 1) in KIN.keys() - PETS:
        return
    found = _complement(line, be, line.lower(be - 1))
    if found is None:
        return
    doubt = line.doubt(first) or (Rejection.NEGATED if _denied(line, be) else None)
    if doubt:
        line.scene.draft.reject(doubt)
        return
    if name := own(line, owner, first, at, be):
        predicate, thing = found
        line.say(name, predicate, thing, Span(line.sentence.spans[first].start, thing.span.end), 0.8)


def read_pronoun(line: Line, at: int) -> None:
    """Add the colour that "it" has, at a token: "it is blue now"."""
    if line.lower(at + 1) not in _PRESENT or not (colour := _colour(line, _skip(line, at + 2))):
        return
    doubt = line.doubt(at) or (Rejection.NEGATED if _denied(line, at + 1) else None)
    if doubt:
        line.scene.draft.reject(doubt)
    elif name := _it(line, at):
        line.say(name, "colour", colour, Span(line.sentence.spans[at].start, colour.span.end), 0.6)


def read_paint(line: Line, at: int) -> None:
    """Add the colour that the verb at a token gives: "I repainted it blue", "I had my bike painted green"."""
    if line.lower(at) not in _PAINTED:
        return
    before = _object_before(line, at)
    verb = before if before is not None else at
    start = verb + 1
    subject = subject_before(line, verb, None)
    end = at if before is not None else _object_end(line, start)
    colour = _colour(line, at + 1 if before is not None else end)
    if subject is None or end == start or colour is None:
        return
    doubt = subject.doubt or (Rejection.NEGATED if subject.negated else None)
    if doubt:
        line.scene.draft.reject(doubt)
    elif name := _painted(line, subject, start, end):
        line.say(name, "colour", colour, Span(line.sentence.spans[subject.first].start, colour.span.end), 0.8)


def _painted(line: Line, subject: Subject, start: int, end: int) -> str | None:
    if line.lower(start) == "it":
        return _it(line, start)
    owner = line.scene.speaker if line.lower(start) in ("my", "our") else subject.who[0]
    return own(line, owner, start, start + 1, end)


def _it(line: Line, at: int) -> str | None:
    return line.scene.thing or line.scene.before("it", line.span(at, at + 1))


def _verb_after(line: Line, at: int) -> int | None:
    """Return the token of "is" after a thing's one to three words in lower case, None if there are no such words."""
    for be in range(at + 1, at + _MOST_WORDS + 2):
        if line.lower(be) in _PRESENT:
            return be
        if not is_thing_word(line, be - 1):
            return None
    return None


def _complement(line: Line, be: int, noun: str) -> tuple[str, Thing] | None:
    if line.lower(be) == "'s" and line.lower(be + 1) == "name" and line.lower(be + 2) in _PRESENT:
        return _called(line, be + 3)
    at = _skip(line, be + 1)
    if line.lower(at) in _NAMED:
        return _called(line, at + 1)
    if colour := _colour(line, at):
        return "colour", colour
    if line.lower(at) in _THERE:
        at += 1
    name = line.by_first.get(at + 1)
    if (
        name
        and line.lower(at) in ("in", "at")
        and (noun in HOMES or (name.kind is EntityKind.PLACE and name.confidence > 0.7))
    ):
        kind = EntityKind.PLACE if line.lower(at) == "in" else None
        return "located_in", Thing(line.span(name.first, name.end), name=line.mention(name, kind, 0.75))
    return None


def _called(line: Line, at: int) -> tuple[str, Thing] | None:
    name = line.by_first.get(at)
    if name is None:
        return None
    span = line.span(name.first, name.end)
    return "has_name", Thing(span, value=span.of(line.scene.text))


def _colour(line: Line, at: int) -> Thing | None:
    """Return the colour that begins at a token and ends what is said: "dark blue", "red and white"."""
    end = at
    while line.lower(end) in _SHADES or line.lower(end) in _COLOURS:
        end += 1
        if line.lower(end - 1) in _COLOURS and line.lower(end) == "and" and line.lower(end + 1) in _COLOURS | _SHADES:
            end += 1
    following = line.lower(end)
    if end == at or line.lower(end - 1) not in _COLOURS:
        return None
    if following and following[0].isalpha() and following not in CUTS and following not in ADVERBS:
        return None
    span = line.span(at, end)
    return Thing(span, value=span.of(line.scene.text))


def _skip(line: Line, at: int) -> int:
    while line.lower(at) in ADVERBS or line.lower(at) in ("n't", "not"):
        at += 1
    return at


def _denied(line: Line, be: int) -> bool:
    return any(line.lower(at) in ("n't", "not", "never") for at in range(be + 1, _skip(line, be + 1)))


def _object_end(line: Line, at: int) -> int:
    """Return the token after "it" or "my car" at a token; the token itself if there is neither."""
    if line.lower(at) == "it":
        return at + 1
    if line.lower(at) not in ("my", "our", "his", "her", "their"):
        return at
    end = at + 1
    while end - at <= _MOST_WORDS and is_thing_word(line, end) and line.lower(end) not in _COLOURS | _SHADES | _PAINTED:
        end += 1
    return end if end > at + 1 else at


def _object_before(line: Line, at: int) -> int | None:
    """Return the token of "had" or "got" before an object that ends at a token, None if there is none."""
    for verb in range(at - 2, max(at - 4 - _MOST_WORDS, -1), -1):
        if line.lower(verb) in _HAD and _object_end(line, verb + 1) == at:
            return verb
    return None
