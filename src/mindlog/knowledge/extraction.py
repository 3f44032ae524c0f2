"""What an extraction is: mentions, claims, dates and quantities with the spans they rest on, and the check of that evidence.

Owns the shapes that every tier fills; knows no tier, no store and no resolved entity. Instants are microseconds UTC.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

import regex

from mindlog.index.folding import fold
from mindlog.knowledge.pronouns import PRONOUNS

__all__ = [
    "SPEAKER",
    "Claim",
    "DateMention",
    "EntityKind",
    "Extraction",
    "Mention",
    "Modality",
    "Precision",
    "Quantity",
    "Rejection",
    "Span",
    "Tier",
    "ValueType",
    "merged_spans",
    "name_key",
    "validate",
]

SPEAKER: Final = "<speaker>"
"""The subject or object that stands for whoever wrote the text. No mention has this name."""

# With marks: they are the vowels of Devanagari and Thai.
_WORD = regex.compile(r"[\w\p{M}]+")
_PREDICATE = regex.compile(r"\p{Ll}[\p{Ll}\p{Lo}\p{N}\p{M}_]{0,63}")


class Tier(StrEnum):
    """Which reader found it, in the order of what it costs."""

    PATTERN = "pattern"
    CLASSIFIER = "classifier"
    LLM = "llm"
    WEB = "web"  #: whichever reader, in a text from the web: nobody's own word


class EntityKind(StrEnum):
    """What sort of thing a mention names."""

    PERSON = "person"
    ORGANIZATION = "organization"
    PLACE = "place"
    PRODUCT = "product"
    EVENT = "event"
    WORK = "work"  #: a book, a song, a law
    CONTACT = "contact"  #: an e-mail address, phone number, link or handle
    IDENTIFIER = "identifier"  #: a code, version, path or checked number
    CONCEPT = "concept"
    OTHER = "other"  #: a name of something, nobody can say of what


class ValueType(StrEnum):
    """How a claim's value is to be read. The value itself is always the words of the text."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    QUANTITY = "quantity"
    CONTACT = "contact"


class Modality(StrEnum):
    """How the text stands to the claim. Only `ASSERTED` may become a statement; offline tiers give no other."""

    ASSERTED = "asserted"
    POSSIBLE = "possible"  #: might, maybe, if
    INTENDED = "intended"  #: will, plans to, would like to


class Rejection(StrEnum):
    """Why something that looked like a mention or a claim is none."""

    SPAN_OUTSIDE = "span_outside"  #: its evidence is not a piece of the text
    QUOTED = "quoted"  #: its evidence only repeats an earlier memory
    NOT_IN_TEXT = "not_in_text"  #: its words are not in the text
    SELF_LOOP = "self_loop"  #: subject and object are the same
    DANGLING = "dangling"  #: its subject or object is no mention
    MALFORMED = "malformed"  #: no or two objects, an impossible predicate or confidence
    NEGATED = "negated"  #: the text denies it
    QUESTION = "question"  #: the text asks it
    HYPOTHETICAL = "hypothetical"  #: the text supposes, wishes or plans it


class Precision(StrEnum):
    """The unit a time expression names."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters of the text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the words it covers."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Say whether they share a character."""
        return self.start < other.end and other.start < self.end

    def inside(self, text: str) -> bool:
        """Say whether it is a piece of the text with at least one character."""
        return 0 <= self.start < self.end <= len(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name in the text with every place it stands. `name` is written as at its first span."""

    name: str
    kind: EntityKind
    spans: tuple[Span, ...]
    confidence: float  # 0 to 1
    tier: Tier
    is_resolved: bool = False  # its spans are pronouns that stand for a name of an earlier memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a text says: subject, predicate, and an object (a mention's name or `SPEAKER`) or a value (words of the text)."""

    subject: str
    predicate: str  # snake_case; see `predicates`
    object: str | None = None
    value: str | None = None
    value_type: ValueType | None = None  # with a value
    negated: bool = False  # the text says that it does not hold
    modality: Modality = Modality.ASSERTED
    spans: tuple[Span, ...]
    valid_from: int | None = None
    valid_to: int | None = None
    time_phrase: str | None = None  # the words of the text that date it
    confidence: float  # 0 to 1
    tier: Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """A time expression and the half-open interval it names, anchored at the memory's own time."""

    span: Span
    phrase: str
    start: int
    end: int
    precision: Precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number with its unit as written, or an amount of money with its currency code."""

    span: Span
    amount: float
    unit: str
    is_money: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Everything that was read out of one text; `rejected` counts by reason what was not taken.

    `prompt`: the name and version of the prompt, if a language model read it ("extract.v1").
    """

    mentions: tuple[Mention, ...] = ()
    claims: tuple[Claim, ...] = ()
    dates: tuple[DateMention, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    rejected: Mapping[Rejection, int] = field(default_factory=dict[Rejection, int])
    prompt: str | None = None


def name_key(name: str) -> str:
    """Return what two spellings of one name have in common: accents, case, width and punctuation do not count.

    Letters of another script are never mapped to Latin ones, so different names keep different keys.
    """
    return " ".join(_words(name)) or name


def validate(
    extraction: Extraction, text: str, *, earlier: Iterable[Mention] = (), quoted: Sequence[Span] = ()
) -> Extraction:
    """Return the extraction without what its text does not carry, each rejection counted.

    A mention's words must stand in its spans, a claim's value and time in the text; its subject and object must be the
    speaker or a mention that was kept, and two different ones. The spans of a resolved mention must be pronouns and its
    name one of the `earlier` mentions'. Nothing may rest on a `quoted` stretch.
    """
    counts: Counter[Rejection] = Counter(extraction.rejected)
    before = frozenset(name_key(mention.name) for mention in earlier)
    mentions = tuple(kept for m in extraction.mentions if (kept := _evident(m, text, before, quoted, counts)))
    known = {name_key(mention.name) for mention in mentions} | {SPEAKER}
    words = frozenset(_words(text))
    claims: list[Claim] = []
    for claim in extraction.claims:
        fault = _fault(claim, text, words, known) or _quoted(claim.spans, quoted)
        if fault is None:
            claims.append(claim)
        else:
            counts[fault] += 1
    return replace(extraction, mentions=mentions, claims=tuple(claims), rejected=dict(counts))


def _evident(
    mention: Mention, text: str, before: frozenset[str], quoted: Sequence[Span], counts: Counter[Rejection]
) -> Mention | None:
    inside = tuple(span for span in mention.spans if span.inside(text))
    fault = None if inside else Rejection.SPAN_OUTSIDE if mention.spans else Rejection.NOT_IN_TEXT
    said = tuple(span for span in inside if _stands_for(mention, span.of(text), before))
    if fault is None and (not said or mention.name == SPEAKER or not mention.name.strip()):
        fault = Rejection.NOT_IN_TEXT
    own = tuple(span for span in said if not any(span.overlaps(other) for other in quoted))
    if fault is None and not own:
        fault = Rejection.QUOTED
    if fault is not None:
        counts[fault] += 1
        return None
    return mention if own == mention.spans else replace(mention, spans=own)


def _stands_for(mention: Mention, said: str, before: frozenset[str]) -> bool:
    key = name_key(mention.name)
    return said.lower() in PRONOUNS and key in before if mention.is_resolved else name_key(said) == key


def _quoted(spans: Iterable[Span], quoted: Sequence[Span]) -> Rejection | None:
    return Rejection.QUOTED if any(span.overlaps(other) for span in spans for other in quoted) else None


def _fault(claim: Claim, text: str, words: frozenset[str], known: set[str]) -> Rejection | None:
    if not claim.spans or not all(span.inside(text) for span in claim.spans):
        return Rejection.SPAN_OUTSIDE
    if (claim.object is None) == (claim.value is None) or not 0 <= claim.confidence <= 1:
        return Rejection.MALFORMED
    if not _PREDICATE.fullmatch(claim.predicate):
        return Rejection.MALFORMED
    ends = [_key(end) for end in (claim.subject, claim.object) if end is not None]
    if not known.issuperset(ends):
        return Rejection.DANGLING
    if len(ends) == 2 and ends[0] == ends[1]:
        return Rejection.SELF_LOOP
    said = [part for part in (claim.value, claim.time_phrase) if part is not None]
    return None if all(_carried(part, text, words) for part in said) else Rejection.NOT_IN_TEXT


def _key(end: str) -> str:
    return SPEAKER if end == SPEAKER else name_key(end)


def _carried(part: str, text: str, words: frozenset[str]) -> bool:
    found = _words(part)
    # Scripts without spaces make one "word" of a sentence: there the piece itself must be in the text.
    return part in text or (bool(found) and words.issuperset(found))


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text).casefold())


def merged_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans in order, each once."""
    return tuple(sorted(set(spans)))
