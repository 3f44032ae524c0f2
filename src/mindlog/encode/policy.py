"""The router policy: which kind and salience a memory gets when the caller names none.

Deterministic and cheap, from the text and the request alone. The rules are those of docs/concepts.md; a caller's own
value always wins.
"""

from __future__ import annotations

import re

from mindlog.records import EncodeRequest, MemoryKind

__all__ = ["kind_of", "salience_of"]

BASE = 0.5
_WORD = re.compile(r"\w+")
_FIGURE = re.compile(r"\d")
_FIRST_PERSON = frozenset(("i", "my", "mine", "we", "our"))
_LASTING = frozenset({
    "always", "never", "prefer", "prefers", "favourite", "favorite", "allergic", "remember", "important", "must",
    "password", "deadline", "birthday",
})  # fmt: skip
_FILLER = frozenset({
    "hi", "hey", "hello", "ok", "okay", "yes", "no", "yeah", "sure", "thanks", "thank", "you", "great", "cool", "wow",
    "bye", "good", "morning", "night",
})  # fmt: skip
# A long text is judged by its opening: the policy stands before the ack and must cost microseconds.
_LOOKED_AT = 2000
_SHORT = 20


def kind_of(request: EncodeRequest) -> MemoryKind:
    """Return episodic for what belongs to a session or a moment, semantic for what stands alone."""
    stands_alone = request.session is None and request.occurred_at is None
    return MemoryKind.SEMANTIC if stands_alone else MemoryKind.EPISODIC


def salience_of(text: str) -> float:
    """Return 0.05 to 1: half, more for lasting words, first person and figures, less for filler, questions, short texts."""
    opening = text[:_LOOKED_AT].strip()
    words = set(_WORD.findall(opening.casefold()))
    if words and words <= _FILLER:
        return 0.1
    salience = BASE
    salience += 0.0 if words.isdisjoint(_LASTING) else 0.2
    salience += 0.0 if words.isdisjoint(_FIRST_PERSON) else 0.1
    salience += 0.1 if _FIGURE.search(opening) else 0.0
    salience -= 0.1 if opening.endswith("?") else 0.0
    salience -= 0.1 if len(opening) < _SHORT else 0.0
    return round(min(1.0, max(0.05, salience)), 2)
