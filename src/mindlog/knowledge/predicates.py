"""The predicates mindlog knows: how many objects hold at a time, which way back, what a later claim does to an earlier one.

A predicate that is not in the table is allowed: many objects, nothing superseded. Knows no text and no store.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mindlog.knowledge.kin import KIN

__all__ = ["PREDICATES", "Cardinality", "Predicate", "predicate"]


class Cardinality(StrEnum):
    """How many objects a subject can have at one time."""

    SINGLE = "single"
    MANY = "many"


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """What reconcile has to know of a predicate."""

    name: str
    cardinality: Cardinality = Cardinality.MANY
    supersedes: bool = False  # a later claim with another object ends the earlier one
    inverse: str | None = None  # object to subject
    begins: str | None = None  # an event: from then on this state holds of the same object
    ends: str | None = None  # an event: from then on this state holds no longer
    opposite: str | None = None  # cannot hold of the same object at the same time


def _state(name: str, inverse: str | None = None) -> Predicate:
    return Predicate(name=name, cardinality=Cardinality.SINGLE, supersedes=True, inverse=inverse)


def _fixed(name: str, inverse: str | None = None) -> Predicate:
    return Predicate(name=name, cardinality=Cardinality.SINGLE, inverse=inverse)


def _many(name: str, inverse: str | None = None, opposite: str | None = None) -> Predicate:
    return Predicate(name=name, inverse=inverse, opposite=opposite)


_TABLE = (
    _state("lives_in", "home_of"),
    _state("located_in", "location_of"),
    _state("works_at", "employer_of"),
    _state("works_as"),
    _state("has_age"),
    _state("has_address"),
    _state("married_to", "married_to"),
    _state("engaged_to", "engaged_to"),
    _state("dating", "dating"),
    _state("scheduled_for"),
    _state("costs"),
    _state("colour"),
    _fixed("has_name"),
    _fixed("has_birthday"),
    _fixed("born_in", "birthplace_of"),
    _fixed("born_on"),
    _fixed("grew_up_in"),
    _fixed("capital_of", "has_capital"),
    Predicate(name="moved_to", begins="lives_in"),
    Predicate(name="moved_from", ends="lives_in"),
    Predicate(name="joined", begins="works_at", inverse="joined_by"),
    Predicate(name="left", ends="works_at", inverse="left_by"),
    Predicate(name="switched_to", begins="uses"),
    Predicate(name="switched_from", ends="uses"),
    _many("likes", "liked_by", "dislikes"),
    _many("dislikes", "disliked_by", "likes"),
    _many("prefers", None, "prefers_less"),
    _many("prefers_less", None, "prefers"),
    _many("is_a", "includes"),
    _many("has", "belongs_to"),
    _many("from", "home_country_of"),
    *map(
        _many,
        [
            "lived_in",
            "worked_at",
            "worked_as",
            "studies",
            "studies_at",
            "studied",
            "studied_at",
            "graduated_from",
            "has_phone",
            "has_email",
            "has_url",
            "has_handle",
            "allergic_to",
            "follows_diet",
            "speaks",
            "plays",
            "plays_for",
            "uses",
            "depends_on",
            "runs_on",
            "visited",
            "met",
            "founded",
            "acquired",
            "wrote",
            "created",
            "invented",
            "designed",
            "built",
            "leads",
            "manages",
            "owns",
            "bought",
            "sold",
            "ceo_of",
            "founder_of",
            "director_of",
            "head_of",
            "president_of",
            "owner_of",
            "author_of",
            "member_of",
            "manager_of",
            "teaches",
            "collects",
            "reads",
            "learns",
            "attended",
            "signed_up_for",
            "volunteers_at",
            "started",
            "finished",
            "won",
            "works_on",
            "failed",
            "crashed",
            "broke_down",
            "arrived",
        ],
    ),
    *(_many(kin.predicate, kin.inverse) for kin in KIN.values()),
)

PREDICATES: Final = {entry.name: entry for entry in _TABLE}
"""The table by name. Every `favourite_<thing>` is single and superseded as well; see `predicate`."""


def predicate(name: str) -> Predicate:
    """Return what is known of a predicate; one nobody listed has many objects and supersedes nothing."""
    if name in PREDICATES:
        return PREDICATES[name]
    return _state(name) if name.startswith("favourite_") else _many(name)
