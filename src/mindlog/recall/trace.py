"""The trace of a recall: how the cue was read, what each lane and filter did, how scores came about, and why not.

Made only when asked for.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from mindlog.clock import iso
from mindlog.filters import Filters
from mindlog.ids import MemoryId
from mindlog.pipeline import Timeline
from mindlog.recall import fuse
from mindlog.recall.job import RecallJob
from mindlog.recall.lanes import ranks

__all__ = ["trace_of"]

_SHOWN = 100  # fused candidates; lanes are shown whole


def trace_of(job: RecallJob, timeline: Timeline) -> dict[str, Any]:
    """Return the trace as plain JSON values."""
    return {
        "stages": [
            {
                "name": record.name,
                "status": str(record.status),
                "ms": _milliseconds(record.started_at, record.finished_at),
            }
            for record in timeline.stages
        ],
        "cue": _cue(job),
        "filters": _filters(job),
        "lanes": {name: {"candidates": _candidates(job, name)} for name in job.lanes},
        "fusion": _fusion(job),
        "explained": [_explain(job, memory_id) for memory_id in job.request.explain_ids],
    }


def _milliseconds(start: int | None, end: int | None) -> float:
    return 0.0 if start is None or end is None else (end - start) / 1000


def _id(job: RecallJob, row: int) -> str:
    assert job.view is not None
    return str(MemoryId(0, int(job.view.slot[row]), int(job.view.version[row])))


def _cue(job: RecallJob) -> dict[str, Any]:
    assert job.cue is not None
    cue = job.cue
    dates = [{"year": d.year, "month": d.month, "day": d.day} for d in cue.dates]
    return {"terms": list(cue.terms), "first_person": cue.first_person, "dates": dates}


def _filters(job: RecallJob) -> dict[str, Any]:
    assert job.view is not None
    assert job.reach is not None
    assert job.mask is not None
    dropped = {}
    for item in fields(Filters):
        value = getattr(job.request.filters, item.name)
        if value is not None:
            alone = job.view.mask(job.dataset.number, replace(Filters(), **{item.name: value}), job.request.as_of)
            dropped[item.name] = int(np.count_nonzero(job.reach & ~alone[: job.reach.size]))
    as_of = None if job.request.as_of is None else iso(job.request.as_of)
    considered, passed = int(np.count_nonzero(job.reach)), int(np.count_nonzero(job.mask))
    return {"as_of": as_of, "considered": considered, "passed": passed, "dropped_by": dropped}


def _candidates(job: RecallJob, lane: str) -> list[dict[str, Any]]:
    return [
        {"memory_id": _id(job, row), "rank": rank, "score": round(score, 6)}
        for row, (rank, score) in ranks(job.lanes[lane]).items()
    ]


def _fusion(job: RecallJob) -> dict[str, Any]:
    assert job.pool is not None
    pool = job.pool
    best = np.argsort(-pool.score, kind="stable")[:_SHOWN].tolist()
    weights = {**fuse.WEIGHTS, "next": fuse.NEXT, "answers": fuse.ANSWERS, "session": fuse.SESSION}
    weights |= {"asks": fuse.ASKS, "speaker": fuse.SPEAKER, "time": fuse.TIME, "human": fuse.HUMAN}
    candidates = [{"memory_id": _id(job, int(pool.rows[at])), **_measures(job, at)} for at in best]
    return {"weights": weights, "pool": int(pool.rows.size), "candidates": candidates}


def _measures(job: RecallJob, at: int) -> dict[str, Any]:
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
    allowed = np.flatnonzero(job.pool.allowed)
    rank = int(np.count_nonzero(job.pool.score[allowed] > job.pool.score[place])) + 1
    outcome = "hit" if job.order is not None and place in job.order else "below_limit"
    return {
        "outcome": outcome,
        "why": f"rank {rank} of {allowed.size} candidates",
        "rank": rank,
        **_measures(job, place),
    }


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
    rows = np.array([row])
    own = {
        "semantic": float(job.tools.indexes.semantic_scores(job.embedding.vectors[0], rows)[0]),
        "lexical": float(job.match.of(rows)[0]),
    }
    return {
        name: {
            "score": round(own[name], 6),
            "last_candidate": round(float(lane.scores[-1]), 6) if lane.scores.size else None,
        }
        for name, lane in job.lanes.items()
    }
