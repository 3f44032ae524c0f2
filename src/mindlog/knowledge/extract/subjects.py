"""Reads backwards from a verb: who it is said of, and whether it is stated, denied, asked or only supposed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mindlog.knowledge.extract.scene import Line
from mindlog.knowledge.extract.words import ADVERBS, AUXILIARIES, BE, MODALS, NEGATIONS
from mindlog.knowledge.extraction import EntityKind, Rejection
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.wordlist import wordlist

__all__ = ["Subject", "is_person", "subject_before", "subject_ending"]

_NO_PARTICIPLES = wordlist("like love hate use have own study play teach")  # "it is like ..."
_FILLERS = ADVERBS | AUXILIARIES | MODALS | NEGATIONS
_PERFECT = frozenset({"have", "has", "'ve", "'s"})
_PAST = frozenset({"was", "were", "had"})
_SPEAKERS = frozenset({"i", "we"})
_PREPOSITIONS = wordlist("of from with for in at by to about on near like than behind")
_MINE = frozenset({"my", "our"})
_MOST_FILLERS = 7


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
    subject = subject_ending(line, at, inherited)
    if subject is None or (said & BE and line.lower(verb) in _NO_PARTICIPLES):
        return None
    doubt = subject.doubt or (Rejection.HYPOTHETICAL if said & MODALS else None)
    return replace(
        subject, negated=bool(said & NEGATIONS), past=bool(said & _PAST), perfect=bool(said & _PERFECT), doubt=doubt
    )


def subject_ending(line: Line, at: int, inherited: Subject | None = None) -> Subject | None:
    """Return the subject whose last token is at an index."""
    word, scene = line.lower(at), line.scene
    if word == "," and (name := line.by_end.get(at)) and line.lower(name.first - 1) == ",":
        return _named(line, name.first)  # my brother, Paul, plays
    if word in ("and", "but", "then", ",") and inherited:
        kept = None if word == "but" and inherited.doubt is not Rejection.QUESTION else inherited.doubt
        return replace(inherited, doubt=kept)
    if word in _SPEAKERS:
        return _found(line, (scene.speaker,), at, 0.85)
    if word in ("he", "she") and (person := line.person_before(at)):
        return _found(line, (person,), at, 0.6)
    if word == "it" and scene.thing:
        return _found(line, (scene.thing,), at, 0.5)
    if name := line.by_end.get(at + 1):
        # "the invoice from Acme costs": it is not Acme that costs.
        return None if line.lower(name.first - 1) in _PREPOSITIONS else _named(line, name.first)
    return _relative(line, at)


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
    if kin is None:
        return None
    if line.lower(at - 1) in _MINE:
        name = line.scene.kin.get(line.lower(at)) or line.scene.name(line.span(at - 1, at + 1), kin.kind, 0.6)
        return _found(line, (name,), at - 1, 0.75)
    if line.lower(at - 1) == "'s" and (owner := line.by_end.get(at - 1)):
        name = line.scene.name(line.span(owner.first, at + 1), kin.kind, 0.5)
        return _found(line, (name,), owner.first, 0.6)
    return None


def _found(line: Line, who: tuple[str, ...], first: int, confidence: float) -> Subject:
    return Subject(who, first, confidence, doubt=line.doubt(first))


def is_person(line: Line, who: str) -> bool:
    """Say whether a subject can be a person."""
    kind = line.scene.draft.kind_of(who)
    return kind in (None, EntityKind.PERSON, EntityKind.OTHER)
