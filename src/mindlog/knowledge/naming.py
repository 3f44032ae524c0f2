"""What names have in common: titles, initials, parts and spelling. Pure; knows no entity and no store.

A name is compared as its folded words without titles. Words of different letters are different names, in any script:
nothing here maps one script to another.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import regex

from mindlog.knowledge.extract.gazetteer import TITLES
from mindlog.knowledge.extraction import EntityKind, name_key

__all__ = [
    "Likeness",
    "Words",
    "can_be_one",
    "is_common",
    "likeness",
    "may_be_misspelt",
    "name_words",
    "same_numbers",
    "title_before",
]

Words = tuple[str, ...]
"""A name's folded words without titles."""

_SHORTEST_FUZZY: Final = 6  # letters; of shorter names one letter is too much of it
_DIGITS = regex.compile(r"\d+")
_BEFORE = regex.compile(r"(?:(?<=^|[^\p{L}\p{M}\p{N}])\p{Lu}[\p{L}\p{M}]*\.? ?)+$")
_ANYTHING = frozenset({EntityKind.OTHER, EntityKind.CONCEPT})
_EXACT_ONLY = frozenset({EntityKind.CONTACT, EntityKind.IDENTIFIER})
_MADE_BY = frozenset({EntityKind.ORGANIZATION, EntityKind.PRODUCT})


class Likeness(StrEnum):
    """How two names that are not the same may still name one."""

    INITIALS = "initials"  #: Alice C. and Alice Chen
    PART = "part"  #: Alice, or Chen, and Alice Chen
    ORDER = "order"  #: Chen Alice and Alice Chen


def can_be_one(one: EntityKind, other: EntityKind) -> bool:
    """Say whether things of these kinds can be the same thing.

    What nobody could say the kind of can be anything that has a name; a firm and what it makes often share theirs.
    """
    if one is other:
        return True
    pair = frozenset({one, other})
    return not pair & _EXACT_ONLY and (bool(pair & _ANYTHING) or pair == _MADE_BY)


def name_words(name: str, kind: EntityKind) -> Words:
    """Return a name's folded words; of a person without titles, and without a number that stands after it."""
    words = name_key(name).split(" ")
    if kind is not EntityKind.PERSON:
        return tuple(words)
    first = 0
    while first < len(words) - 1 and words[first] in TITLES:
        first += 1
    last = len(words)
    while last > first + 1 and words[last - 1].isdecimal():
        last -= 1
    return tuple(words[first:last])


def title_before(text: str, start: int) -> int:
    """Return where the titles before a character begin ("Prof. Dr. Chen"), the character itself if there is none."""
    found = _BEFORE.search(text, max(start - 40, 0), start)
    begin = start
    if found is not None:
        for word in reversed(list(regex.finditer(r"[\p{L}\p{M}]+", found[0]))):
            if word[0].lower() not in TITLES:
                break
            begin = found.start() + word.start()
    return begin


def is_common(name: str) -> bool:
    """Say whether it is a common name, written small: "car", "office"."""
    return name[:1].islower()


def likeness(one: Words, other: Words) -> Likeness | None:
    """Return how two different names of people are alike, None if they are not in any of these ways."""
    if len(one) > 1 and len(other) > 1:
        if len(one) == len(other) and _fits_initials(one, other):
            return Likeness.INITIALS
        return Likeness.ORDER if sorted(one) == sorted(other) else None
    short, full = sorted((one, other), key=len)
    if len(short) == 1 and len(full) > 1 and len(short[0]) > 1 and short[0] in (full[0], full[-1]):
        return Likeness.PART
    return None


def may_be_misspelt(one: str, other: str) -> bool:
    """Say whether two keys can be spellings of one name: both long enough, and with the same numbers."""
    return min(len(one), len(other)) >= _SHORTEST_FUZZY and same_numbers(one, other)


def same_numbers(one: str, other: str) -> bool:
    """Say whether two keys have the same numbers: what is numbered differently is not the same."""
    return _DIGITS.findall(one) == _DIGITS.findall(other)


def _fits_initials(one: Words, other: Words) -> bool:
    pairs = list(zip(one, other, strict=True))
    whole = any(left == right and len(left) > 1 for left, right in pairs)
    return whole and all(
        left == right or (min(len(left), len(right)) == 1 and left[0] == right[0]) for left, right in pairs
    )
