"""Reads what something is: a role, an age, a relative of somebody, a name. Knows no other verb than "to be"."""

from __future__ import annotations

from dataclasses import replace

from mindlog.knowledge.extract.objects import noun_phrase
from mindlog.knowledge.extract.phrases import is_role
from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.subjects import Subject, is_person, subject_ending
from mindlog.knowledge.extract.things import read_pronoun
from mindlog.knowledge.extract.verbs import longest
from mindlog.knowledge.extract.words import ADVERBS, BE, CUTS, MODALS
from mindlog.knowledge.extraction import SPEAKER, EntityKind, Rejection, Span, ValueType
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.wordlist import wordlist

__all__ = ["read_copulas"]

_PRESENT = frozenset({"am", "is", "are", "'m", "'s", "'re"})
_ROLES = {"ceo": "ceo_of", "founder": "founder_of", "co-founder": "founder_of", "director": "director_of", "head": "head_of",
          "president": "president_of", "owner": "owner_of", "author": "author_of", "member": "member_of", "manager": "manager_of",
          "capital": "capital_of"}  # fmt: skip
_AGES = wordlist(
    "three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)
_DIETS = wordlist("vegetarian vegan pescatarian coeliac celiac lactose-intolerant gluten-free kosher halal")


def read_copulas(line: Line) -> None:
    """Add the claims that a sentence makes with "to be" in the present."""
    for at in range(1, len(line.sentence)):
        if line.lower(at) in _PRESENT:
            _read(line, at)
            _inverted(line, at)


def _read(line: Line, be: int) -> None:
    at = be + 1
    negated = False
    while line.lower(at) in ADVERBS or line.lower(at) in ("n't", "not"):
        negated = negated or line.lower(at) in ("n't", "not")
        at += 1
    if at >= len(line.sentence) or longest(line.sentence.lower, at):
        return
    if line.lower(be - 1) == "it":
        read_pronoun(line, be - 1)
    subject = subject_ending(line, be - 1)
    if subject is None or not (found := _complements(line, subject, at)):
        return
    doubt = subject.doubt or (Rejection.NEGATED if negated else None)
    if doubt:
        line.scene.draft.reject(doubt)
        return
    evidence = Span(line.sentence.spans[subject.first].start, found[-1][1].span.end)
    for predicate, thing in found:
        for who in subject.who:
            _say(line, replace(subject, who=(who,)), predicate, thing, evidence)


def _say(line: Line, subject: Subject, predicate: str, thing: Thing, evidence: Span) -> None:
    # A relative is named the other way round only in "Grace is my sister": subject and object stand as they are said.
    line.say(subject.who[0], predicate, thing, evidence, subject.confidence - 0.05)


def _inverted(line: Line, be: int) -> None:
    """Read "the capital of Kenya is Nairobi"."""
    target, name = line.by_end.get(be), line.by_first.get(be + 1)
    first = target.first - 1 if target else 0
    first -= line.lower(first) == "the"
    role = _ROLES.get(line.lower(first - 1)) if line.lower(first) == "of" else None
    if target is None or name is None or role is None or line.lower(first - 2) != "the":
        return
    if doubt := line.doubt(first - 2):
        line.scene.draft.reject(doubt)
        return
    kind = None if role == "capital_of" else EntityKind.PERSON
    thing = Thing(line.span(target.first, target.end), name=line.mention(target))
    line.say(line.mention(name, kind, 0.8), role, thing, line.span(first - 2, name.end), 0.75)


def _complements(line: Line, subject: Subject, at: int) -> list[tuple[str, Thing]]:
    word = line.lower(at)
    if word.isdecimal() or word in _AGES:
        return _age(line, subject, at)
    if word in _DIETS:
        return [("follows_diet", _words(line, at, at + 1))]
    if word in ("my", "our") and line.lower(at + 1) in KIN:
        return [(KIN[line.lower(at + 1)].predicate, Thing(line.span(at, at + 2), name=line.scene.speaker))]
    if name := line.by_first.get(at):
        return _named(line, subject, at, name.end)
    if word in ("a", "an", "the") or word in ("vp", "ceo", "cto", "cfo"):
        return _role(line, subject, at)
    return []


def _age(line: Line, subject: Subject, at: int) -> list[tuple[str, Thing]]:
    following = line.lower(at + 1)
    old = following in ("years", "year") and line.lower(at + 2) == "old"
    if not old and following and following not in CUTS and following not in (".", ",", "!", ";"):
        return []
    if (
        not is_person(line, subject.who[0])
        or (len(line.lower(at)) > 3 and line.lower(at).isdecimal())
        or (not old and subject.confidence < 0.7)
    ):
        return []
    number = line.span(at, at + 1)
    return [("has_age", Thing(number, value=number.of(line.scene.text), value_type=ValueType.NUMBER))]


def _named(line: Line, subject: Subject, at: int, end: int) -> list[tuple[str, Thing]]:
    name = line.by_first[at]
    if line.lower(end) == "'s" and (kin := KIN.get(line.lower(end + 1))):
        return [(kin.predicate, Thing(line.span(at, end + 2), name=line.mention(name, EntityKind.PERSON, 0.8)))]
    if (
        subject.who[0] in (SPEAKER, line.scene.speaker)
        and line.lower(subject.first) == "i"
        and name.kind in (EntityKind.PERSON, EntityKind.OTHER)
    ):
        if line.lower(end) in ("'s",) or line.lower(end) in BE or line.lower(end) in MODALS:
            return []
        line.mention(name, EntityKind.PERSON, 0.8)
        return [("has_name", _words(line, at, end))]
    return []


def _role(line: Line, subject: Subject, at: int) -> list[tuple[str, Thing]]:
    first = at + 1 if line.lower(at) in ("a", "an", "the") else at
    if (role := _ROLES.get(line.lower(first))) and line.lower(first + 1) == "of":
        target = first + 3 if line.lower(first + 2) == "the" else first + 2
        if name := line.by_first.get(target):
            return [(role, Thing(line.span(first, name.end), name=line.mention(name)))]
    if line.scene.is_owned(subject.who[0]):
        return _make(line, first)
    if line.lower(subject.first) == "it":
        return []  # of anything: "it's a great story"
    span, end = noun_phrase(line, at)
    said = span.of(line.scene.text).lower().split(" of ")[0].split() if span else []
    if span is None or line.lower(at) == "the" or not is_role(said):
        return []
    found = [("is_a", Thing(span, value=span.of(line.scene.text)))]
    place = end + 1
    name = line.by_first.get(place)
    if name and line.lower(end) in ("at", "with", "for") and is_person(line, subject.who[0]):
        said = line.mention(name, EntityKind.ORGANIZATION, 0.8)
        found.append(("works_at", Thing(line.span(place, name.end), name=said)))
    elif name and line.lower(end) in ("from", "in"):
        said = line.mention(name, EntityKind.PLACE, 0.75)
        predicate = "from" if line.lower(end) == "from" else "located_in"
        if (
            predicate == "from"
            or not is_person(line, subject.who[0])
            or line.scene.draft.kind_of(subject.who[0]) is EntityKind.OTHER
        ):
            found.append((predicate, Thing(line.span(place, name.end), name=said)))
    return found


def _make(line: Line, at: int) -> list[tuple[str, Thing]]:
    """Read "my car is a Toyota Corolla"; what else a thing is said to be is mostly praise."""
    name = line.by_first.get(at)
    if name is None:
        return []
    return [("is_a", Thing(line.span(at, name.end), name=line.mention(name, EntityKind.PRODUCT, 0.7)))]


def _words(line: Line, first: int, end: int) -> Thing:
    span = line.span(first, end)
    return Thing(span, value=span.of(line.scene.text))
