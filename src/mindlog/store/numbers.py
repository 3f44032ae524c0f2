"""Hands out the numbers of new rows before there are rows. Knows no table."""

from __future__ import annotations

import threading

__all__ = ["Numbers"]


class Numbers:
    """Rising numbers, each handed out once; from any thread."""

    def __init__(self, first: int = 1) -> None:
        self._next = first
        self._mutex = threading.Lock()

    def take(self, count: int) -> range:
        """Return the next `count` numbers."""
        with self._mutex:
            first = self._next
            self._next += count
        return range(first, first + count)
