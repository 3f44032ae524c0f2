"""Whether memories are being written at this moment: derivation then lets them go first. Owns how long a moment is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from mindlog.store.base import Change

__all__ = ["RecentWrites"]

_MOMENT_SECONDS = 0.025
"""Longer than a large group takes to be committed, so that a burst is one; less than a caller of `wait=derived` would notice."""


class _Committing(Protocol):
    def on_commit(self, listener: Callable[[Sequence[Change]], None]) -> None: ...


class RecentWrites:
    """Listens to a store's commits of memories."""

    def __init__(self, store: _Committing, now: Callable[[], float] = time.monotonic) -> None:
        """now: seconds of a clock that never jumps."""
        self._now = now
        self._last = -math.inf
        store.on_commit(self._note)

    def any(self) -> bool:
        """Say whether a memory was committed a moment ago."""
        return self._now() - self._last < _MOMENT_SECONDS

    def _note(self, changes: Sequence[Change]) -> None:
        self._last = self._now()
