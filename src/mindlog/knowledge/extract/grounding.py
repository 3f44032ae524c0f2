"""Gives a model's answer its places in the text: names and quotes are searched for, times are read by the grammar of dates.

What is not found is left without a place and is rejected by `validate`; nothing the model says of places is used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace

from mindlog.knowledge.dates import find_dates
from mindlog.knowledge.extract.canonical import canonical
from mindlog.knowledge.extract.coreference import antecedent
from mindlog.knowledge.extract.finding import Finder
from mindlog.knowledge.extract.llm_answer import MemoryReading, ReadClaim, ReadMention
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extract.times import validity
from mindlog.knowledge.extract.tokens import Turn, sentence_bounds, turns
from mindlog.knowledge.extraction import (
    SPEAKER,
    Claim,
    DateMention,
    EntityKind,
    Extraction,
    Mention,
    Rejection,
    Span,
    Tier,
    ValueType,
    name_key,
)
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.pronouns import FIRST, PRONOUNS

__all__ = ["Ground"]

# A model's number says how sure it sounds, not how often it is right. Alone it stays below what two tiers agree upon.
_MOST_CONFIDENCE = 0.8
_MENTION_CONFIDENCE = 0.75
_SPEAKERS = FIRST | {
    "speaker",
    "<speaker>",
    "user",
    "narrator",
    "author",
    "writer",
    "the user",
    "the speaker",
    "the author",
}
_DETERMINER = re.compile(r"(?P<word>the|a|an|my|our|his|her|their|your)\s+(?=\S)", re.IGNORECASE)
_PRONOUN = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(PRONOUNS, key=len, reverse=True))})(?!\w)", re.IGNORECASE)
_GAP = re.compile(r"\s*(?:\.{3}|…)\s*")
_AROUND = "\"'“”‘’«» \n\t"


class Ground:
    """A text as it may be read, with its dates and turns."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.readable
        self.dates = find_dates(self.text, source.occurred_at, source.zone)
        self.turns = tuple(turns(self.text))
        self.earlier = {name_key(mention.name): mention for mention in source.earlier}

    def read(self, start: int, end: int, answer: MemoryReading) -> Extraction:
        """Return an answer about a piece of the text with its places in the text; what has none in the piece keeps none."""
        return _Piece(self, start, end).read(answer)


@dataclass(slots=True)
class _Piece:
    ground: Ground
    start: int
    end: int
    finder: Finder = field(init=False)
    sentences: list[int] = field(init=False)  # where each begins
    mentions: dict[str, Mention] = field(default_factory=dict[str, Mention])

    def __post_init__(self) -> None:
        text = self.ground.text
        self.finder = Finder(text[self.start : self.end])
        self.sentences = [first for first, _, _ in sentence_bounds(text, self.start, self.end)]

    def read(self, answer: MemoryReading) -> Extraction:
        nameless = sum(not self._take(mention) for mention in answer.mentions)
        claims = tuple(self._claim(said) for said in answer.claims)
        used = {name_key(end) for claim in claims if claim.spans for end in (claim.subject, claim.object) if end}
        return Extraction(
            mentions=tuple(m for key, m in self.mentions.items() if not m.is_resolved or key in used),
            claims=claims,
            dates=self.ground.dates,
            rejected={Rejection.MALFORMED: nameless} if nameless else {},
        )

    def _take(self, said: ReadMention) -> bool:
        """Take a mention in; `False` if its name is none: a pronoun, nothing."""
        name = _plain(said.name)
        if not name or name.lower() in PRONOUNS | _SPEAKERS:
            return False
        if name_key(name) not in self.ground.earlier or self._all(name):
            self._mention(name, said.kind)
        return True

    def _mention(self, name: str, kind: EntityKind) -> str:
        spans = self._all(name)
        written = spans[0].of(self.ground.text) if spans else name
        mention = Mention(name=written, kind=kind, spans=spans, confidence=_MENTION_CONFIDENCE, tier=Tier.LLM)
        return self.mentions.setdefault(name_key(name), mention).name

    def _all(self, words: str) -> tuple[Span, ...]:
        return tuple(self._moved(span) for span in self.finder.all(words))

    def _moved(self, span: Span) -> Span:
        return Span(span.start + self.start, span.end + self.start)

    def _claim(self, said: ReadClaim) -> Claim:
        quote = self._quote(said.quote)
        subject, (target, value) = self._who(said.subject, quote), self._what(said, quote)
        predicate, turned = canonical(said.predicate)
        if turned and target is not None:
            subject, target = target, subject
        elif turned:
            predicate = said.predicate
        date, phrase = self._time(said.time, quote)
        value_type = None if value is None else ValueType.TEXT
        begin, end, _ = validity(predicate, value_type, date, self.ground.text)
        return Claim(
            subject=subject,
            predicate=predicate,
            object=target,
            value=value,
            value_type=value_type,
            negated=said.negated,
            modality=said.modality,
            spans=quote if self._carries(quote, subject, target, value) else (),
            valid_from=begin,
            valid_to=end,
            time_phrase=phrase,
            confidence=min(said.confidence, _MOST_CONFIDENCE) if said.confidence <= 1 else said.confidence,
            tier=Tier.LLM,
        )

    def _quote(self, said: str) -> tuple[Span, ...]:
        """Return where a quote stands, in parts if the model left some of it out; nothing if any part is not there."""
        whole = self.finder.first(said.strip(_AROUND))
        found = [whole] if whole else [self.finder.first(part) for part in _GAP.split(said.strip(_AROUND)) if part]
        return tuple(self._moved(span) for span in found if span) if found and all(found) else ()

    def _who(self, said: str, quote: tuple[Span, ...]) -> str:
        """Return the speaker or the mention that is meant; the words as they are if there is none."""
        name = _plain(said)
        key = name_key(name)
        if name.lower() in _SPEAKERS or (self.ground.source.speaker and key == name_key(self.ground.source.speaker)):
            return self._speaker(quote)
        if key in self.mentions and self.mentions[key].spans:
            return self.mentions[key].name
        known = self.ground.earlier.get(key)
        return name if known is None else self._resolved(known, quote)

    def _speaker(self, quote: tuple[Span, ...]) -> str:
        """Return who says what is quoted: the text may have several who say "I"."""
        at = quote[0].start if quote else -1
        turn = next((turn for turn in self.ground.turns if turn.start <= at < turn.end), None)
        if turn is None or turn.speaker is None:
            return SPEAKER
        return self._named_speaker(turn)

    def _named_speaker(self, turn: Turn) -> str:
        assert turn.speaker is not None
        name = turn.speaker.of(self.ground.text)
        mention = Mention(
            name=name, kind=EntityKind.PERSON, spans=(turn.speaker,), confidence=_MENTION_CONFIDENCE, tier=Tier.LLM
        )
        return self.mentions.setdefault(name_key(name), mention).name

    def _resolved(self, known: Mention, quote: tuple[Span, ...]) -> str:
        """Let a pronoun of the quoted sentence stand for a name of an earlier memory, if one fits."""
        place = self._pronoun(known.name, quote)
        if place is not None:
            far = replace(known, spans=(place,), confidence=_MENTION_CONFIDENCE, tier=Tier.LLM, is_resolved=True)
            self.mentions.setdefault(name_key(known.name), far)
        return known.name

    def _what(self, said: ReadClaim, quote: tuple[Span, ...]) -> tuple[str | None, str | None]:
        """Return object and value; words in lower case that are no mention are a value, wherever the model put them."""
        target, value = _filled(said.object), _filled(said.value)
        if target is None:
            return None, value
        end = self._who(target, quote)
        if end != SPEAKER and name_key(end) not in self.mentions and target.islower():
            return None, value or target
        same = value is not None and name_key(value) == name_key(target)
        return end, None if same else value

    def _carries(self, quote: tuple[Span, ...], subject: str, target: str | None, value: str | None) -> bool:
        """Say whether the sentence that is quoted says it: it holds the value or the object, and a pronoun where one is meant.

        An end that is no mention is left to `validate`, which says why.
        """
        told = value if value is not None else subject if target == SPEAKER else target
        is_known = value is not None or (told is not None and name_key(told) in self.mentions)
        far = [end for end in (subject, target) if end and self._is_far(end)]
        return (not is_known or self._holds(told or "", quote)) and all(self._pronoun(end, quote) for end in far)

    def _holds(self, words: str, quote: tuple[Span, ...]) -> bool:
        """Say whether the quoted sentence has the words or, for a mention, any pronoun that may stand for it."""
        is_mention = name_key(words) in self.mentions
        said = [self.ground.text[start:end] for start, end in map(self._sentence, quote)]
        return any(Finder(text).first(words) or (is_mention and _PRONOUN.search(text)) for text in said)

    def _is_far(self, end: str) -> bool:
        mention = self.mentions.get(name_key(end))
        return mention is not None and mention.is_resolved

    def _pronoun(self, name: str, quote: tuple[Span, ...]) -> Span | None:
        """Return the pronoun of the quoted sentence that can stand for a name of an earlier memory."""
        known = self.ground.earlier[name_key(name)]
        for start, end in map(self._sentence, quote):
            for match in _PRONOUN.finditer(self.ground.text, start, end):
                if antecedent(match.group().lower(), (known,)) is not None:
                    return Span(*match.span())
        return None

    def _sentence(self, span: Span) -> tuple[int, int]:
        first = bisect_right(self.sentences, span.start) - 1
        last = bisect_right(self.sentences, span.end - 1)
        return self.sentences[max(first, 0)], self.sentences[last] if last < len(self.sentences) else self.end

    def _time(self, said: str | None, quote: tuple[Span, ...]) -> tuple[DateMention | None, str | None]:
        """Return the time the words name, as it is read in the text, and its words there."""
        words = _filled(said)
        if words is None:
            return None, None
        places = self._all(words)
        if not places:
            return None, words
        near = quote[0].start if quote else places[0].start
        place = min(places, key=lambda span: abs(span.start - near))
        date = next((date for date in self.ground.dates if date.span.overlaps(place)), None)
        return date, date.phrase if date else place.of(self.ground.text)


def _plain(name: str) -> str:
    """Return a name without quotation marks and without what determines it: "my car" is the car, "my sister" a name."""
    name = name.strip(_AROUND)
    match = _DETERMINER.match(name)
    rest = name[match.end() :] if match else name
    if match is None or rest.lower() in KIN or (match["word"][0].isupper() and not rest.islower()):
        return name
    return rest


def _filled(said: str | None) -> str | None:
    said = said.strip() if said else None
    return said if said and said.lower() not in ("null", "none", "n/a") else None
