"""Finds names in scripts with capitals: runs of capitalised words, what kind they are of, and how sure that is.

Sees one sentence at a time with what the whole text shows (which words it also writes small); knows no statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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

__all__ = ["Name", "Names", "is_capital"]

_LONGEST = 8
_CONNECTORS = wordlist("of de van von der den da di del della la le dos das bin ibn al y & du zu")
_PREFIXES = wordlist(
    """
new north south east west great saint st san santa los las la le el port cape lake mount
"""
)
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
        inner = {word for sentence in sentences for word in sentence.words[1:] if is_capital(word)}
        folded = {name.lower(): kind for name, kind in known.items()}
        return cls(frozenset(word for word in words if word.islower()), frozenset(inner), folded)

    def find(self, sentence: Sentence) -> Iterator[Name]:
        """Yield the names of a sentence in order, without overlap."""
        if _shouts(sentence):
            return
        opening = _opening(sentence)
        german = len(GERMAN.intersection(sentence.lower)) >= 2
        at = 0
        while at < len(sentence):
            end = self._end(sentence, at)
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
                words[end] == "." and len(words[end - 1]) == 1 and end + 1 < len(words) and is_capital(words[end + 1])
            ):
                end += 1
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
    if lower in _PREFIXES and word[0].isupper() and at + 1 < len(sentence):
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
        if len(lower) > 1 and (lower[-1] in words or lower[0] in words):
            return kind, 0.85
    said = "-".join(lower)
    if said in NAME_KINDS:
        return NAME_KINDS[said], 0.85
    if lower[0] in GIVEN_NAMES and "of" not in lower:
        return EntityKind.PERSON, 0.85
    if lower[-1] in PLACES and lower[0] in _PREFIXES:
        return EntityKind.PLACE, 0.8
    if lower[-1].endswith(_SURNAME_ENDS) or "van" in lower or "von" in lower:
        return EntityKind.PERSON, 0.7
    if at > 0 and sentence.lower[at - 1] in _IN_PLACE:
        return EntityKind.PLACE, 0.6
    return EntityKind.OTHER, 0.75 if len(lower) > 1 else 0.6


def _titled(sentence: Sentence, at: int) -> bool:
    before = at - 2 if at > 1 and sentence.words[at - 1] == "." else at - 1
    return before >= 0 and sentence.lower[before] in TITLES and sentence.words[before][0].isupper()
