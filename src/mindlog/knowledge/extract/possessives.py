"""Reads what belongs to whom: relatives and their names, favourites, names, birthdays and contact data."""

from __future__ import annotations

import re

from mindlog.knowledge.extract.gazetteer import TITLES
from mindlog.knowledge.extract.names import Name
from mindlog.knowledge.extract.objects import noun_phrase
from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.things import read_thing
from mindlog.knowledge.extraction import EntityKind, Rejection, Span, ValueType
from mindlog.knowledge.kin import KIN, PETS
from mindlog.knowledge.wordlist import wordlist

__all__ = ["read_contacts", "read_possessives"]

_BE = frozenset({"is", "are", "'s"})
_CONTACT_BEFORE = re.compile(
    r"(?:(?:^|[^\w])(?P<whose>my|our|his|her|[^\W\d_a-z]\w{1,30}['’]s)\s+(?:\w{1,12}\s+)?(?:e-?mail|phone|mobile|cell|number|website|site"
    r"|homepage|blog|handle|twitter|github|instagram|telegram|linkedin|profile)(?:\s+(?:address|number|handle))?(?:\s+is|:|\s+at)?"
    r"|(?P<me>(?:reach|e-?mail|call|text|ping|message|contact|find|follow|dm)\s+me)(?:\s+(?:at|on|via|under))?)\s*(?:now\s+)?[:]?\s*$",
    re.IGNORECASE,
)
_NO_FAVOURITE = wordlist("one ones thing things part to of about")
_NEAR = 80
_CLOSE = wordlist(
    "best good close closest old older oldest elder eldest younger youngest little big dear new former late beloved twin only"
)


def read_contacts(line: Line) -> None:
    """Add to whom the contact data of a sentence belongs."""
    text, sentence = line.scene.text, line.sentence
    for predicate, span in line.contacts:
        start = span.start
        match = _CONTACT_BEFORE.search(text, max(sentence.start, start - _NEAR), start)
        if match and (owner := _owner_of_contact(line, match)):
            if line.sentence.is_question:
                line.scene.draft.reject(Rejection.QUESTION)
                continue
            thing = Thing(span, value=span.of(text), value_type=ValueType.CONTACT)
            line.say(
                owner,
                predicate,
                thing,
                Span(match.start("whose") if match["whose"] else match.start("me"), span.end),
                0.9,
            )


def _owner_of_contact(line: Line, match: re.Match[str]) -> str | None:
    whose = (match["whose"] or "my").lower()
    if whose in ("my", "our"):
        return line.scene.speaker if line.scene.says(match.start()) else None
    if whose in ("his", "her"):
        return line.scene.person
    for name in line.names:
        if line.span(name.first, name.end).end == match.end("whose") - 2:
            return line.mention(name)
    return None


def read_possessives(line: Line) -> None:
    """Add what a sentence says with "my", "our", "his", "her" or "Grace's"."""
    for at in range(len(line.sentence) - 1):
        owner, first = _owner(line, at)
        if owner is None:
            continue
        word = line.lower(at + 1)
        if (kin := _kin(line, at + 1)) is not None:
            _relative(line, owner, first, kin)
        elif word in ("favourite", "favorite", "favourites", "favorites"):
            _favourite(line, owner, first, at + 2)
        elif word == "name" and line.lower(at + 2) in _BE and line.lower(at) not in ("his", "her"):
            _name(line, owner, first, at + 3)
        elif word == "birthday":
            _birthday(line, owner, first, at + 2)
        else:
            read_thing(line, owner, first, at + 1)


def _kin(line: Line, at: int) -> int | None:
    """Return the token of a relation word after what may stand before one: "best friend"."""
    while line.lower(at) in _CLOSE:
        at += 1
    word = line.lower(at)
    return at if word in KIN or word.removesuffix("s") in KIN else None


def _owner(line: Line, at: int) -> tuple[str | None, int]:
    word = line.lower(at)
    if word in ("my", "our"):
        return line.scene.speaker if line.is_mine(at) else None, at
    if word in ("his", "her"):
        return line.person_before(at), at
    if word == "'s" and (name := line.by_end.get(at)):
        return line.mention(name), name.first
    return None, at


def _relative(line: Line, owner: str, first: int, at: int) -> None:
    """Read who a relative is; of an animal without a name, what is said of it."""
    found = _relative_name(line, first, at)
    if found is None:
        if line.lower(at) in PETS:
            read_thing(line, owner, first, at)
        return
    doubt = line.doubt(first) if line.lower(found.first - 1) in _BE else None
    if doubt is Rejection.QUESTION:
        line.scene.draft.reject(doubt)
        return
    # Naming one's sister is no guess even inside an "if" or a question.
    while found is not None:
        _say_relative(line, owner, first, at, found)
        plural = line.lower(at).endswith("s") and line.lower(found.end) == "and"
        found = line.by_first.get(found.end + 1) if plural else None


def _relative_name(line: Line, first: int, at: int) -> Name | None:
    """Return the name in "my sister Grace", "my sister, Grace,", "my sister is called Grace", "my sister's name is Grace"."""
    start = at + 1
    if line.lower(start) == ",":
        start += 1
    elif line.lower(start) in _BE and line.lower(start + 1) in ("called", "named", "name"):
        start += 2 + (line.lower(start + 1) == "name")
    elif line.lower(start) in _BE or line.lower(start) in ("named", "called"):
        start += 1
    comma, be = line.lower(start - 1) == ",", line.lower(start - 1) in _BE
    while line.lower(start) in TITLES or (line.lower(start) == "." and line.lower(start - 1) in TITLES):
        start += 1
    found = line.by_first.get(start)
    if found is None:
        return _named_before(line, first, at)
    if comma and line.lower(found.end) != "," and found.end < len(line.sentence) - 1:
        return None
    # "my boss is Grace's brother"
    return None if be and line.lower(found.end) == "'s" else found


def _say_relative(line: Line, owner: str, first: int, at: int, name: Name) -> None:
    kin = KIN.get(line.lower(at)) or KIN[line.lower(at).removesuffix("s")]
    said = line.mention(name, kin.kind, 0.9 if kin.kind is EntityKind.PERSON else 0.6)
    line.scene.kin.setdefault(line.lower(at), said)
    evidence = line.span(min(first, name.first), max(at + 1, name.end))
    line.say(said, kin.predicate, Thing(line.span(first, at + 1), name=owner), evidence, 0.85)
    if line.lower(at) in PETS:
        line.say(said, "is_a", _words_of(line, at, at + 1), evidence, 0.8)


def _named_before(line: Line, first: int, at: int) -> Name | None:
    """Return the name before an apposition: "Samuel, my brother, ..."."""
    name = line.by_end.get(first - 1) if line.lower(first - 1) == "," and line.lower(at + 1) in (",", ".", "") else None
    return name if name and name.kind in (EntityKind.PERSON, EntityKind.OTHER) else None


def _words_of(line: Line, first: int, end: int) -> Thing:
    span = line.span(first, end)
    return Thing(span, value=span.of(line.scene.text))


def _favourite(line: Line, owner: str, first: int, at: int) -> None:
    end = at
    while end < len(line.sentence) and end - at < 4 and line.lower(end) not in _BE and line.lower(end)[0].isalpha():
        end += 1
    be = line.lower(end)
    if end == at or be not in _BE:
        return
    said = line.sentence.lower[at:end]
    noun = "" if _NO_FAVOURITE.intersection(said) else "_".join(word for word in said if word.isalpha())
    value = end + 1 + (line.lower(end + 1) in ("now", "still", "definitely", "probably"))
    if (line.doubt(first) or line.lower(value) in ("n't", "not")) and noun:
        line.scene.draft.reject(line.doubt(first) or Rejection.NEGATED)
        return
    thing = _thing(line, value)
    if thing and noun:
        line.say(owner, f"favourite_{noun}", thing, Span(line.sentence.spans[first].start, thing.span.end), 0.9)


def _thing(line: Line, at: int) -> Thing | None:
    name = line.by_first.get(at + (line.lower(at) in ("the", "a")))
    if name:
        return Thing(line.span(name.first, name.end), name=line.mention(name))
    span, _ = noun_phrase(line, at)
    return Thing(span, value=span.of(line.scene.text)) if span else None


def _name(line: Line, owner: str, first: int, at: int) -> None:
    if doubt := line.doubt(first):
        line.scene.draft.reject(doubt)
        return
    name = line.by_first.get(at)
    end = name.end if name else at + 1
    if at >= len(line.sentence) or not line.lower(at)[0].isalpha() or line.lower(at) in ("not", "a", "the", "on", "in"):
        return
    span = line.span(at, end)
    line.scene.draft.mention(span, EntityKind.PERSON, 0.9)
    line.say(owner, "has_name", Thing(span, value=span.of(line.scene.text)), line.span(first, end), 0.9)


def _birthday(line: Line, owner: str, first: int, at: int) -> None:
    if line.lower(at) not in _BE:
        return
    begin = line.sentence.spans[at].end
    date = next((d for d in line.dates if 0 <= d.span.start - begin <= 12), None)
    if date is None:
        return
    if doubt := line.doubt(first):
        line.scene.draft.reject(doubt)
        return
    thing = Thing(date.span, value=date.phrase, value_type=ValueType.DATE)
    line.say(owner, "has_birthday", thing, Span(line.sentence.spans[first].start, date.span.end), 0.9)
