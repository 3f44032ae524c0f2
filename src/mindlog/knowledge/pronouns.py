"""Pronouns of English by whom they can stand for. Knows no text."""

from __future__ import annotations

from typing import Final

from mindlog.knowledge.wordlist import wordlist

__all__ = ["EITHER", "FIRST", "PERSONS", "PRONOUNS", "THINGS"]

FIRST: Final = wordlist("i me my mine myself we us our ours ourselves")
"""Whoever speaks."""

PERSONS: Final = wordlist("he him his himself she her hers herself")
"""A person."""

THINGS: Final = wordlist("it its itself")
"""A thing, a place, an organisation."""

EITHER: Final = wordlist("they them their theirs themselves")
"""Persons or things."""

PRONOUNS: Final = PERSONS | THINGS | EITHER
"""What can stand for a name that was said before."""
