"""Finds names in scripts with capitals: runs of capitalised words, what kind they are of, and how sure that is.

Sees one sentence at a time with what the whole text shows (which words it also writes small); knows no statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mindlog.knowledge.extract.gazetteer import (
    GIVEN_NAMES,
    NAME_KINDS,
    ORGANIZATION_WORDS,
    ORGANIZATIONS,
    PLACE_WORDS,
    PLACES,
    TITLES,
    WORK_WORDS,
)
from mindlog.knowledge.extract.tokens import Sentence
from mindlog.knowledge.extract.verbs import PHRASES, THIRD_PERSON
from mindlog.knowledge.extract.words import CAPITALISED, GERMAN, NO_NAMES
from mindlog.knowledge.extraction import EntityKind
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.wordlist import wordlist

__all__ = ["PREFIXES", "Name", "Names", "is_capital", "is_gerund"]

_LONGEST = 8
_CONNECTORS = wordlist("of de van von der den da di del della la le dos das bin ibn al y & du zu")
PREFIXES: Final = wordlist("new north south east west great saint st san santa los las la le el port cape lake mount")
"""Words that begin names of places."""

_SURNAME_ENDS = (
    "ов", "ова", "ев", "ева", "ёв", "ин", "ина", "ский", "ская", "ськи", "ський", "ська", "енко", "чук", "вич", "вна", "ович", "евна",
    "poulos", "opoulos", "ski", "ska", "sson", "dóttir", "escu", "vić", "ović",
)  # fmt: skip
# Words of a Slavic past or present tense: after a first word in capitals they make it a subject.
_VERB_ENDS = ("л", "ла", "ли", "ет", "ёт", "ит", "ют", "ут", "ат", "ят", "лась", "лся", "ется", "ится", "ємо", "є")
_IN_PLACE = wordlist("in в во у із на nach aus à en a")
_OWNED = wordlist("birthday name email phone number favourite favorite address")
_BE = wordlist("is was has had are were")
_PASSIVES = wordlist("founded acquired written invented designed created built developed owned led managed")
_GREETINGS = wordlist(
    """
hey hi hello thanks bye goodbye congrats congratulations dear welcome wow yeah yes yep no nope sorry ok okay well oh aww hmm agreed right sure
cool nice awesome great definitely absolutely totally exactly morning night cheers ciao hola
"""
)
_ADDRESSED = wordlist("you your yours you're")
_AFTER_ADDRESS = frozenset({"", "!", ",", ".", "?", "-", "–", "—", "…"})
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“"}
_SMALL = wordlist("a an and the of in on at to for from with or but by de la le du el y et und der die das 's")
_MOST_QUOTED = 10
_HU_PLACES = (
    "ban",
    "ben",
    "ből",
    "ból",
    "ről",
    "ról",
    "ra",
    "re",
    "ba",
    "be",
    "nál",
    "nél",
    "tól",
    "től",
    "on",
    "en",
    "ön",
    "ett",
    "ott",
)
_OPENERS = frozenset("\"'“”«»(‘’„-–—:*•#>")


@dataclass(frozen=True, slots=True)
class Name:
    """A name as tokens `first` to before `end` of its sentence."""

    first: int
    end: int
    kind: EntityKind
    confidence: float


@dataclass(slots=True)
class Names:
    """What a text shows of its names; made from all its sentences."""

    small: frozenset[str]  # words it writes in lower case
    inner: frozenset[str]  # words it capitalises inside sentences
    known: Mapping[str, EntityKind] = field(default_factory=dict[str, EntityKind])

    @classmethod
    def of(cls, sentences: Sequence[Sentence], known: Mapping[str, EntityKind]) -> Names:
        """Return what the sentences show."""
        words = [word for sentence in sentences for word in sentence.words]
        inner = {w for sentence in sentences for w in sentence.words[_opening(sentence) + 1 :] if is_capital(w)}
        folded = {name.lower(): kind for name, kind in known.items()}
        return cls(frozenset(word for word in words if word.islower()), frozenset(inner), folded)

    def find(self, sentence: Sentence) -> Iterator[Name]:
        """Yield the names of a sentence in order, without overlap."""
        if _shouts(sentence):
            return
        opening = _opening(sentence)
        quoted = _titles(sentence)
        german = len(GERMAN.intersection(sentence.lower)) >= 2
        at = 0
        while at < len(sentence):
            if title := quoted.get(at):
                yield title
                at = title.end
                continue
            end = self._end(sentence, at)
            if end - at > 2 and _is_inflected(sentence, end - 1):
                end -= 1
            if end - at > 1 and at == opening and is_gerund(sentence.words[at]):
                at += 1  # "Adding Berlin to my list"
            if end > at and (name := self._judged(sentence, at, end, opening, german)):
                yield name
            at = max(end, at + 1)

    def _end(self, sentence: Sentence, at: int) -> int:
        words, lower = sentence.words, sentence.lower
        if (known := self._known_end(sentence, at)) > at:
            return known
        if not _begins(sentence, at):
            return at
        end = at + 1
        while end < len(words) and end - at < _LONGEST:
            if not _adjoins(sentence, end):
                break
            if _is_name_word(words[end], lower[end]) or (
                words[end] == "."
                and words[end - 1][1:2] in ("", ".")
                and end + 1 < len(words)
                and is_capital(words[end + 1])
            ):
                end += 1
            elif lower[end] == "of" and _is_title(sentence, end):
                end += 3
            elif lower[end] in _CONNECTORS and end + 1 < len(words) and _is_name_word(words[end + 1], lower[end + 1]):
                end += 2
            else:
                break
        return end

    def _known_end(self, sentence: Sentence, at: int) -> int:
        if not self.known or not sentence.words[at][0].isalnum():
            return at
        for end in range(min(len(sentence), at + 4), at, -1):
            if " ".join(sentence.lower[at:end]) in self.known:
                return end
        return at

    def _judged(self, sentence: Sentence, at: int, end: int, opening: int, german: bool) -> Name | None:
        said = " ".join(sentence.lower[at:end])
        if said in self.known:
            return Name(at, end, self.known[said], 0.9)
        kind, confidence = _kind(sentence, at, end)
        if kind is EntityKind.OTHER and end - at <= 2 and _is_addressed(sentence, at, end):
            return Name(at, end, EntityKind.PERSON, 0.8)
        if end - at == 1 and confidence < 0.7:
            if at <= opening and not self._is_subject(sentence, at):
                return None
            if german and sentence.lower[at - 1] not in _IN_PLACE and at > opening:
                return None
            if sentence.words[at].lower() in self.small:
                return None
        return Name(at, end, kind, confidence)

    def _is_subject(self, sentence: Sentence, at: int) -> bool:
        word = sentence.words[at]
        if _is_special(word) or word in self.inner:
            return True
        following, after = (*sentence.lower[at + 1 : at + 3], "", "")[:2]
        if word.endswith("ing") and len(word) > 5:
            return False
        if following == "'s":
            return after in KIN or after in _OWNED
        if following in _BE:
            return after in PHRASES or after in _PASSIVES
        if following in THIRD_PERSON:
            return True
        return not word.isascii() and following.endswith(_VERB_ENDS)


def is_capital(word: str) -> bool:
    """Say whether the word begins with a capital letter and is no enclitic."""
    return word[0].isupper() or (_is_special(word) and word[0].isalpha())


def _is_inflected(sentence: Sentence, at: int) -> bool:
    """Say whether a word stands where something is, in Hungarian: it ends the name before it ("Szabó Péter Debrecenben")."""
    return sentence.lower[at].endswith(_HU_PLACES) and any(not word.isascii() for word in sentence.words[:at])


def is_gerund(word: str) -> bool:
    """Say whether a word in capitals is what one does rather than a name: "Adding Berlin"."""
    return word.endswith(("ing", "in'")) and len(word) > 5 and word.lower() not in GIVEN_NAMES


def _is_title(sentence: Sentence, at: int) -> bool:
    """Say whether "of the" at a token goes on in a title: The Lord of the Rings."""
    words, lower = sentence.words, sentence.lower
    return at + 2 < len(words) and lower[at + 1] == "the" and _is_name_word(words[at + 2], lower[at + 2])


def _is_addressed(sentence: Sentence, at: int, end: int) -> bool:
    """Say whether a name calls somebody: "Hey Mel!", "Thanks, Mel.", "What about you, Mel?"."""
    following = sentence.lower[end] if end < len(sentence) else ""
    comma = at > 0 and sentence.lower[at - 1] == ","
    before = sentence.lower[at - 1 - comma] if at > comma else ""
    if following not in _AFTER_ADDRESS and before not in ("hey", "hi", "hello", "dear"):
        return False
    if before in _GREETINGS:
        return True
    last = following in ("!", ".", "?", "") and end + 1 >= len(sentence)
    return comma and last and not before[:1].isupper() and not _ADDRESSED.isdisjoint(sentence.lower)


def _titles(sentence: Sentence) -> dict[int, Name]:
    """Return what stands in quotation marks and is written as a title, by its first token."""
    found: dict[int, Name] = {}
    at = 0
    while at < len(sentence):
        end = _quoted_end(sentence, at)
        if end and _is_written_as_title(sentence, at + 1, end):
            kind = EntityKind.WORK if end - at > 2 else EntityKind.OTHER
            found[at + 1] = Name(at + 1, end, kind, 0.75)
        at = end or at + 1
    return found


def _quoted_end(sentence: Sentence, at: int) -> int:
    """Return the token after what is quoted from a token on, without its last full stop; 0 if nothing is."""
    closing = _QUOTES.get(sentence.words[at])
    if closing is None:
        return 0
    for end in range(at + 2, min(len(sentence), at + 2 + _MOST_QUOTED)):
        if sentence.words[end] == closing:
            return end - (sentence.words[end - 1] in ".,!")
    return 0


def _is_written_as_title(sentence: Sentence, first: int, end: int) -> bool:
    words = [word for word in sentence.words[first:end] if word.lower() not in _SMALL]
    if not words or not is_capital(sentence.words[first]):
        return False
    written = all(is_capital(word) or not word[0].isalpha() for word in words)
    return written and any(word.lower() not in CAPITALISED and word[0].isalpha() for word in words)


def _is_special(word: str) -> bool:
    """Capitals inside make a name of a word wherever it stands: NASA, iPhone, PostgreSQL."""
    return len(word) > 1 and not word[1:].islower() and any(map(str.isupper, word[1:])) and word.lower() not in NO_NAMES


def _is_name_word(word: str, lower: str) -> bool:
    if word.isupper() and lower in ORGANIZATIONS:
        return True  # MIT, though "mit" is a word
    return is_capital(word) and lower not in CAPITALISED and (len(word) > 1 or word.isalpha())


def _begins(sentence: Sentence, at: int) -> bool:
    word, lower = sentence.words[at], sentence.lower[at]
    following = sentence.lower[at + 1] if at + 1 < len(sentence) else ""
    if lower in GIVEN_NAMES and word.istitle() and (following in THIRD_PERSON or following in ("'s", "used")):
        return True  # Jan and Will are names too
    if word == "The" and at > _opening(sentence):
        return following != "" and _is_name_word(sentence.words[at + 1], following)
    if len(word) <= 3 and word[-1].isdecimal():
        return False
    if lower in PREFIXES and word[0].isupper() and at + 1 < len(sentence):
        return _is_name_word(sentence.words[at + 1], sentence.lower[at + 1])
    return _is_name_word(word, lower) and lower not in NO_NAMES and lower not in TITLES and len(word) > 1


def _adjoins(sentence: Sentence, at: int) -> bool:
    return sentence.spans[at].start - sentence.spans[at - 1].end <= (0 if sentence.words[at] == "." else 1)


def _opening(sentence: Sentence) -> int:
    """Return the index of the first word."""
    at = 0
    while at < len(sentence) - 1 and sentence.words[at] in _OPENERS:
        at += 1
    return at


def _shouts(sentence: Sentence) -> bool:
    letters = [word for word in sentence.words if word[0].isalpha() and len(word) > 1]
    return len(letters) >= 4 and all(map(str.isupper, letters))


def _kind(sentence: Sentence, at: int, end: int) -> tuple[EntityKind, float]:
    lower = sentence.lower[at:end]
    if _titled(sentence, at):
        return EntityKind.PERSON, 0.9
    for words, kind in (
        (ORGANIZATION_WORDS, EntityKind.ORGANIZATION),
        (PLACE_WORDS, EntityKind.PLACE),
        (WORK_WORDS, EntityKind.WORK),
    ):
        if len(lower) > 1 and (
            lower[-1] in words or (lower[0] in words and lower[0] not in ("street", "park", "bank", "group", "club"))
        ):
            return kind, 0.85
    said = "-".join(lower)
    if said in NAME_KINDS:
        return NAME_KINDS[said], 0.85
    if lower[0] in GIVEN_NAMES and "of" not in lower:
        return EntityKind.PERSON, 0.85
    if lower[-1] in PLACES and lower[0] in PREFIXES:
        return EntityKind.PLACE, 0.8
    if lower[-1].endswith(_SURNAME_ENDS) or "van" in lower or "von" in lower:
        return EntityKind.PERSON, 0.7
    if at > 0 and sentence.lower[at - 1] in _IN_PLACE:
        return EntityKind.PLACE, 0.6
    return EntityKind.OTHER, 0.75 if len(lower) > 1 else 0.6


def _titled(sentence: Sentence, at: int) -> bool:
    before = at - 2 if at > 1 and sentence.words[at - 1] == "." else at - 1
    return before >= 0 and sentence.lower[before] in TITLES and sentence.words[before][0].isupper()
