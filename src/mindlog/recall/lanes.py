"""The lanes: what each way of finding brings up, and the pool of candidates they make together."""

from __future__ import annotations

from datetime import UTC

import numpy as np
from numpy.typing import NDArray

from mindlog.clock import zone
from mindlog.index.base import Candidates
from mindlog.recall.cue import read_cue
from mindlog.recall.cuetime import CueTime, read_time
from mindlog.recall.job import Pool, RecallJob
from mindlog.store.graphrows import EvidenceRow, StatementQuery

__all__ = [
    "LANES",
    "gather",
    "narrow",
    "ranks",
    "read",
    "search_lexical",
    "search_questions",
    "search_semantic",
    "search_time",
]

LANES = ("semantic", "lexical", "questions", "graph", "time")
SEEDS = 100  # candidates whose neighbours and tokens are looked at, at least
DATED, INTERVALS = 200, 4  # pieces of evidence that are read for an interval, and intervals
_DAY = 86_400_000_000


async def read(job: RecallJob) -> None:
    """Read the cue and take the rows as they are now."""
    job.now = job.tools.clock.now() if job.request.as_of is None else job.request.as_of
    job.cue = read_cue(job.request.cue)
    job.time = read_time(job.request.cue, job.now, zone(job.dataset.timezone) if job.dataset.timezone else UTC)
    job.view = job.tools.indexes.view()


async def narrow(job: RecallJob) -> None:
    """Work out which rows may be hits: the dataset as of the instant, then every filter, exactly."""
    assert job.view is not None
    request, number = job.request, job.dataset.number
    job.reach = job.view.mask(number, as_of=request.as_of)
    job.mask = job.reach if request.filters.is_open else job.view.mask(number, request.filters, request.as_of)


async def search_semantic(job: RecallJob) -> None:
    """Find the rows nearest in meaning: every row has a vector, so this lane never comes back with fewer than exist."""
    assert job.mask is not None
    assert job.embedding is not None
    vector = job.embedding.vectors[0]
    job.lanes["semantic"] = job.tools.indexes.search_semantic(vector, job.mask, job.wanted)


async def search_lexical(job: RecallJob) -> None:
    """Find the rows that hold the cue's words."""
    assert job.mask is not None
    assert job.cue is not None
    job.match = job.tools.indexes.match_lexical(job.cue.terms, dataset=job.dataset.number)
    job.lanes["lexical"] = job.match.best(job.wanted, job.mask)


async def search_questions(job: RecallJob) -> None:
    """Find the rows that answer a question which is nearest to the cue."""
    assert job.mask is not None
    assert job.embedding is not None
    vector = job.embedding.vectors[0]
    job.lanes["questions"] = job.tools.indexes.search_questions(vector, job.mask, job.wanted)


async def search_time(job: RecallJob) -> None:
    """Find the rows of the time the cue names, by when they occurred or by the dates their words name; nearest in meaning first."""
    assert job.view is not None
    assert job.mask is not None
    assert job.time is not None
    assert job.embedding is not None
    job.lanes["time"] = Candidates(np.empty(0, np.int64), np.empty(0, np.float32))
    inside = _inside(job.time, job.view.occurred_at)
    if inside is None:
        return
    job.dated = _dated(job, inside.size)
    inside[job.dated] = True
    job.inside = inside & job.mask
    job.lanes["time"] = job.tools.indexes.search_semantic(job.embedding.vectors[0], job.inside, job.wanted)


def _inside(time: CueTime, at: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Say of each instant whether it is in the time the cue names, None if the cue names no time."""
    windows = time.relative or time.windows
    if not windows and not time.dates:
        return None
    found = np.zeros(at.size, np.bool_)
    days = at // _DAY
    for window in windows:
        found |= window.holds(at)
    for start, end in (span for dates in time.dates for span in dates.spans(days)):
        found |= (days >= start) & (days < end)
    return found


def _dated(job: RecallJob, length: int) -> NDArray[np.int64]:
    """Return the rows whose words date something in the time the cue names."""
    assert job.time is not None
    evidence = [each for interval in job.time.intervals[:INTERVALS] for each in _evidence(job, *interval)]
    slots = np.array([each.slot for each in evidence], np.int64)
    rows = job.tools.indexes.catalog.rows_of(slots, np.array([each.version for each in evidence], np.uint32))
    return np.unique(rows[(rows >= 0) & (rows < length)])


def _evidence(job: RecallJob, start: int, end: int) -> list[EvidenceRow]:
    """Return evidence with a date in the interval. A state that began before and goes on is of every later day: not that."""
    store, number = job.tools.store, job.dataset.number
    found = {statement for _, statement in store.evidence_in_time(number, start, end, DATED)}
    if not found:
        return []
    query = StatementQuery(dataset=number, now=job.now, ids=tuple(found), current=False, limit=len(found))
    evidence = [each for statement in store.statements(query) for each in statement.evidence]
    return [
        each
        for each in evidence
        if each.valid_from is not None
        and each.valid_from < end
        and (each.valid_from >= start or (each.valid_to is not None and each.valid_to > start))
    ]


async def gather(job: RecallJob) -> None:
    """Join the lanes' rows and the turns before and after them into one pool."""
    assert job.view is not None
    assert job.reach is not None
    assert job.mask is not None
    found = np.unique(np.concatenate([lane.rows for lane in job.lanes.values()]))
    around = job.view.neighbours(found, 1)
    around = around[around >= 0]
    rows = np.unique(np.concatenate([found, around[job.reach[around]]]))
    pool = Pool(rows=rows, previous=rows, next=rows, allowed=job.mask[rows])
    sides = job.view.neighbours(rows, 1)
    pool.previous, pool.next = pool.places(sides[:, 0]), pool.places(sides[:, 1])
    job.pool = pool


def ranks(lane: Candidates) -> dict[int, tuple[int, float]]:
    """Return the rank (from 1) and score of each row of a lane."""
    pairs = zip(lane.rows.tolist(), lane.scores.tolist(), strict=True)
    return {row: (rank, score) for rank, (row, score) in enumerate(pairs, 1)}
