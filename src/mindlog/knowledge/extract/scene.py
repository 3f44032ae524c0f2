"""What a reader of statements has before it: one sentence with its names, and what the text has said so far.

Owns who "I", "she" and "my sister" are; knows no verb.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from mindlog.knowledge.dates import says_since
from mindlog.knowledge.extract.coreference import antecedent
from mindlog.knowledge.extract.draft import Draft
from mindlog.knowledge.extract.names import Name
from mindlog.knowledge.extract.times import validity
from mindlog.knowledge.extract.tokens import Sentence
from mindlog.knowledge.extract.words import HEDGES, RESETS
from mindlog.knowledge.extraction import (
    SPEAKER,
    Claim,
    DateMention,
    EntityKind,
    Mention,
    Modality,
    Quantity,
    Rejection,
    Span,
    ValueType,
)
from mindlog.knowledge.wordlist import wordlist

__all__ = ["Line", "Scene", "Thing"]

# What "it" can mean; of a name nobody knows the kind of, it seldom does.
_THINGS = frozenset({EntityKind.ORGANIZATION, EntityKind.PRODUCT, EntityKind.PLACE, EntityKind.WORK})
_NEAR = 24  # characters between a claim and the time it is said of
_INVERTING = wordlist("do does did is are was were have has had can could would will should am")


@dataclass(frozen=True, slots=True)
class Thing:
    """What a claim is about: a mention's name, or words that name nothing (`value`)."""

    span: Span
    name: str | None = None
    value: str | None = None
    value_type: ValueType = ValueType.TEXT


@dataclass(slots=True)
class Scene:
    """One text as far as it has been read."""

    draft: Draft
    speaker: str = SPEAKER
    person: str | None = None  # who "he" or "she" is
    thing: str | None = None  # what "it" is
    own_thing: str | None = None  # what the sentence says of somebody's own; "it" is that rather than a place beside it
    kin: dict[str, str] = field(default_factory=dict[str, str])  # "sister": the name of the speaker's sister
    owners: dict[str, str] = field(default_factory=dict[str, str])  # "car": whose car the text speaks of
    earlier: Sequence[Mention] = ()  # what was said in the memories just before, the latest first
    author: str | None = None  # the name of whoever wrote the text
    speech: Sequence[Span] = ()  # what somebody else is quoted as saying

    @property
    def text(self) -> str:
        """The text that is read."""
        return self.draft.text

    def says(self, at: int) -> bool:
        """Say whether whoever speaks the text says the word at a character, and not somebody he quotes."""
        before = bisect_right(self.speech, at, key=lambda span: span.start)
        return before == 0 or self.speech[before - 1].end <= at

    def name(self, span: Span, kind: EntityKind, confidence: float) -> str:
        """Mention a name and remember it for the pronouns that follow."""
        name = self.draft.mention(span, kind, confidence)
        if self.draft.kind_of(name) in (EntityKind.PERSON, EntityKind.OTHER):
            self.person = name
        if self.draft.kind_of(name) in _THINGS:
            self.thing = name
        return name

    def own(self, span: Span, kind: EntityKind, owner: str) -> str | None:
        """Mention something somebody owns and remember it as what "it" means; None if it is another one's as well."""
        word = span.of(self.text).lower()
        if self.owners.setdefault(word, owner) != owner:
            return None  # one name cannot tell my car from Tom's
        self.thing = self.own_thing = self.draft.mention(span, kind, 0.7)
        return self.thing

    def is_owned(self, name: str) -> bool:
        """Say whether a name is the common one of something somebody owns."""
        return name.lower() in self.owners

    def before(self, pronoun: str, span: Span) -> str | None:
        """Return whom a pronoun means of the earlier memories, its place noted; None if nobody fits."""
        found = antecedent(pronoun, self.earlier, self.author)
        return self.draft.refer(span, found) if found else None


@dataclass(slots=True)
class Line:
    """One sentence of a scene."""

    scene: Scene
    sentence: Sentence
    names: list[Name]
    dates: list[DateMention]
    quantities: list[Quantity]
    contacts: list[tuple[str, Span]]  # the predicate that gives each to somebody, and its place
    by_first: dict[int, Name] = field(init=False)
    by_end: dict[int, Name] = field(init=False)

    def __post_init__(self) -> None:
        self.by_first = {name.first: name for name in self.names}
        self.by_end = {name.end: name for name in self.names}

    def span(self, first: int, end: int) -> Span:
        """Return the characters of tokens `first` to before `end`."""
        spans = self.sentence.spans
        return Span(spans[first].start, spans[end - 1].end)

    def is_mine(self, at: int) -> bool:
        """Say whether "I" or "my" at a token means the speaker."""
        return self.scene.says(self.sentence.spans[at].start)

    def lower(self, at: int) -> str:
        """Return a token in lower case, the empty string outside."""
        return self.sentence.lower[at] if 0 <= at < len(self.sentence) else ""

    def mention(self, name: Name, kind: EntityKind | None = None, confidence: float = 0.0) -> str:
        """Mention a name of this sentence; a kind that is given counts with its own confidence."""
        span = self.span(name.first, name.end)
        self.scene.name(span, name.kind, name.confidence)
        return self.scene.name(span, kind, confidence) if kind else span.of(self.scene.text)

    def person_before(self, at: int) -> str | None:
        """Return who "he" or "her" at a token can be: the last person before it, here or earlier in the text."""
        for name in reversed(self.names):
            if name.end <= at and name.kind in (EntityKind.PERSON, EntityKind.OTHER):
                return self.mention(name)
        return self.scene.person

    def date_of(self, evidence: Span) -> DateMention | None:
        """Return the time said beside some words of the sentence, the nearest if there are several."""
        near = min(self.dates, key=lambda date: _gap(date.span, evidence), default=None)
        return near if near and _gap(near.span, evidence) <= _NEAR else None

    def is_since(self, evidence: Span) -> bool:
        """Say whether words of the sentence hold since a time that is said beside them."""
        date = self.date_of(evidence)
        return date is not None and says_since(self.scene.text, date)

    def doubt(self, at: int) -> Rejection | None:
        """Return why what begins at a token is not stated as a fact, None if it is."""
        if self.sentence.is_question or self.lower(at - 1) in _INVERTING:
            return Rejection.QUESTION
        for before in range(at - 1, -1, -1):
            word = self.lower(before)
            if word in RESETS:
                break
            if word in HEDGES:
                return Rejection.HYPOTHETICAL
        return None

    def say(
        self, subject: str, predicate: str, thing: Thing, evidence: Span, confidence: float, *, negated: bool = False
    ) -> None:
        """Add a claim with the time its sentence gives it."""
        value_type = None if thing.name is not None else thing.value_type
        begin, end, phrase = validity(predicate, value_type, self.date_of(evidence), self.scene.text)
        self.scene.draft.claim(
            Claim(
                subject=subject,
                predicate=predicate,
                object=thing.name,
                value=None if thing.name is not None else thing.value,
                value_type=value_type,
                negated=negated,
                modality=Modality.ASSERTED,
                spans=(evidence,),
                valid_from=begin,
                valid_to=end,
                time_phrase=phrase,
                confidence=confidence,
                tier=self.scene.draft.tier,
            )
        )


def _gap(left: Span, right: Span) -> int:
    return max(left.start - right.end, right.start - left.end, 0)
