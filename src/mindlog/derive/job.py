"""The state of one derivation: the memory, what a stage hands to the run log, what the stages leave for each other.

Knows no concrete backend and no stage.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any

from mindlog.clock import zone
from mindlog.runs.attempt import Attempt
from mindlog.runs.runlog import settled_stages

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy as np
    from numpy.typing import NDArray

    from mindlog.clock import Clock
    from mindlog.index.base import Candidates
    from mindlog.index.catalog import View
    from mindlog.index.indexes import Indexes
    from mindlog.knowledge.locks import DatasetLocks
    from mindlog.knowledge.namevectors import NameVectors
    from mindlog.knowledge.reading import Reading
    from mindlog.models.embedder import Embedder
    from mindlog.models.llm import LLM
    from mindlog.records import Dataset, Memory
    from mindlog.settings import Settings
    from mindlog.store.base import Store
    from mindlog.store.runrows import ClaimedRun, StageResults

__all__ = ["DeriveJob", "DeriveTools", "Place"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeriveTools:
    """What the stages work with, the same for every memory. `reader` belongs to it and ends with it."""

    store: Store
    indexes: Indexes
    embedder: Embedder
    reader: Reading
    llm: LLM | None
    settings: Settings
    locks: DatasetLocks
    names: NameVectors
    clock: Clock

    def zone_of(self, dataset: Dataset) -> tzinfo:
        """Return the zone in which the dataset's texts mean "yesterday"."""
        return zone(dataset.timezone) if dataset.timezone else UTC

    async def aclose(self) -> None:
        """End the reader's thread; the rest belongs to others."""
        await self.reader.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the memory stands: its row in a view of the catalog, -1 if that does not show it, and its vectors (windows, d)."""

    view: View
    row: int
    vectors: NDArray[np.float32]


@dataclass(slots=True, kw_only=True)
class DeriveJob:
    """One attempt at one memory.

    results, output: of the stage that is running. A stage sets them and the run log takes them when the stage has ended.
    held: what a stage holds until its results are committed.
    attempt: how it goes so far, as the run log sees it.
    near: the memories nearest in meaning; None until somebody has looked for them.
    has_statements: whether the extractor has found any; None if it did not run in this attempt.
    """

    run: ClaimedRun
    memory: Memory
    dataset: Dataset
    tools: DeriveTools
    place: Place
    results: StageResults | None = None
    output: dict[str, Any] = field(default_factory=dict[str, Any])
    held: AsyncExitStack = field(default_factory=AsyncExitStack)
    attempt: Attempt = field(default_factory=Attempt)
    near: Candidates | None = None
    has_statements: bool | None = None

    @property
    def slot(self) -> int:
        """The memory's slot."""
        return self.memory.id.slot

    def wants(self, stage: str) -> bool:
        """Say whether the stage is to run: no earlier attempt has settled it, and what it makes can still be recorded."""
        return not self.attempt.is_over and stage not in settled_stages(self.run)

    def take(self) -> tuple[StageResults | None, dict[str, Any]]:
        """Return the results and the output of the stage that has ended, and forget them."""
        taken = self.results, self.output
        self.results, self.output = None, {}
        return taken

    async def release(self) -> None:
        """Let go of what the stage held."""
        await self.held.aclose()
