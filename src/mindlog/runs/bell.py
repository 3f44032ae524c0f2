"""A call from another thread into an event loop, made once for all that ask for it meanwhile. Knows nothing of the call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["Bell"]


class Bell:
    """Rings on the loop: cheap enough for the writer's thread to ring at every commit."""

    __slots__ = ("_answer", "_loop", "_rung", "_silent")

    def __init__(self, loop: asyncio.AbstractEventLoop, answer: Callable[[], object]) -> None:
        self._loop = loop
        self._answer = answer
        self._rung = False
        self._silent = False

    def ring(self) -> None:
        """Have the loop call the answer soon; from any thread."""
        if not self._rung and not self._silent:
            self._rung = True
            self._loop.call_soon_threadsafe(self._hear)

    def silence(self) -> None:
        """Ring no more: the loop may end before whoever rings."""
        self._silent = True

    def _hear(self) -> None:
        # First: whoever rings from here on is heard again, and what rang before is there to be seen by the answer.
        self._rung = False
        self._answer()
