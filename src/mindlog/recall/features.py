"""What is measured of each candidate, on absolute scales: no measure depends on which others are in the pool.

Owns the measures; `fuse` weighs them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindlog.index.base import Candidates
from mindlog.recall.cue import HUMAN, token_weights, words
from mindlog.recall.cuetime import CueTime
from mindlog.recall.job import Pool, RecallJob
from mindlog.recall.lanes import SEEDS
from mindlog.recall.tokens import token_maxima

__all__ = ["measure", "measure_tokens"]

Floats = NDArray[np.float32]

# A long text has many windows, and the best of many is high by chance: what one more factor e of windows takes off.
WINDOW_PENALTY = 0.07
# A cue's token may be met in the turn before or after instead (a question names what its answer does not).
MET_BEFORE, MET_AFTER = 0.8, 0.5
AFTER_DAYS, BEFORE_DAYS = 10.0, 3.0  # how fast a date named in the cue fades after and before it
LONG_RANGE_DAYS, LONG_RANGE_VALUE = 200, 0.3
QUESTION_MARGIN = np.float32(0.1)  # a question is short, as a cue is: that alone brings them nearer
DATED_VALUE = np.float32(0.3)  # of a memory whose words name a date in the time
_DAY = 86_400_000_000
_FIRST_OF_ALL = np.float32(1000)


async def measure(job: RecallJob) -> None:
    """Measure what needs no token states: meaning, words, questions, statements, who speaks and asks, dates."""
    assert job.pool is not None
    assert job.cue is not None
    assert job.view is not None
    pool, view, features = job.pool, job.view, job.pool.features
    cosines = _cosines(job, pool)
    penalty = WINDOW_PENALTY * np.log(np.maximum(job.tools.indexes.window_counts(pool.rows), 1))
    features["semantic"] = cosines - penalty.astype(np.float32)
    features["lexical"] = _lexical(job, pool.rows)
    features["questions"] = _questions(job, pool, cosines)
    # Squared: what meets a part of the cue is often about something else.
    features["graph"] = np.square(_spread(pool, job.lanes["graph"]))
    features["asks"] = view.asks[pool.rows].astype(np.float32)
    features["speaker"], features["human"] = _speakers(job, pool)
    features["time"] = _times(job, pool)
    if job.inside is not None:
        job.lanes["time"] = _in_time(pool, job.inside, cosines)


def _cosines(job: RecallJob, pool: Pool) -> Floats:
    """Return each candidate's cosine: known of those the lane brought up."""
    assert job.embedding is not None
    lane = job.lanes["semantic"]
    cosines = _spread(pool, lane)
    others = np.ones(pool.rows.size, np.bool_)
    others[pool.places(lane.rows)] = False
    cosines[others] = job.tools.indexes.semantic_scores(job.embedding.vectors[0], pool.rows[others])
    return cosines


def _spread(pool: Pool, lane: Candidates) -> Floats:
    """Return the lane's scores by place in the pool, 0 where it has none."""
    scores = np.zeros(pool.rows.size, np.float32)
    scores[pool.places(lane.rows)] = lane.scores
    return scores


def _questions(job: RecallJob, pool: Pool, cosines: Floats) -> Floats:
    """Return how much nearer than its text, and a margin more, a memory's nearest question is to the cue; 0 if it is not."""
    return np.maximum(_spread(pool, job.lanes["questions"]) - cosines - QUESTION_MARGIN, np.float32(0))


def _lexical(job: RecallJob, rows: NDArray[np.int64]) -> Floats:
    """BM25 as a share of what the cue's terms weigh together, so that long and short cues are alike."""
    assert job.match is not None
    return (job.match.of(rows) / max(job.match.weight, 1e-9)).astype(np.float32)


def _speakers(job: RecallJob, pool: Pool) -> tuple[Floats, Floats]:
    assert job.view is not None
    assert job.cue is not None
    codes = job.view.agent[pool.rows]
    named = np.zeros(pool.rows.size, np.float32)
    human = np.zeros(pool.rows.size, np.float32)
    for code in np.unique(codes).tolist():
        here = codes == code
        name = job.view.agent_name(int(pool.rows[np.argmax(here)])) if code >= 0 else None
        if name is not None:
            named[here] = not job.cue.words.isdisjoint(words(name))
            human[here] = job.cue.first_person and name.casefold() in HUMAN
    return named, human


def _times(job: RecallJob, pool: Pool) -> Floats:
    """Return how near each candidate is to the time the cue names outright; what its words date there is in it."""
    assert job.view is not None
    assert job.time is not None
    scores = time_scores(job.time, job.view.occurred_at[pool.rows])
    if not job.time.relative:
        np.maximum(scores, DATED_VALUE * np.isin(pool.rows, job.dated), out=scores)
    return scores


def _in_time(pool: Pool, inside: NDArray[np.bool_], cosines: Floats) -> Candidates:
    """Return the time lane with every candidate that is in the time, whichever lane brought it up."""
    places = np.flatnonzero(inside[pool.rows])
    places = places[np.argsort(-cosines[places], kind="stable")]
    return Candidates(pool.rows[places], cosines[places])


def time_scores(time: CueTime, occurred_at: NDArray[np.int64]) -> Floats:
    """Return 1 within a day or month the cue names outright, less the further after or before it, little for a whole year.

    What happened on a day is often told in the days after it, seldom before. A relative time is no matter of more or less.
    """
    scores = np.zeros(occurred_at.size, np.float32)
    days = occurred_at // _DAY
    spans = [span for dates in time.dates for span in dates.spans(days)]
    spans += [(window.start // _DAY, -(-window.end // _DAY)) for window in time.windows]
    for start, end in spans:
        np.maximum(scores, _nearness(days, start, end), out=scores)
    return scores


def _nearness(days: NDArray[np.int64], start: int, end: int) -> Floats:
    inside = (days >= start) & (days < end)
    if end - start > LONG_RANGE_DAYS:
        return np.where(inside, LONG_RANGE_VALUE, 0.0).astype(np.float32)
    after = np.exp(-np.maximum(days - end, 0) / AFTER_DAYS)
    before = np.exp(-np.maximum(start - days, 0) / BEFORE_DAYS)
    return np.where(inside, 1.0, np.where(days >= end, after, before)).astype(np.float32)


async def measure_tokens(job: RecallJob) -> None:
    """Measure late interaction for the most promising candidates and the turns beside them; 0 for the rest."""
    assert job.pool is not None
    assert job.embedding is not None
    pool = job.pool
    pool.features["tokens"] = np.zeros(pool.rows.size, np.float32)
    states = job.embedding.states
    if states is None or not len(states) or not pool.rows.size:
        return
    places = _seeds(job)
    met = _met(job, states, places)
    weights = _cue_weights(job, len(states))
    pool.features["tokens"][places] = weights @ met / weights.sum()


def _seeds(job: RecallJob) -> NDArray[np.int64]:
    assert job.pool is not None
    pool = job.pool
    first = 0.5 * pool.features["lexical"] + pool.features["semantic"]
    if job.inside_first is not None:
        first = first + _FIRST_OF_ALL * job.inside_first[pool.rows]
    first = np.where(pool.allowed, first, -np.inf)
    seeds = np.argsort(-first, kind="stable")[: max(SEEDS, job.request.limit)]
    around = np.concatenate([seeds, pool.previous[seeds], pool.next[seeds]])
    return np.unique(around[around >= 0])


def _met(job: RecallJob, states: NDArray[np.int8], places: NDArray[np.int64]) -> Floats:
    """Return (tokens, places): how well each token is met by the memory or, counted less, by a neighbour."""
    assert job.pool is not None
    assert job.view is not None
    pool = job.pool
    slots = job.view.slot[pool.rows[places]].tolist()
    stored = job.tools.store.states(slots)
    met = token_maxima(states, [stored.get(slot) for slot in slots])
    # One more column of zeros stands for "no neighbour here".
    column = np.full(pool.rows.size + 1, len(places), np.int64)
    column[places] = np.arange(len(places))
    wide = np.concatenate([met, np.zeros((len(met), 1), np.float32)], axis=1)
    before, after = wide[:, column[pool.previous[places]]], wide[:, column[pool.next[places]]]
    return np.maximum(met, np.maximum(MET_BEFORE * before, MET_AFTER * after))


def _cue_weights(job: RecallJob, tokens: int) -> Floats:
    assert job.embedding is not None
    assert job.match is not None
    spans = job.embedding.state_spans
    if spans is None:
        return np.ones(tokens, np.float32)
    return token_weights(job.request.cue, spans, job.match.idf)
