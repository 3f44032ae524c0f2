"""Reads subject, verb and object out of a sentence by the table of verbs. Owns what tense and denial make of a predicate."""

from __future__ import annotations

from mindlog.knowledge.extract.objects import objects_after
from mindlog.knowledge.extract.phrases import is_doing
from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.subjects import Subject, is_person, subject_before
from mindlog.knowledge.extract.verbs import OF_PERSONS, OF_THINGS, Takes, Verb, is_believed, longest
from mindlog.knowledge.extraction import EntityKind, Rejection, Span
from mindlog.knowledge.kin import KIN, PETS
from mindlog.knowledge.predicates import Cardinality, predicate
from mindlog.knowledge.wordlist import wordlist

__all__ = ["read_statements"]

# "X was founded by Y" says that Y founded X.
_PASSIVES = {"founded": "founded", "acquired": "acquired", "written": "wrote", "invented": "invented", "designed": "designed",
             "created": "created", "built": "built", "developed": "created", "owned": "owns", "led": "leads", "managed": "manages"}  # fmt: skip
_WHAT = wordlist("what which whom things thing everything something anything stuff place places")
_FURTHER = {
    "moved_from": ("to", Verb(predicate="moved_to", takes=Takes.PLACE)),
    "studies": ("at", Verb(predicate="studies_at", takes=Takes.ORGANIZATION)),
    "studied": ("at", Verb(predicate="studied_at", takes=Takes.ORGANIZATION)),
    "switched_from": ("to", Verb(predicate="switched_to", takes=Takes.TOOL)),
    "teaches": ("at", Verb(predicate="works_at", takes=Takes.ORGANIZATION)),
}
# "I have lived in Porto since 2015" is of today.
_STILL = {"lived_in": "lives_in", "worked_at": "works_at", "worked_as": "works_as", "studied_at": "studies_at"}
_LESS = frozenset({"over", "to", "than"})


def read_statements(line: Line) -> None:
    """Add the claims a sentence makes with verbs of the table."""
    at, inherited = 0, None
    while at < len(line.sentence):
        if line.lower(at + 1) == "by" and line.lower(at) in _PASSIVES:
            _passive(line, at)
            at += 2
            continue
        found = longest(line.sentence.lower, at)
        if found is None:
            at += 1
            continue
        end, verb = found
        subject = subject_before(line, at, inherited)
        if subject is not None:
            end = _said(line, subject, verb, end)
            inherited = subject
        at = end


def _said(line: Line, subject: Subject, verb: Verb, at: int) -> int:
    name = verb.past if subject.past and verb.past else verb.predicate
    many = predicate(name).cardinality is Cardinality.MANY
    things, end = objects_after(line, at, verb.takes, listed=many)
    if not things and name == "visited":
        name, (things, end) = "attended", objects_after(line, at, Takes.OCCASION, listed=True)
    if not things or _is_aside(line, subject, name):
        return max(at, end)
    said = _denied(line, subject, verb, name)
    if said is None:
        return end
    name, negated = said
    if _says_nothing(subject, name, things[0]):
        return end
    evidence = Span(line.sentence.spans[subject.first].start, things[-1].span.end)
    if subject.perfect and name in _STILL and line.is_since(evidence):
        name = _STILL[name]
    if name == "has_name" and things[0].value and is_person(line, subject.who[0]):
        line.scene.name(things[0].span, EntityKind.PERSON, 0.7)
    for who in subject.who:
        if name in OF_PERSONS and line.scene.draft.kind_of(who) is EntityKind.OTHER:
            _as_person(line, who)
        for thing in things:
            line.say(who, name, thing, evidence, subject.confidence, negated=negated)
    if name == "prefers":
        return _compared(line, subject, things[-1], end, evidence)
    return _further(line, subject, name, end) if name in _FURTHER else end


def _is_aside(line: Line, subject: Subject, name: str) -> bool:
    """Say whether the verb does not say of the subject what it seems to: "the things I love", "I run them on GitHub"."""
    if name in ("likes", "dislikes") and line.lower(subject.first - 1) in _WHAT:
        return True
    if name in OF_THINGS and any(who == line.scene.speaker for who in subject.who):
        return True
    return not is_believed(name, line.lower(subject.first), far=subject.is_far)


def _says_nothing(subject: Subject, name: str, thing: Thing) -> bool:
    """Say whether it repeats what the names say already: "my boss is called Henrik", "has two sons"."""
    if name == "has_name":
        return thing.value in subject.who
    words = (thing.value or "").lower().split()
    return (
        name == "has"
        and bool(words)
        and (words[-1] in KIN or words[-1].removesuffix("s") in KIN)
        and words[-1] not in PETS
    )


def _further(line: Line, subject: Subject, name: str, at: int) -> int:
    """Add what a second preposition says: "moved from Bern to Basel", "studies medicine at Heidelberg University"."""
    word, verb = _FURTHER[name]
    if line.lower(at) != word:
        return at
    things, end = objects_after(line, at + 1, verb.takes, listed=False)
    for thing in things:
        evidence = Span(line.sentence.spans[subject.first].start, thing.span.end)
        for who in subject.who:
            line.say(who, verb.predicate, thing, evidence, subject.confidence)
    return end


def _denied(line: Line, subject: Subject, verb: Verb, name: str) -> tuple[str, bool] | None:
    """Return the predicate and whether it is denied; None, counted, if it is no statement."""
    if subject.doubt is not None:
        line.scene.draft.reject(subject.doubt)
        return None
    if not subject.negated:
        return name, False
    if verb.denied:
        return verb.denied, False
    if verb.ended and name == verb.predicate:
        return name, True
    line.scene.draft.reject(Rejection.NEGATED)
    return None


def _compared(line: Line, subject: Subject, preferred: Thing, at: int, evidence: Span) -> int:
    """Add what is preferred less: "tea over coffee", "walking to driving"; what one walks "to see" is no less liked."""
    if line.lower(at) == "rather":
        at += 1
    doing = preferred.value is not None and is_doing(preferred.value.lower().split()[0])
    if line.lower(at) not in _LESS or (doing and line.lower(at) == "to" and not is_doing(line.lower(at + 1))):
        return at
    things, end = objects_after(line, at + 1, Takes.TASTE, listed=False)
    for thing in things:
        wide = Span(evidence.start, thing.span.end)
        for who in subject.who:
            line.say(who, "prefers_less", thing, wide, subject.confidence - 0.1)
    return end


def _as_person(line: Line, who: str) -> None:
    for name in line.names:
        span = line.span(name.first, name.end)
        if span.of(line.scene.text) == who:
            line.scene.name(span, EntityKind.PERSON, 0.76)


def _passive(line: Line, at: int) -> None:
    subject = subject_before(line, at, None)
    agents, end = objects_after(line, at + 2, Takes.NAME, listed=True)
    if subject is None or not agents:
        return
    if subject.doubt or subject.negated:
        line.scene.draft.reject(subject.doubt or Rejection.NEGATED)
        return
    first = line.sentence.spans[subject.first]
    for thing in subject.who:
        for agent in agents:
            target = Thing(first, name=thing)
            line.say(agent.name or "", _PASSIVES[line.lower(at)], target, line.span(subject.first, end), 0.7)
