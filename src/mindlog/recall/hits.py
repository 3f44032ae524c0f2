"""From places in the pool to what the caller gets: memories with their scores, and the context block."""

from __future__ import annotations

from mindlog.recall.context import pack
from mindlog.recall.job import RecallJob
from mindlog.recall.lanes import ranks
from mindlog.records import Hit, LaneScore, Memory, MemoryState
from mindlog.store.base import Store

__all__ = ["read_hits"]


async def read_hits(job: RecallJob) -> None:
    """Read the memories of the best places and pack the context if a budget was given."""
    assert job.pool is not None
    assert job.order is not None
    assert job.view is not None
    rows = job.pool.rows[job.order].tolist()
    slots = job.view.slot[rows].tolist()
    versions = job.view.version[rows].tolist()
    memories = {memory.id.slot: memory for memory in _memories(job, dict(zip(slots, versions, strict=True)))}
    lanes = {name: ranks(lane) for name, lane in job.lanes.items()}
    scores = job.pool.score[job.order].tolist()
    job.hits = tuple(
        Hit(
            memory=memories[slot],
            score=score,
            lanes={
                name: LaneScore(rank=found[row][0], score=found[row][1])
                for name, found in lanes.items()
                if row in found
            },
        )
        for row, slot, score in zip(rows, slots, scores, strict=True)
        if slot in memories
    )
    if job.request.budget_tokens is not None:
        job.context = pack(job.hits, job.request.budget_tokens)


def _memories(job: RecallJob, versions: dict[int, int]) -> list[Memory]:
    """Return what is shown for each slot; `versions` are those that matched."""
    store, at = job.tools.store, job.request.as_of
    if at is not None:
        # What matched is the current revision; what is shown is the one that was current then.
        shown = (store.memory_as_of(slot, at) for slot in versions)
    else:
        shown = (_as_matched(store, memory, versions) for memory in store.memories(list(versions)))
    return [memory for memory in shown if memory is not None and memory.state is MemoryState.LIVE]


def _as_matched(store: Store, memory: Memory, versions: dict[int, int]) -> Memory | None:
    # One that was edited since the rows were taken: the revision that passed the filters is the one to show.
    version = versions[memory.id.slot]
    return memory if memory.id.version == version else store.memory(memory.id.slot, version)
