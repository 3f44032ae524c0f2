"""How models and indexes read a memory: its text with the speaker before it, and whether it asks. Knows nothing else.

The stored text stays verbatim. Questions name people, and a turn seldom names its own speaker; on labelled
conversations the semantic lane alone finds 47.6 % of the evidence in its first ten with the speaker and 32.6 % without.
"""

from __future__ import annotations

__all__ = ["asks", "spoken"]

_TAIL = 60
_MARKS = ("?", "？", "؟")


def asks(text: str) -> bool:
    """Say whether the text ends with a question: the next turn then answers it. Stores keep the same, by the same rule."""
    tail = text[-_TAIL:]
    return any(mark in tail for mark in _MARKS)


def spoken(agent: str | None, text: str) -> str:
    """Return `agent: text`, or the text alone if nobody is named."""
    return text if agent is None else f"{agent}: {text}"
