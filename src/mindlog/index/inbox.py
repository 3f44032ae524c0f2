"""Commits that the indexes have noted and not yet taken in: a write pays for a note, whoever looks next for the rest.

Owns the order and the count; knows no index.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

__all__ = ["Inbox"]

T = TypeVar("T")


class Inbox(Generic[T]):
    """One thread puts; any thread sees whether something waits; takers take turns under a lock of their own."""

    def __init__(self) -> None:
        self._commits: deque[Sequence[T]] = deque()
        self._put = 0
        self._taken = 0

    @property
    def waiting(self) -> int:
        """How many changes are noted and not taken in; 0 only once what was taken in can be seen."""
        return self._put - self._taken

    def put(self, changes: Sequence[T]) -> None:
        """Note a commit."""
        # Counted first: a reader that was told of the commit must not find the count at 0.
        self._put += len(changes)
        self._commits.append(changes)

    def take(self, work: Callable[[Sequence[T]], None]) -> None:
        """Have the work take in all that waits, in order, as one."""
        changes: list[T] = []
        for _ in range(len(self._commits)):
            changes += self._commits.popleft()
        if changes:
            work(changes)
            self._taken += len(changes)
