"""The state of one recall: the cue as it was read, the pool of candidates and what is known of each. Knows no formula."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mindlog.clock import Clock, SystemClock
from mindlog.index.base import Candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mindlog.index.bm25 import Match
    from mindlog.index.catalog import View
    from mindlog.index.indexes import Indexes
    from mindlog.models.embedder import Embedder, TextEmbedding
    from mindlog.recall.cue import Cue
    from mindlog.recall.cuetime import CueTime
    from mindlog.recall.graph import Trail
    from mindlog.records import Dataset, Hit, RecallRequest
    from mindlog.store.base import Store

__all__ = ["Pool", "RecallJob", "RecallTools"]

CANDIDATES = 100  # of a lane, at least; measured: 300 find no more, 50 find less


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTools:
    """What the stages work with, the same for every call."""

    store: Store
    indexes: Indexes
    embedder: Embedder
    clock: Clock = field(default_factory=SystemClock)


@dataclass(slots=True, kw_only=True)
class Pool:
    """The candidates and the turns around them: one entry a row, rows rising.

    previous, next: places in the pool of the neighbours in the session, -1 for none.
    allowed: whether the entry may be a hit; the others only lend their scores to their neighbours.
    """

    rows: NDArray[np.int64]
    previous: NDArray[np.int64]
    next: NDArray[np.int64]
    allowed: NDArray[np.bool_]
    features: dict[str, NDArray[np.float32]] = field(default_factory=dict[str, Any])
    score: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the rows are in the pool, -1 for those that are not."""
        if not self.rows.size:
            return np.full(rows.size, -1, np.int64)
        at = np.minimum(np.searchsorted(self.rows, rows), self.rows.size - 1)
        return np.where(self.rows[at] == rows, at, -1)

    def before(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return each entry's previous neighbour's value, 0 where there is none."""
        return _moved(values, self.previous)

    def after(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return each entry's next neighbour's value, 0 where there is none."""
        return _moved(values, self.next)


@dataclass(slots=True, kw_only=True)
class RecallJob:
    """One call."""

    request: RecallRequest
    dataset: Dataset
    tools: RecallTools
    embedding: TextEmbedding | None = None
    now: int = 0  # the instant asked for, or the clock's
    cue: Cue | None = None
    time: CueTime | None = None
    view: View | None = None
    reach: NDArray[np.bool_] | None = None  # rows of the dataset as of the instant asked for
    mask: NDArray[np.bool_] | None = None  # those that pass the filters too
    match: Match | None = None
    lanes: dict[str, Candidates] = field(default_factory=dict[str, Candidates])
    inside: NDArray[np.bool_] | None = (
        None  # rows that may be hits and are in the time the cue names, None if it names none
    )
    dated: NDArray[np.int64] = field(
        default_factory=lambda: np.empty(0, np.int64)
    )  # rows whose words name a date in it
    trail: Trail | None = None
    pool: Pool | None = None
    order: NDArray[np.int64] | None = None  # places in the pool, best first
    hits: tuple[Hit, ...] = ()
    context: str | None = None

    @property
    def inside_first(self) -> NDArray[np.bool_] | None:
        """The rows that come before all others: those in a time that the cue names relative to now; None if it names none."""
        return self.inside if self.time is not None and self.time.relative else None

    @property
    def wanted(self) -> int:
        """How many candidates a lane brings up at most."""
        return max(CANDIDATES, 2 * self.request.limit)


def _moved(values: NDArray[np.float32], places: NDArray[np.int64]) -> NDArray[np.float32]:
    if not values.size:
        return values
    return np.where(places >= 0, values[places], np.float32(0))
