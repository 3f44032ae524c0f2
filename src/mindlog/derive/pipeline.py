"""DERIVE: the stages of one memory after its ack, and the entry function. Each is on record with what it made."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import numpy as np

from mindlog.derive.edges import auto_edge, temporal_edge
from mindlog.derive.extractor import extractor
from mindlog.derive.hype import hype
from mindlog.derive.job import DeriveJob, DeriveTools, Place
from mindlog.derive.text import memory_text
from mindlog.ids import run_id
from mindlog.models.inference import run_scope
from mindlog.pipeline import ADVISORY, UNOBSERVED, Fanout, Observer, Stage, Steps, run
from mindlog.records import MemoryState
from mindlog.runs.attempt import Attempt
from mindlog.runs.runlog import RunLog
from mindlog.store.runrows import ClaimedRun
from mindlog.testing.faults import fault

__all__ = ["DERIVE", "derive"]


def _stage(name: str, work: Callable[[DeriveJob], Awaitable[None]]) -> Stage[DeriveJob]:
    """Return a stage that runs once: not where an earlier attempt has settled it, nor when the attempt is over."""
    before, after = f"before_stage:{name}", f"in_stage:{name}"

    async def at_work(job: DeriveJob) -> None:
        fault(before)
        await work(job)
        fault(after)

    return Stage(name, at_work, policy=ADVISORY, enabled=lambda job: job.wants(name))


DERIVE: Steps[DeriveJob] = (
    _stage("auto_edge", auto_edge),
    _stage("temporal_edge", temporal_edge),
    _stage("memory_text", memory_text),
    _stage("extractor", extractor),
    _stage("hype", hype),
)

# What these make no later stage reads from the store, so nothing waits for their commits but the run's end.
_READ_BY_NO_STAGE = ("auto_edge", "temporal_edge", "memory_text")


async def derive(run_: ClaimedRun, owner: str, tools: DeriveTools, observer: Observer = UNOBSERVED) -> Attempt:
    """Make one attempt at a run that `owner` holds; return how it went.

    What a stage holds the run log lets go of when the stage's end is committed, also if the attempt is cancelled meanwhile.
    """
    job = await asyncio.to_thread(_load, run_, tools)
    if job is None:
        return Attempt(gone=True)
    record = RunLog(tools.store, run_, owner, job, tools.clock, long=tools.llm is not None, unhurried=_READ_BY_NO_STAGE)
    job.attempt = record.attempt
    try:
        with run_scope(run_id(run_.id), job.dataset.name):
            await run(DERIVE, job, Fanout(record, observer))
    finally:
        await record.settle()
    fault("after_stages")
    return record.attempt


def _load(run_: ClaimedRun, tools: DeriveTools) -> DeriveJob | None:
    """Read the memory and where it stands; None if the revision is no longer current or is forgotten."""
    slot, version, store = run_.slot, run_.version, tools.store
    memory = store.memory(slot, version)
    if memory is None or not memory.is_current or memory.state is not MemoryState.LIVE:
        return None
    dataset = store.dataset(memory.dataset)
    assert dataset is not None  # a memory's dataset stays as long as the memory
    view = tools.indexes.view()
    row = int(tools.indexes.catalog.rows_of(np.array([slot]), np.array([version], np.uint32))[0])
    none = np.empty((0, tools.embedder.dimensions), np.float32)
    place = Place(view=view, row=row if row < view.length else -1, vectors=store.vectors([slot]).get(slot, none))
    return DeriveJob(run=run_, memory=memory, dataset=dataset, tools=tools, place=place)
