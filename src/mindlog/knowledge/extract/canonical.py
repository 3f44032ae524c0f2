"""Makes one predicate of the many ways to write it: "livesIn", "resides in" and "lives_in". Knows no claim."""

from __future__ import annotations

import re
from typing import Final

from mindlog.knowledge.extract.verbs import longest
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.predicates import PREDICATES

__all__ = ["canonical"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER = re.compile(r"[^\w]+|_+")
_ALIASES: Final = {
    "color": "colour",
    "has_color": "colour",
    "has_colour": "colour",
    "name": "has_name",
    "is_named": "has_name",
    "called": "has_name",
    "age": "has_age",
    "birthday": "has_birthday",
    "email": "has_email",
    "phone": "has_phone",
    "address": "has_address",
    "lives_at": "lives_in",
    "is": "is_a",
    "is_an": "is_a",
    "type": "is_a",
    "employed_by": "works_at",
    "job": "works_as",
    "works_in": "works_at",
    "owns_a": "owns",
    "has_a": "has",
    "spouse": "spouse_of",
}
_BACK: Final = {
    entry.inverse: name for name, entry in PREDICATES.items() if entry.inverse and entry.inverse not in PREDICATES
}
"""From the way back to the way there; where several ways there share one, any of them would be a guess."""
_SHARED = frozenset(inverse for inverse in _BACK if sum(entry.inverse == inverse for entry in PREDICATES.values()) > 1)


def canonical(said: str) -> tuple[str, bool]:
    """Return the predicate that is meant, and whether subject and object change places ("has_sister" is sister_of).

    What is in no table stays as it was, in snake_case.
    """
    name = _OTHER.sub("_", _CAMEL.sub("_", said.strip())).strip("_").lower()
    name = _ALIASES.get(name, name).replace("favorite", "favourite")
    if name in PREDICATES:
        return name, False
    kin = KIN.get(name.removeprefix("has_"))
    if kin is not None and name.startswith("has_"):
        return kin.predicate, True
    if name in _BACK and name not in _SHARED:
        return _BACK[name], True
    words = name.split("_")
    found = longest(words, 0) if words[0] else None
    return (found[1].predicate if found and found[0] == len(words) else name), False
