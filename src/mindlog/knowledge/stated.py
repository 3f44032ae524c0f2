"""What the claims of a text become: statements about entities, each with the words it rests on. Pure.

Owns how a value is compared and how a statement reads as a sentence; knows no group and no store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import regex

from mindlog.knowledge.extraction import SPEAKER, Claim, Modality, Rejection, Span, Tier, ValueType, name_key
from mindlog.knowledge.families import IMPLIED, consequence, family
from mindlog.knowledge.resolve import Resolved, owned_name
from mindlog.knowledge.wordlist import wordlist

__all__ = ["WEB_CONFIDENCE", "Identity", "Stated", "Witness", "of_the_web", "sentence", "stated", "value_key"]

WEB_CONFIDENCE = 0.3
"""The most confidence there is in what a text from the web says."""

Identity = tuple[int, str, int | None, str]
"""What makes two statements one: subject, predicate, object, the value's key. Entities are roots."""

_THOUSANDS = regex.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ZEROS = regex.compile(r"(?<=\d)\.(?!\d{3}(?!\d))(\d*?)0+(?!\d)")
_ORDINAL = regex.compile(r"(\d+)(?:st|nd|rd|th)")
_NUMBERS = frozenset({ValueType.NUMBER, ValueType.QUANTITY})

# What is no verb reads as "Anna is sister of Tom".
_IS = wordlist("located_in married_to engaged_to allergic_to scheduled_for dating from")
_WAS = wordlist("born_in born_on")
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """One stretch of the text that a statement rests on, with the time it names."""

    span: Span
    confidence: float
    tier: Tier
    valid_from: int | None
    valid_to: int | None
    time_phrase: str | None


@dataclass(slots=True, kw_only=True)
class Stated:
    """A statement the text makes, with its words. `text` is the sentence it reads as."""

    subject: Resolved
    predicate: str
    object: Resolved | None
    value: str | None
    value_type: ValueType | None
    witnesses: dict[Span, Witness] = field(default_factory=dict[Span, Witness])

    @property
    def identity(self) -> Identity:
        """What makes it the same statement as another."""
        target = None if self.object is None else self.object.entity
        return self.subject.entity, self.predicate, target, self.value_key

    @property
    def family(self) -> str:
        """The group it is reconciled in."""
        return family(self.predicate)

    @property
    def value_key(self) -> str:
        """The folded value, empty for a relation."""
        return "" if self.value is None else value_key(self.value, self.value_type)

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        target = self.value if self.object is None else self.object.name
        # Of what is somebody's own: "Anna has car", not "Anna has Anna's car".
        target = (target or "").removeprefix(owned_name(self.subject.name, ""))
        return sentence(self.subject.name, self.predicate, target)


def stated(
    claims: Iterable[Claim], found: Mapping[str, Resolved], occurred_at: int, rejected: Counter[Rejection]
) -> list[Stated]:
    """Return what the text states, what its events imply included; what is no statement is counted.

    Entities must have their ids. Nothing denied, supposed or planned becomes a statement, and nothing about one entity twice.
    """
    by_identity: dict[Identity, Stated] = {}
    for claim in claims:
        fault = _fault(claim, found)
        if fault is not None:
            rejected[fault] += 1
            continue
        for each in _all_of(claim, found, occurred_at):
            known = by_identity.setdefault(each.identity, each)
            if known is not each:
                _add(known, each.witnesses.values())
    return list(by_identity.values())


def of_the_web(said: Iterable[Stated]) -> None:
    """Mark everything that is stated as the word of a text from the web, which counts beside nobody's own."""
    for each in said:
        each.witnesses = {
            span: replace(witness, tier=Tier.WEB, confidence=min(witness.confidence, WEB_CONFIDENCE))
            for span, witness in each.witnesses.items()
        }


def value_key(value: str, value_type: ValueType | None) -> str:
    """Return what two spellings of one value have in common: folded, "1,000.50" as "1000.5", "3rd May" as "May 3"."""
    if value_type in _NUMBERS:
        value = _ZEROS.sub(lambda found: f".{found[1]}" if found[1] else "", _THOUSANDS.sub("", value))
    key = name_key(value)
    if value_type is ValueType.DATE and regex.search(r"\p{L}", key):
        return " ".join(sorted(_ORDINAL.sub(r"\1", word) for word in key.split(" ")))
    return key


def sentence(subject: str, predicate: str, target: str) -> str:
    """Return a statement as a plain sentence: "Anna lives in Berlin"."""
    words = predicate.replace("_", " ")
    if predicate == "is_a":
        return f"{subject} is {'an' if target[:1].casefold() in _VOWELS else 'a'} {target}"
    if predicate.startswith("favourite_") or predicate == "colour":
        return f"{subject}'s {words} is {target}"
    if predicate in _IS or predicate.endswith("_of"):
        words = f"is {words}"
    return f"{subject} {'was ' if predicate in _WAS else ''}{words} {target}"


def _fault(claim: Claim, found: Mapping[str, Resolved]) -> Rejection | None:
    if claim.negated:
        return Rejection.NEGATED
    if claim.modality is not Modality.ASSERTED:
        return Rejection.HYPOTHETICAL
    ends = [found.get(_key(end)) for end in (claim.subject, claim.object) if end is not None]
    if any(end is None for end in ends):
        return Rejection.DANGLING
    entities = [end.entity for end in ends if end is not None]
    return Rejection.SELF_LOOP if len(entities) == 2 and entities[0] == entities[1] else None


def _all_of(claim: Claim, found: Mapping[str, Resolved], occurred_at: int) -> Iterable[Stated]:
    """Yield what a claim says and what it implies: who moved to Berlin lives there from then on."""
    said = Stated(
        subject=found[_key(claim.subject)],
        predicate=claim.predicate,
        object=None if claim.object is None else found[_key(claim.object)],
        value=claim.value,
        value_type=claim.value_type,
    )
    _add(said, (_witness(claim, span) for span in claim.spans))
    yield said
    implied = consequence(claim.predicate)
    if implied is None:
        return
    at = claim.valid_from if claim.valid_from is not None else occurred_at
    state = replace(said, predicate=implied.predicate, witnesses={})
    for witness in said.witnesses.values():
        time = (claim.valid_from, None) if implied.begins else (None, at)
        confidence = IMPLIED * witness.confidence
        _add(state, [replace(witness, confidence=confidence, valid_from=time[0], valid_to=time[1])])
    yield state


def _witness(claim: Claim, span: Span) -> Witness:
    return Witness(
        span=span,
        confidence=claim.confidence,
        tier=claim.tier,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        time_phrase=claim.time_phrase,
    )


def _add(known: Stated, witnesses: Iterable[Witness]) -> None:
    """Add words to a statement; the same words said twice keep the surer reading and the times of either."""
    for new in witnesses:
        old = known.witnesses.get(new.span)
        best, other = (new, old) if old is None or new.confidence > old.confidence else (old, new)
        if other is not None:
            best = replace(
                best,
                valid_from=other.valid_from if best.valid_from is None else best.valid_from,
                valid_to=other.valid_to if best.valid_to is None else best.valid_to,
                time_phrase=best.time_phrase or other.time_phrase,
            )
        known.witnesses[new.span] = best


def _key(end: str) -> str:
    return SPEAKER if end == SPEAKER else name_key(end)
