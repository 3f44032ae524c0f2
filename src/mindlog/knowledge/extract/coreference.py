"""Who a pronoun of a parsed text is: by rules, the last name before it that it can stand for. Knows no claim."""

from __future__ import annotations

from dataclasses import dataclass, field

from mindlog.knowledge.extraction import EntityKind
from mindlog.knowledge.wordlist import wordlist

__all__ = ["Referents"]

_SPEAKER = wordlist("i me my mine myself we us our ours ourselves")
_PERSON = wordlist("he him his himself she her hers herself")
_THING = frozenset(["it", "its", "itself"])
_ANY = wordlist("they them their theirs themselves")
_THINGS = frozenset({EntityKind.ORGANIZATION, EntityKind.PRODUCT, EntityKind.PLACE, EntityKind.WORK, EntityKind.EVENT})


@dataclass(slots=True)
class Referents:
    """The names a text has said, by the character at which they stand."""

    speaker: str
    _said: list[tuple[int, str, EntityKind]] = field(default_factory=list[tuple[int, str, EntityKind]])

    def say(self, at: int, name: str, kind: EntityKind) -> None:
        """Note a name; names come in the order of the text."""
        self._said.append((at, name, kind))

    def of(self, pronoun: str, at: int) -> str | None:
        """Return whom a pronoun (lower case) at a character means, None if nobody fits."""
        if pronoun in _SPEAKER:
            return self.speaker
        if pronoun in _PERSON:
            return self._last(at, frozenset({EntityKind.PERSON}))
        if pronoun in _THING:
            return self._last(at, _THINGS)
        return self._last(at, _THINGS | {EntityKind.PERSON}) if pronoun in _ANY else None

    def _last(self, at: int, kinds: frozenset[EntityKind]) -> str | None:
        # Only the recent ones: a pronoun seldom reaches back further, and a long text must stay linear.
        return next((name for place, name, kind in reversed(self._said[-64:]) if place < at and kind in kinds), None)
