"""The lanes: what each way of finding brings up, and the pool of candidates they make together."""

from __future__ import annotations

import numpy as np

from mindlog.index.base import Candidates
from mindlog.recall.cue import read_cue
from mindlog.recall.job import Pool, RecallJob

__all__ = ["LANES", "gather", "narrow", "read", "search_lexical", "search_semantic"]

LANES = ("semantic", "lexical")
CANDIDATES = 100  # of a lane, at least; measured: 300 find no more, 50 find less
SEEDS = 100  # candidates whose neighbours and tokens are looked at, at least


async def read(job: RecallJob) -> None:
    """Read the cue and take the rows as they are now."""
    job.cue = read_cue(job.request.cue)
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
    job.lanes["semantic"] = job.tools.indexes.search_semantic(vector, job.mask, _wanted(job))


async def search_lexical(job: RecallJob) -> None:
    """Find the rows that hold the cue's words."""
    assert job.mask is not None
    assert job.cue is not None
    job.match = job.tools.indexes.match_lexical(job.cue.terms, dataset=job.dataset.number)
    job.lanes["lexical"] = job.match.best(_wanted(job), job.mask)


def _wanted(job: RecallJob) -> int:
    return max(CANDIDATES, 2 * job.request.limit)


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
