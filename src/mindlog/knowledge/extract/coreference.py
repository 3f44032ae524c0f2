"""Who a pronoun of a text is: by rules, the last name before it that it can stand for. Knows no claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mindlog.knowledge.extraction import EntityKind, Mention, name_key
from mindlog.knowledge.pronouns import EITHER, FIRST, PERSONS, THINGS

__all__ = ["Referents", "antecedent"]

_PERSONS = frozenset({EntityKind.PERSON})
_THINGS = frozenset({EntityKind.ORGANIZATION, EntityKind.PRODUCT, EntityKind.PLACE, EntityKind.WORK, EntityKind.EVENT})
# A thing somebody owns ("car") is of no kind that has a name of its own, but is what "it" means most.
_EARLIER_THINGS = _THINGS | {EntityKind.OTHER}


def antecedent(pronoun: str, earlier: Sequence[Mention], speaker: str | None = None) -> Mention | None:
    """Return whom a pronoun (lower case) without an antecedent in its text means, of the names before it, latest first.

    It is never the speaker.
    """
    kinds = _PERSONS if pronoun in PERSONS else _EARLIER_THINGS if pronoun in THINGS else frozenset[EntityKind]()
    if pronoun in EITHER:
        kinds = _EARLIER_THINGS | _PERSONS
    own = None if speaker is None else name_key(speaker)
    return next((known for known in earlier if known.kind in kinds and name_key(known.name) != own), None)


@dataclass(slots=True)
class Referents:
    """The names a text has said, by the character at which they stand."""

    speaker: str
    _said: list[tuple[int, str, EntityKind]] = field(default_factory=list[tuple[int, str, EntityKind]])

    def say(self, at: int, name: str, kind: EntityKind) -> None:
        """Note a name; names come in the order of the text."""
        self._said.append((at, name, kind))

    def of(self, pronoun: str, at: int) -> str | None:
        """Return whom a pronoun (lower case) at a character means, None if nobody of the text fits."""
        if pronoun in FIRST:
            return self.speaker
        if pronoun in PERSONS:
            return self._last(at, _PERSONS)
        if pronoun in THINGS:
            return self._last(at, _THINGS)
        return self._last(at, _THINGS | _PERSONS) if pronoun in EITHER else None

    def _last(self, at: int, kinds: frozenset[EntityKind]) -> str | None:
        # Only the recent ones: a pronoun seldom reaches back further, and a long text must stay linear.
        return next((name for place, name, kind in reversed(self._said[-64:]) if place < at and kind in kinds), None)
