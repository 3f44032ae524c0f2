"""What the store keeps in memory of its committed state: datasets, dedup keys, API keys, counters, models.

Only the writer changes it, and only after a commit; any thread may read it. Knows no SQL.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from mindlog.records import ApiKey, Dataset
from mindlog.store.base import ModelStamp
from mindlog.store.numbers import Numbers

__all__ = ["Counts", "Known"]


@dataclass(slots=True)
class Counts:
    """How many there are."""

    memories: int = 0
    forgotten: int = 0
    pending: int = 0  # derivation rows that are not finished

    def add(self, other: Counts) -> None:
        """Add the changes of a transaction."""
        self.memories += other.memories
        self.forgotten += other.forgotten
        self.pending += other.pending


@dataclass(slots=True)
class Known:
    """The committed state that reads and checks need at once."""

    model: ModelStamp
    model_id: int
    last_lsn: int = 0
    oldest_lsn: int = 1  # of the log
    told_lsn: int = 0  # up to which the commit listeners have heard everything
    next_slot: int = 1  # when the store was opened
    datasets: dict[str, Dataset] = field(default_factory=dict)
    owners: dict[bytes, int] = field(default_factory=dict)  # dedup key -> slot of the live memory that holds it
    keys: dict[bytes, ApiKey] = field(default_factory=dict)  # by hash of the secret
    dimensions: dict[int, int] = field(default_factory=dict)  # model id -> length of its vectors
    counts: Counts = field(default_factory=Counts)
    entities: Numbers = field(default_factory=Numbers)  # ids that are still free
    statements: Numbers = field(default_factory=Numbers)
    slots: itertools.count[int] = field(init=False)

    def __post_init__(self) -> None:
        """Start handing out slots after the last one persisted."""
        self.slots = itertools.count(self.next_slot)
