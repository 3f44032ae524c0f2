"""Reads forwards from a verb: the names, things, dates or amounts it is said with, and where they end."""

from __future__ import annotations

from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.verbs import PHRASES, Takes, kind_of_object
from mindlog.knowledge.extract.words import ADVERBS, BE, CUTS, NO_OBJECT
from mindlog.knowledge.extraction import EntityKind, Span, ValueType
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.wordlist import wordlist

__all__ = ["noun_phrase", "objects_after"]

_DETERMINERS = wordlist("a an the my our his her their some any both little")
_BEFORE_NAMES = _DETERMINERS | wordlist("downtown central nearby sunny rainy city")
_MOST_WORDS = 5
_MOST_OBJECTS = 6
_NEAR = 24  # characters between a verb and the date or amount it takes
_LISTED = frozenset({Takes.THING, Takes.NAME, Takes.PERSON})
_ENDS = frozenset('.,;:!?)("”…—–')


def objects_after(line: Line, at: int, takes: Takes, *, listed: bool) -> tuple[list[Thing], int]:
    """Return what the verb that ends before a token takes, several if they are listed, and the token after them."""
    if takes is Takes.DATE:
        return _dated(line, at), at
    if takes is Takes.MONEY:
        return _priced(line, at), at
    found: list[Thing] = []
    while len(found) < _MOST_OBJECTS:
        thing, end = _one(line, at, takes)
        if thing is None or (found and not _is_listed(line, end, thing)):
            break
        found.append(thing)
        at = end
        joint = _joint(line, end)
        if not listed or joint == end or (takes not in _LISTED and takes is not Takes.PLACE):
            break
        at = joint
    return found, at


def noun_phrase(line: Line, at: int, most: int = _MOST_WORDS) -> tuple[Span | None, int]:
    """Return the words of a thing named in lower case from a token on, and the token after them."""
    first = at
    while line.lower(first) in _DETERMINERS or line.lower(first) == "to":
        first += 1
    if line.lower(first) in NO_OBJECT or line.lower(first) in CUTS:
        return None, at
    end = first
    while end < len(line.sentence) and end - first < most and _is_noun_word(line, end, first):
        end += 1
    if end > first and line.lower(end - 1) == "of":
        end -= 1
    return (line.span(first, end), end) if end > first else (None, at)


def _is_noun_word(line: Line, at: int, first: int) -> bool:
    word, lower = line.sentence.words[at], line.lower(at)
    if not word[0].isalnum() or lower in CUTS or lower in ADVERBS:
        return False
    if at > first and line.sentence.spans[at].start - line.sentence.spans[at - 1].end > 1:
        return False
    return lower not in ("a", "an", "the", "my", "your", "his", "her") or line.lower(at - 1) == "of"


def _one(line: Line, at: int, takes: Takes) -> tuple[Thing | None, int]:
    if takes is Takes.NAMED:
        return _called(line, at)
    first = at
    while line.lower(first) in _BEFORE_NAMES and first not in line.by_first:
        first += 1
    if line.lower(first) in KIN and first > at:
        first += 1
    name = line.by_first.get(first)
    if name and takes is Takes.PLACE and first > at and _goes_on(line, name.end):
        return None, at  # "went to an LGBTQ group"
    if name and (takes is not Takes.THING or not _goes_on(line, name.end)):
        kind = kind_of_object(takes)
        said = line.mention(name, None if kind is EntityKind.OTHER else kind, 0.88)
        return Thing(line.span(name.first, name.end), name=said), name.end
    if takes is Takes.THING or (takes is Takes.ORGANIZATION and line.lower(at) in ("a", "an", "the")):
        span, end = noun_phrase(line, at)
        return (Thing(span, value=span.of(line.scene.text)), end) if span else (None, at)
    return None, at


def _called(line: Line, at: int) -> tuple[Thing | None, int]:
    if name := line.by_first.get(at):
        line.mention(name, EntityKind.PERSON, 0.7)
        span = line.span(name.first, name.end)
        return Thing(span, value=span.of(line.scene.text)), name.end
    return None, at


def _goes_on(line: Line, at: int) -> bool:
    """Say whether a name is only the first word of a thing: "Beatles songs"."""
    word = line.lower(at)
    return (
        bool(word)
        and word[0].isalpha()
        and word not in CUTS
        and word not in ADVERBS
        and word not in PHRASES
        and word != "n't"
    )


def _joint(line: Line, at: int) -> int:
    """Return the token after "," or "and" between two of a list."""
    end = at
    while line.lower(end) in (",", "and", "or") and end - at < 2:
        end += 1
    return end


def _is_listed(line: Line, end: int, thing: Thing) -> bool:
    """Say whether what was found after "and" is another object and no new subject: "tea and my sister hates it"."""
    following = line.lower(end)
    if (
        following
        and following not in _ENDS
        and following not in ("and", "or", "but", "because", "with", "in", "at", "on", "for", "when")
    ):
        return False
    words = thing.span.of(line.scene.text).lower().split()
    return not any(word in BE or word in PHRASES for word in words[1:]) and words[0] not in (
        "i",
        "we",
        "he",
        "she",
        "they",
        "it",
    )


def _dated(line: Line, at: int) -> list[Thing]:
    begin = line.sentence.spans[at - 1].end
    for date in line.dates:
        if 0 <= date.span.start - begin <= _NEAR:
            return [Thing(date.span, value=date.phrase, value_type=ValueType.DATE)]
    return []


def _priced(line: Line, at: int) -> list[Thing]:
    begin = line.sentence.spans[at - 1].end
    for quantity in line.quantities:
        if quantity.is_money and 0 <= quantity.span.start - begin <= _NEAR:
            return [Thing(quantity.span, value=quantity.span.of(line.scene.text), value_type=ValueType.QUANTITY)]
    return []
