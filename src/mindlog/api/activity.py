"""How often a server was written to, asked, and had runs, minute by minute. Owns how long that is remembered."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

__all__ = ["KEPT_MINUTES", "Activity", "Minute"]

KEPT_MINUTES = 24 * 60

_KINDS = {
    "encode": "writes",
    "encode_vector": "writes",
    "encode_batch": "writes",
    "edit": "writes",
    "remember": "writes",
    "keep_image": "writes",
    "recall": "recalls",
    "query": "queries",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Minute:
    """What happened in the minute that began at `at` (seconds since 1970): calls that write, recalls, questions, runs begun."""

    at: int
    writes: int = 0
    recalls: int = 0
    queries: int = 0
    runs: int = 0


class Activity:
    """Counts by the minute since the server started, of the last day at most. Its methods may be called from any thread."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now, self._lock = now, Lock()
        self._first = self._minute()
        self._counts: OrderedDict[int, Counter[str]] = OrderedDict()

    def called(self, operation: str) -> None:
        """Count a call of the engine; of one that neither writes nor asks nothing is kept."""
        if operation in _KINDS:
            self._add(_KINDS[operation])

    def begun(self) -> None:
        """Count a run behind the calls: a derivation or the reading of a document."""
        self._add("runs")

    def minutes(self, most: int) -> list[Minute]:
        """Return the newest minutes, oldest first, the present one last; those in which nothing happened too."""
        last = self._minute()
        with self._lock:
            counts = {at: dict(counted) for at, counted in self._counts.items()}
        first = max(self._first, last - min(most, KEPT_MINUTES) + 1)
        return [Minute(at=60 * at, **counts.get(at, {})) for at in range(first, last + 1)]

    def _add(self, kind: str) -> None:
        at = self._minute()
        with self._lock:
            self._counts.setdefault(at, Counter())[kind] += 1
            while len(self._counts) > KEPT_MINUTES:
                self._counts.popitem(last=False)

    def _minute(self) -> int:
        return int(self._now() // 60)
