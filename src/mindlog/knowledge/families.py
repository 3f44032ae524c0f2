"""Which predicates are reconciled together, how each of them holds, and what an event says of a state.

Owns these rules on top of the predicate table; knows no text, no entity and no store.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mindlog.knowledge.kin import KIN
from mindlog.knowledge.predicates import Cardinality, predicate
from mindlog.knowledge.wordlist import wordlist

__all__ = ["IMPLIED", "Consequence", "Nature", "consequence", "family", "nature"]

IMPLIED: Final = 0.9
"""The confidence in what an event implies, as a part of the confidence in the event."""

_BIRTH = wordlist("sister brother sibling mother father parent son daughter child aunt uncle cousin niece nephew")
_BY_BIRTH = frozenset(row.predicate for word, row in KIN.items() if word in _BIRTH or word.startswith("grand"))


class Nature(StrEnum):
    """How statements of a predicate hold, beside others of their family."""

    STATE = "state"  #: one object at a time; a later one ends the earlier
    FIXED = "fixed"  #: one object for good; another one contradicts it
    LASTING = "lasting"  #: many objects, each for good
    MANY = "many"  #: many objects, each from when it was first said until it is ended
    OPPOSED = "opposed"  #: many objects, each until the opposite is said of it
    EVENT = "event"  #: begins or ends a state; it has happened from then on


@dataclass(frozen=True, slots=True)
class Consequence:
    """The state an event begins, or the one it ends."""

    predicate: str
    begins: bool


def family(name: str) -> str:
    """Return the group that a predicate is reconciled in: events with their state, opposites together."""
    entry = predicate(name)
    state = entry.begins or entry.ends
    if state is not None:
        return family(state)
    return name if entry.opposite is None else min(name, entry.opposite, key=lambda each: (len(each), each))


def nature(name: str) -> Nature:
    """Return how the predicate's statements hold."""
    entry = predicate(name)
    if entry.begins or entry.ends:
        return Nature.EVENT
    if entry.cardinality is Cardinality.SINGLE:
        return Nature.STATE if entry.supersedes else Nature.FIXED
    if entry.opposite is not None:
        return Nature.OPPOSED
    return Nature.LASTING if name in _BY_BIRTH or name == "from" else Nature.MANY


def consequence(name: str) -> Consequence | None:
    """Return what the predicate says of a state of the same object, None if it is no event."""
    entry = predicate(name)
    if entry.begins is not None:
        return Consequence(entry.begins, begins=True)
    return None if entry.ends is None else Consequence(entry.ends, begins=False)
