"""Fusion: one score from all measures, the session's neighbourhood, and the order of the hits. Owns the weights.

The weights were chosen on one half of two sets of labelled conversations and checked on the other (docs/recall.md).
A sum, so no measure can veto: what one lane alone found survives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindlog.recall.job import Pool, RecallJob

__all__ = ["WEIGHTS", "fuse", "ranked"]

WEIGHTS = {"lexical": 0.5, "semantic": 1.0, "tokens": 2.0}
# Of the next turn's score: an answer vouches for its question's turn. The last turn vouches for itself, or what has
# just been written would rank below its likes.
NEXT = 0.3
ANSWERS = 0.28  # of the previous turn's score, if that turn asks
SESSION = 0.75  # of the best score in the session
ASKS, SPEAKER, TIME, HUMAN = -0.1, 0.25, 1.7, 0.75
QUESTIONS, GRAPH = 0.75, 1.5
# A text whose words fit so many times better than any other text's is a hit, whatever the sum says of it: a sum of
# shares cannot see a name in a very long text. It happens to one question in three hundred and costs no other a place.
STANDS_OUT = 1.5
_ENOUGH = 3  # hits, of which the last may be given away


async def fuse(job: RecallJob) -> None:
    """Score the pool and order those that may be hits, best first; ties by rising row."""
    assert job.pool is not None
    assert job.view is not None
    pool = job.pool
    features = pool.features
    own = np.sum([np.float32(weight) * features[name] for name, weight in WEIGHTS.items()], axis=0)
    score = own + NEXT * np.where(pool.next >= 0, pool.after(own), own)
    score += ANSWERS * pool.before(own * features["asks"])
    score += SESSION * _session_best(own, job.view.session[pool.rows])
    score += ASKS * features["asks"] + SPEAKER * features["speaker"]
    score += TIME * features["time"] + HUMAN * features["human"]
    score += QUESTIONS * features["questions"] + GRAPH * features["graph"]
    pool.score = score.astype(np.float32)
    _raise_successors(job, pool)
    order = ranked(job, np.flatnonzero(pool.allowed))
    job.order = _with_outstanding(job, pool, order[: job.request.limit])


def _raise_successors(job: RecallJob, pool: Pool) -> None:
    """Put what has superseded a statement just above the memories that say nothing but the superseded one."""
    for succession in job.trail.successions if job.trail is not None else ():
        old, new = _found(pool, succession.old), _found(pool, succession.new)
        if old.size and new.size:
            best, least = new[np.argmax(pool.score[new])], pool.score[old].max()
            if pool.score[best] <= least:
                pool.score[best] = np.nextafter(least, np.float32(np.inf))


def _found(pool: Pool, rows: Sequence[int]) -> NDArray[np.int64]:
    places = pool.places(np.array(rows, np.int64))
    places = places[places >= 0]
    return places[pool.allowed[places]]


def ranked(job: RecallJob, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return places of the pool, given rising, best first; those in a relative time the cue names before all others."""
    assert job.pool is not None
    order = places[np.argsort(-job.pool.score[places], kind="stable")]
    if job.inside_first is None:
        return order
    inside = job.inside_first[job.pool.rows[order]]
    return np.concatenate([order[inside], order[~inside]])


def _with_outstanding(job: RecallJob, pool: Pool, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the last place to the text whose words stand out, if it has none and the time the cue names allows it."""
    lane = job.lanes.get("lexical")
    if lane is None or not lane.rows.size or len(order) < _ENOUGH:
        return order
    if lane.rows.size > 1 and lane.scores[0] < STANDS_OUT * lane.scores[1]:
        return order
    if job.inside_first is not None and not job.inside_first[lane.rows[0]]:
        return order
    place = pool.places(lane.rows[:1])
    return order if np.isin(place, order).all() else np.append(order[:-1], place)


def _session_best(own: NDArray[np.float32], session: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the best score of each entry's session; a memory without a session is its own."""
    if not own.size:
        return own
    best = np.full(int(session.max(initial=-1)) + 2, -np.inf, np.float32)
    np.maximum.at(best, session, own)  # -1, no session, falls on the last place
    return np.where(session >= 0, best[session], own)
