"""One lock for each dataset: whoever resolves and writes its graph holds it, so that one name becomes one entity.

Owns no thread: the locks are of one event loop. What is idle takes no memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

__all__ = ["DatasetLocks"]


@dataclass(slots=True)
class _Lock:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0  # who holds it or waits for it


class DatasetLocks:
    """The locks by dataset number. Whoever asked first gets it first."""

    def __init__(self) -> None:
        self._locks: dict[int, _Lock] = {}

    def __len__(self) -> int:
        """Return how many datasets have somebody who holds or waits."""
        return len(self._locks)

    @asynccontextmanager
    async def hold(self, dataset: int) -> AsyncGenerator[None]:
        """Hold the dataset's lock for the time of the context."""
        entry = self._locks.setdefault(dataset, _Lock())
        entry.users += 1
        try:
            async with entry.lock:
                yield
        finally:
            entry.users -= 1
            if not entry.users:
                del self._locks[dataset]
