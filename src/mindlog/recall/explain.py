"""Why a memory that was expected is among the hits, or at which step it fell out. Made only when asked for."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from mindlog.filters import Filters
from mindlog.ids import MemoryId
from mindlog.recall import fuse
from mindlog.recall.job import RecallJob
from mindlog.recall.lanes import ranks

__all__ = ["explanations", "measures"]


def explanations(job: RecallJob) -> dict[str, Any]:
    """Return why each memory asked about is where it is, or is not there."""
    return {"explained": [_explain(job, memory_id) for memory_id in job.request.explain_ids]}


def measures(job: RecallJob, at: int) -> dict[str, Any]:
    """Return the score and every measure of a place in the pool."""
    assert job.pool is not None
    pool = job.pool
    measured = {name: round(float(values[at]), 6) for name, values in pool.features.items()}
    return {"score": round(float(pool.score[at]), 6), "may_be_hit": bool(pool.allowed[at]), "measures": measured}


def _explain(job: RecallJob, memory_id: str) -> dict[str, Any]:
    """Say where the memory is, or at which step it fell out."""
    return {"memory_id": memory_id, **_reason(job, MemoryId.parse(memory_id, "explain_ids"))}


def _reason(job: RecallJob, wanted: MemoryId) -> dict[str, Any]:
    assert job.view is not None
    assert job.reach is not None
    assert job.mask is not None
    assert job.pool is not None
    row = int(job.tools.indexes.catalog.rows(np.array([wanted.slot]))[0])
    if not 0 <= row < job.reach.size or not job.reach[row]:
        return {"outcome": "out_of_reach", "why": "no live memory of this dataset at that instant has this id"}
    if not job.mask[row]:
        return {"outcome": "filtered", "why": f"dropped by {', '.join(_dropping(job, row))}"}
    place = int(job.pool.places(np.array([row]))[0])
    if place < 0:
        return {"outcome": "not_a_candidate", "why": "no lane brought it up", "lanes": _near_misses(job, row)}
    order = fuse.ranked(job, np.flatnonzero(job.pool.allowed))
    rank = int(np.flatnonzero(order == place)[0]) + 1
    outcome = "hit" if job.order is not None and place in job.order else "below_limit"
    return {
        "outcome": outcome,
        "why": f"rank {rank} of {order.size} candidates{_behind(job, row)}",
        "rank": rank,
        "lanes": _lanes(job, row),
        **measures(job, place),
    }


def _behind(job: RecallJob, row: int) -> str:
    """Say what has put the memory behind others whatever its score."""
    assert job.time is not None
    words = ""
    if job.inside_first is not None and not job.inside_first[row] and job.inside_first.any():
        words += (
            f"; outside of {', '.join(window.phrase for window in job.time.relative)!r}, so behind all that is in it"
        )
    successions = job.trail.successions if job.trail is not None else ()
    if any(row in each.old for each in successions):
        words += "; what it states has been superseded, so behind what superseded it"
    return words


def _lanes(job: RecallJob, row: int) -> dict[str, Any]:
    """Return the lanes that brought the memory up, with its rank and score in each."""
    found = {name: ranks(lane).get(row) for name, lane in job.lanes.items()}
    return {name: {"rank": at[0], "score": round(at[1], 6)} for name, at in found.items() if at is not None}


def _dropping(job: RecallJob, row: int) -> list[str]:
    assert job.view is not None
    names = []
    for item in fields(Filters):
        value = getattr(job.request.filters, item.name)
        if value is not None:
            alone = job.view.mask(job.dataset.number, replace(Filters(), **{item.name: value}), job.request.as_of)
            names += [] if alone[row] else [item.name]
    return names


def _near_misses(job: RecallJob, row: int) -> dict[str, Any]:
    """Return the memory's score in each lane beside the last candidate's."""
    assert job.embedding is not None
    assert job.match is not None
    rows, vector = np.array([row]), job.embedding.vectors[0]
    cosine = float(job.tools.indexes.semantic_scores(vector, rows)[0])
    own = {
        "semantic": cosine,
        "lexical": float(job.match.of(rows)[0]),
        "questions": float(job.tools.indexes.question_scores(vector, rows)[0]),
        "graph": 0.0,
        "time": cosine if job.inside is not None and job.inside[row] else 0.0,
    }
    return {
        name: {
            "score": round(own[name], 6),
            "last_candidate": round(float(lane.scores[-1]), 6) if lane.scores.size else None,
        }
        for name, lane in job.lanes.items()
    }
