"""Reads backwards from a verb: who it is said of, and whether it is stated, denied, asked or only supposed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mindlog.knowledge.extract.belongings import HOMES, PRODUCTS, own
from mindlog.knowledge.extract.names import Name
from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.words import ADVERBS, AUXILIARIES, BE, MODALS, NEGATIONS
from mindlog.knowledge.extraction import EntityKind, Rejection
from mindlog.knowledge.kin import KIN, Kin
from mindlog.knowledge.wordlist import wordlist

__all__ = ["Subject", "is_person", "subject_before", "subject_ending"]

_NO_PARTICIPLES = wordlist("like love hate use have own study play teach")  # "it is like ..."
# In the present of one person they need an "s" or a "does"; without it they are nouns.
_BASE_FORMS = wordlist(
    "like love enjoy hate dislike use study play work own speak prefer collect teach live read have left run"
)
_BREAKS = frozenset({"-", "–", "—", "(", ")", ":", ";", '"', "“", "”"})
_FILLERS = ADVERBS | AUXILIARIES | MODALS | NEGATIONS
_PERFECT = frozenset({"have", "has", "'ve", "'s"})
_PAST = frozenset({"was", "were", "had"})
_PRESENT = frozenset({"am", "is", "are", "'m", "'re"})
_SPEAKERS = frozenset({"i", "we"})
_PREPOSITIONS = wordlist("of from with for in at by to about on near like than behind")
_MINE = frozenset({"my", "our"})
_MOST_FILLERS = 7
# Relatives of whom one has many: without a name nobody knows which.
_COMMON = wordlist(
    """
friend_of neighbour_of roommate_of colleague_of cousin_of niece_of nephew_of aunt_of uncle_of student_of teacher_of child_of parent_of
grandchild_of pet_of assistant_of
"""
)


@dataclass(frozen=True, slots=True)
class Subject:
    """Who; the token its words begin at; how the verb is said of it."""

    who: tuple[str, ...]
    first: int
    confidence: float
    negated: bool = False
    past: bool = False
    perfect: bool = False
    doubt: Rejection | None = None
    is_far: bool = False  # a pronoun that means somebody of an earlier memory


def subject_before(line: Line, verb: int, inherited: Subject | None) -> Subject | None:
    """Return the subject of the verb at a token, None if its words are not next to it.

    After "and" it is the `inherited` one: "I live in Porto and work at Siemens".
    """
    at, said = verb - 1, set[str]()
    while at >= 0 and verb - at <= _MOST_FILLERS and line.lower(at) in _FILLERS:
        said.add(line.lower(at))
        at -= 1
    if line.lower(at) in ("who", "which"):
        at -= 2 if line.lower(at - 1) == "," else 1
    if inherited and not _carries_on(line, inherited, at, line.lower(verb)):
        inherited = None
    subject = subject_ending(line, at, inherited)
    if subject is None or not _agrees(line, subject, line.lower(verb), said):
        return None
    doubt = subject.doubt or (Rejection.HYPOTHETICAL if said & MODALS else None)
    return replace(
        subject, negated=bool(said & NEGATIONS), past=bool(said & _PAST), perfect=bool(said & _PERFECT), doubt=doubt
    )


def _carries_on(line: Line, inherited: Subject, at: int, verb: str) -> bool:
    """Say whether a subject is still that of a verb after "and" or a comma at a token."""
    if verb == "like" and line.lower(at) == ",":
        return False  # "tools I use, like hammers"
    return _BREAKS.isdisjoint(line.sentence.words[inherited.first : at])


def _agrees(line: Line, subject: Subject, verb: str, said: set[str]) -> bool:
    """Say whether the word is a verb here, and this subject's: "a Canadian study visa" studies nothing."""
    if said & BE:
        return verb not in _NO_PARTICIPLES
    if verb == "into":
        return False
    first_person = line.lower(subject.first) in _SPEAKERS or line.scene.speaker in subject.who
    agreed = first_person or len(subject.who) > 1 or bool(said) or subject.doubt is not None
    return agreed or verb not in _BASE_FORMS


def subject_ending(line: Line, at: int, inherited: Subject | None = None) -> Subject | None:
    """Return the subject whose last token is at an index."""
    word, scene = line.lower(at), line.scene
    if word == "," and (name := _apposed(line, at)):
        return _named(line, name.first)
    if word == "and" and inherited is None:
        inherited = _of_copula(line, at)
    if word in ("and", "but", "then", ",") and inherited:
        kept = None if word == "but" and inherited.doubt is not Rejection.QUESTION else inherited.doubt
        return replace(inherited, doubt=kept)
    if word in _SPEAKERS:
        return _found(line, (scene.speaker,), at, 0.85) if line.is_mine(at) else None
    if word in ("he", "she") and (person := line.person_before(at)):
        return _found(line, (person,), at, 0.6)
    if word == "it" and scene.thing:
        return _found(line, (scene.thing,), at, 0.5)
    if word in ("he", "she", "it") and (far := scene.before(word, line.span(at, at + 1))):
        return replace(_found(line, (far,), at, 0.45), is_far=True)
    if name := line.by_end.get(at + 1):
        # "the invoice from Acme costs": it is not Acme that costs.
        return None if line.lower(name.first - 1) in _PREPOSITIONS else _named(line, name.first)
    return _relative(line, at) or _thing(line, at)


def _of_copula(line: Line, at: int) -> Subject | None:
    """Return the subject of the "to be" before an "and" at a token: "Lena is 41 and speaks Dutch"."""
    be = next((be for be in range(at - 1, 0, -1) if line.lower(be) in _PRESENT), None)
    if be is None or not _BREAKS.isdisjoint(line.sentence.words[be:at]):
        return None
    return None if line.lower(be - 1) in ("and", ",", "it") else subject_ending(line, be - 1)


def _apposed(line: Line, at: int) -> Name | None:
    """Return the name that the comma at a token closes: "my brother, Paul, plays", "Paul, my brother, plays"."""
    name = line.by_end.get(at)
    if name and line.lower(name.first - 1) == ",":
        return name
    apart = line.lower(at - 1) in KIN and line.lower(at - 2) in _MINE and line.lower(at - 3) == ","
    return line.by_end.get(at - 3) if apart else None


def _named(line: Line, first: int) -> Subject:
    who = [line.mention(line.by_first[first])]
    while line.lower(first - 1) in ("and", ",") and (other := line.by_end.get(first - 1)):
        if line.lower(first - 1) == "," and len(who) == 1:
            break  # "In Porto, Grace ..." is no list
        first = other.first
        who.insert(0, line.mention(other))
    return _found(line, tuple(who), first, 0.75)


def _relative(line: Line, at: int) -> Subject | None:
    """Return "my sister" as a subject: by her name if the text has told it, by these words if not."""
    kin = KIN.get(line.lower(at))
    if kin is None or line.lower(at - 2) in _PREPOSITIONS:
        return None
    if line.lower(at - 1) in _MINE and line.is_mine(at):
        name = line.scene.kin.get(line.lower(at)) or _unnamed(line, kin, at - 1, at, line.scene.speaker)
        return _found(line, (name,), at - 1, 0.75) if name else None
    if line.lower(at - 1) == "'s" and (owner := line.by_end.get(at - 1)):
        name = _unnamed(line, kin, owner.first, at, line.mention(owner))
        return _found(line, (name,), owner.first, 0.6) if name else None
    return None


def _unnamed(line: Line, kin: Kin, first: int, at: int, owner: str) -> str | None:
    """Mention a relative by the words for him and say whose he is; None where many can be meant: "my friend"."""
    if kin.predicate in _COMMON:
        return None
    span = line.span(first, at + 1)
    name = line.scene.name(span, kin.kind, 0.6)
    line.say(name, kin.predicate, Thing(span, name=owner), span, 0.7)
    return name


def _thing(line: Line, at: int) -> Subject | None:
    """Return "my car" as a subject."""
    if line.lower(at) not in PRODUCTS | HOMES or line.lower(at - 1) not in _MINE or not line.is_mine(at):
        return None
    if line.lower(at - 2) in _PREPOSITIONS:
        return None
    name = own(line, line.scene.speaker, at - 1, at, at + 1)
    return _found(line, (name,), at - 1, 0.7) if name else None


def _found(line: Line, who: tuple[str, ...], first: int, confidence: float) -> Subject:
    return Subject(who, first, confidence, doubt=line.doubt(first))


def is_person(line: Line, who: str) -> bool:
    """Say whether a subject can be a person."""
    kind = line.scene.draft.kind_of(who)
    return kind in (None, EntityKind.PERSON, EntityKind.OTHER)
