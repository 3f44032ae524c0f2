"""An answer that is made piece by piece: its thoughts kept back, its pieces joined. Knows no protocol and no connection."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from mindlog.models.endpoint import ChatReply
from mindlog.models.llm import Usage

__all__ = ["Aloud", "Say", "Telling"]

Say = Callable[[str], None]
"""Takes a piece of an answer; called on the event loop, in order."""

_TAGS = ("<think>", "<thinking>", "<thought>", "<reasoning>")
_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>", re.IGNORECASE)


class Aloud:
    """Says the pieces of a text, but not the thoughts it begins with."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._held = ""
        self._begun = False

    def __call__(self, piece: str) -> None:
        """Take the next piece."""
        if self._begun:
            if piece:
                self._say(piece)
            return
        self._held = _after_thoughts(self._held + piece)
        if self._held and not any(tag.startswith(self._held[: len(tag)].lower()) for tag in _TAGS):
            self._begun = True
            self._say(self._held)


def _after_thoughts(text: str) -> str:
    """Return the text without the blanks and the ended thoughts that it begins with."""
    text = text.lstrip()
    while (opening := _THOUGHT.match(text)) is not None:
        end = text.lower().find(f"</{opening[1].lower()}>", opening.end())
        if end < 0:
            break
        text = text[end + len(opening[1]) + 3 :].lstrip()
    return text


@dataclass(slots=True)
class Telling:
    """What a model has said so far. ended: whether it said that it was done."""

    say: Say
    text: list[str] = field(default_factory=list[str])
    refusal: str = ""
    usage: Usage | None = None
    cut_off: bool = False
    ended: bool = False

    def piece(self, text: str) -> None:
        """Take a piece of the answer."""
        if text:
            self.text.append(text)
            self.say(text)

    def reply(self) -> ChatReply:
        """Return the whole answer."""
        return ChatReply(text="".join(self.text), usage=self.usage, cut_off=self.cut_off, refusal=self.refusal or None)
