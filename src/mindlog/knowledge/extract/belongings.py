"""Things that people own and call by a common name, and how one becomes a mention with a claim of whose it is."""

from __future__ import annotations

from typing import Final

from mindlog.knowledge.extract.scene import Line, Thing
from mindlog.knowledge.extract.words import CUTS, NO_OBJECT
from mindlog.knowledge.extraction import EntityKind
from mindlog.knowledge.kin import KIN, PETS
from mindlog.knowledge.wordlist import wordlist

__all__ = ["HOMES", "OWNED", "PRODUCTS", "is_thing_word", "own"]

PRODUCTS: Final = wordlist(
    """
car bike bicycle motorcycle motorbike scooter van truck boat sailboat caravan camper phone smartphone laptop computer tablet camera
telescope printer console guitar piano violin cello drums saxophone trumpet synthesizer keyboard drone
"""
)
"""Makes."""

HOMES: Final = wordlist(
    """
office house home flat apartment studio school shop store company business startup headquarters hq workshop garage cabin cottage
farm restaurant cafe café bakery clinic warehouse factory lab laboratory garden gym hotel hostel bar
"""
)
"""What is somewhere."""

_FIRMS = wordlist("company business startup")
OWNED: Final = PRODUCTS | HOMES | PETS
"""What "I have a ..." is worth keeping of."""

_PASSING = wordlist("new old first second own little big small current other beloved whole")
_NO_THINGS = KIN.keys() - PETS


def own(line: Line, owner: str, first: int, at: int, end: int) -> str | None:
    """Mention the thing of tokens `at` to before `end` and say whose it is, from `first` on; None if it is no thing.

    The name is the common one ("car", "mountain bike"). In one text it is one owner's: the second one's is passed over.
    """
    while line.lower(at) in _PASSING:
        at += 1
    if at >= end or line.lower(end - 1) in _NO_THINGS:
        return None
    span, word = line.span(at, end), line.lower(end - 1)
    name = line.scene.own(span, _kind(word), owner)
    if name is not None:
        line.say(owner, "has", Thing(span, name=name), line.span(first, end), 0.8)
    return name


def _kind(word: str) -> EntityKind:
    if word in _FIRMS:
        return EntityKind.ORGANIZATION
    return EntityKind.PRODUCT if word in PRODUCTS else EntityKind.PLACE if word in HOMES else EntityKind.OTHER


def is_thing_word(line: Line, at: int) -> bool:
    """Say whether a token can be part of a common name."""
    word = line.sentence.words[at] if 0 <= at < len(line.sentence) else ""
    return word.replace("-", "").isalpha() and word.islower() and word not in CUTS and word not in NO_OBJECT
