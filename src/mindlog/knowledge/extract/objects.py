"""Reads forwards from a verb: the names, things, dates or amounts it is said with, and where they end."""

from __future__ import annotations

from mindlog.knowledge.extract.names import Name
from mindlog.knowledge.extract.phrases import is_activity, is_doing, is_worth_saying
from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.verbs import PHRASES, WORDED, Takes, kind_of_object
from mindlog.knowledge.extract.words import ADVERBS, BE, CUTS, NO_OBJECT
from mindlog.knowledge.extraction import EntityKind, Span, ValueType
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.wordlist import wordlist

__all__ = ["noun_phrase", "objects_after"]

_DETERMINERS = wordlist("a an the my our his her their some any both little")
_BEFORE_NAMES = _DETERMINERS | wordlist('downtown central nearby sunny rainy city " “ „ «')
_MOST_WORDS = 5
_MOST_OBJECTS = 6
_NEAR = 24  # characters between a verb and the date or amount it takes
_LISTED = WORDED | {Takes.NAME, Takes.PERSON}
_TASTES = frozenset({Takes.TASTE, Takes.CHOICE})
_LONGEST_ACTIVITY = 9
_CLAUSE_ENDS = wordlist(
    """
and or but because since when while so that which who whom if as though although than 'cause cause before after until till unless especially
particularly i we he she they 's is are was were
"""
)
_COMPARED = wordlist("over to than rather")
_LOOSE_ENDS = wordlist(
    "too also again lately now today anymore more longer anyway though much lot a the my our some any so very even just"
)
_ENDS = frozenset('.,;:!?)("”…—–')


def objects_after(line: Line, at: int, takes: Takes, *, listed: bool) -> tuple[list[Thing], int]:
    """Return what the verb that ends before a token takes, several if they are listed, and the token after them."""
    if takes is Takes.DATE:
        return _dated(line, at), at
    if takes is Takes.MONEY:
        return _priced(line, at), at
    found: list[Thing] = []
    passing = False  # what is listed with a thing of the moment is of the moment too: "the colour and texture"
    for _ in range(_MOST_OBJECTS):
        thing, end = _one(line, at, takes)
        if end == at or (found and not _is_listed(line, end, thing, found[-1])):
            break
        passing = passing or (thing is None and takes in _TASTES)
        found += [thing] if thing and not passing else []
        at = end
        joint = _joint(line, end)
        if not listed or joint == end or (takes not in _LISTED and takes is not Takes.PLACE):
            break
        at = joint + (takes is Takes.OWNED and line.lower(joint) in ("a", "an"))
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
    if not word[0].isalnum() or lower in CUTS or lower in ADVERBS or lower.endswith(("self", "selves")):
        return False
    if at > first and lower.endswith("ly") and len(lower) > 5 and lower not in ("family", "assembly", "butterfly"):
        return False
    if at > first and lower == "any":
        return False  # "sushi any more"
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
    if name is not None and not _is_object(line, name, at, takes):
        return None, at
    if name and (takes not in WORDED or not _goes_on(line, name.end)):
        kind = kind_of_object(takes)
        said = line.mention(name, None if kind is EntityKind.OTHER else kind, 0.88)
        return Thing(line.span(name.first, name.end), name=said), name.end
    if takes in _TASTES and (line.lower(at) == "to" or is_doing(line.lower(at))):
        return _activity(line, at + (line.lower(at) == "to"), takes)
    if takes in WORDED or (takes is Takes.ORGANIZATION and line.lower(at) in ("a", "an", "the")):
        return _worded(line, at, takes)
    return None, at


def _is_object(line: Line, name: Name, at: int, takes: Takes) -> bool:
    """Say whether a name can be what a verb takes, or the first word of it; the verb ends before a token."""
    if line.lower(name.end) == "'s":
        return False  # "visited Tom's school"
    if takes is Takes.OWNED:
        return line.lower(name.first - 1) in ("a", "an")  # "has two sons, Leo and Max"
    if takes in WORDED or name.first == at or not _goes_on(line, name.end):
        return True
    # "went to an LGBTQ group", "created a Notion database"
    return takes is not Takes.PLACE and line.lower(at) not in ("a", "an")


def _worded(line: Line, at: int, takes: Takes) -> tuple[Thing | None, int]:
    span, end = noun_phrase(line, at)
    if span is None:
        return None, at
    said = span.of(line.scene.text)
    before = line.lower(at - 1) if takes is Takes.OWNED else line.lower(at)
    kept = is_worth_saying(takes, before, said.split())
    return (Thing(span, value=said) if kept else None), end


def _activity(line: Line, at: int, takes: Takes) -> tuple[Thing | None, int]:
    """Read something one does, with all that belongs to it: "running my own studio", "walking along the river"."""
    end = at
    while end < len(line.sentence) and end - at < _LONGEST_ACTIVITY and line.sentence.words[end][0].isalnum():
        if line.lower(end) in _CLAUSE_ENDS or (takes is Takes.CHOICE and end > at and line.lower(end) in _COMPARED):
            break
        end += 1
    last = end
    while last > at + 1 and line.lower(last - 1) in _LOOSE_ENDS:
        last -= 1
    while line.lower(at) in ADVERBS:
        at += 1
    if line.lower(last - 1) in CUTS or _breaks_off(line, last) or not is_activity(line.sentence.lower[at:last]):
        return None, max(end, at + 1)  # "escaping to that world"
    span = line.span(at, last)
    return Thing(span, value=span.of(line.scene.text)), last


def _breaks_off(line: Line, end: int) -> bool:
    """Say whether words end before their noun: "creating a safe, welcoming place"."""
    return line.lower(end) == "," and line.lower(end - 2) in ("a", "an", "the")


def _called(line: Line, at: int) -> tuple[Thing | None, int]:
    if name := line.by_first.get(at):
        line.mention(name)
        span = line.span(name.first, name.end)
        return Thing(span, value=span.of(line.scene.text)), name.end
    return None, at


def _goes_on(line: Line, at: int) -> bool:
    """Say whether a name is only the first word of a thing: "Beatles songs", "LGBTQ+ groups"."""
    word = line.lower(at + (line.lower(at) == "+"))
    return (
        bool(word)
        and word[0].isalpha()
        and word not in CUTS
        and word not in ADVERBS
        and word not in PHRASES
        and word not in ("n't", "any")
    )


def _joint(line: Line, at: int) -> int:
    """Return the token after "," or "and" between two of a list."""
    end = at
    while line.lower(end) in (",", "and", "or") and end - at < 2:
        end += 1
    return end


def _is_listed(line: Line, end: int, thing: Thing | None, before: Thing) -> bool:
    """Say whether what was found after "and" is another object and no new subject: "tea and my sister hates it"."""
    if thing is None:
        return True
    if (
        before.value
        and is_doing(before.value.lower().split()[0])
        and not is_doing((thing.value or "").lower().split(" ")[0])
    ):
        return before.value.count(" ") == 0  # "going on trips with friends and family"
    following = line.lower(end)
    if (
        following
        and following not in _ENDS
        and following not in ("and", "or", "but", "because", "with", "in", "at", "on", "for", "when")
    ):
        return False
    words = thing.span.of(line.scene.text).lower().split()
    if thing.name is None and is_doing(words[0]) and line.lower(end) not in _ENDS | {"", "and", "or"}:
        return len(words) > 1
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
