"""The trace of a recall: how the cue was read, what each lane and filter did, and how scores came about.

Made only when asked for.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from mindlog.clock import iso
from mindlog.filters import Filters
from mindlog.ids import MemoryId, number_id
from mindlog.pipeline import Timeline
from mindlog.recall import fuse
from mindlog.recall.explain import explanations, measures
from mindlog.recall.graph import Succession, Told
from mindlog.recall.job import RecallJob
from mindlog.recall.lanes import LANES, ranks

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
        "time": _time(job),
        "lanes": {name: {"candidates": _candidates(job, name), **_trail(job, name)} for name in LANES},
        "fusion": _fusion(job),
        **explanations(job),
    }


def _milliseconds(start: int | None, end: int | None) -> float:
    return 0.0 if start is None or end is None else (end - start) / 1000


def _id(job: RecallJob, row: int) -> str:
    assert job.view is not None
    return str(MemoryId(0, int(job.view.slot[row]), int(job.view.version[row])))


def _cue(job: RecallJob) -> dict[str, Any]:
    assert job.cue is not None
    assert job.time is not None
    dates = [{"year": d.year, "month": d.month, "day": d.day} for d in job.time.dates]
    return {"terms": list(job.cue.terms), "first_person": job.cue.first_person, "dates": dates}


def _time(job: RecallJob) -> dict[str, Any] | None:
    """Return what was understood of the time the cue names, with every window and how many memories are in it."""
    assert job.time is not None
    told = job.time.told()
    if told is None:
        return None
    windows = [{"start": iso(start), "end": iso(end)} for start, end in job.time.intervals]
    inside = 0 if job.inside is None else int(np.count_nonzero(job.inside))
    shown = {name: iso(at) if at is not None else None for name, at in told.items() if name in ("start", "end")}
    return {**told, **shown, "now": iso(job.now), "windows": windows, "inside": inside, "dated": int(job.dated.size)}


def _trail(job: RecallJob, lane: str) -> dict[str, Any]:
    """Return how the graph lane came to its candidates."""
    if lane != "graph" or job.trail is None:
        return {}
    return {
        "entities": [
            {"entity_id": number_id("ent", entity.id), "name": entity.name, "kind": entity.kind}
            for entity in job.trail.entities
        ],
        "statements": [_statement(job, told) for told in job.trail.statements[:_SHOWN]],
        "superseded": [_succession(job, each) for each in job.trail.successions],
    }


def _statement(job: RecallJob, told: Told) -> dict[str, Any]:
    return {
        "statement_id": number_id("stm", told.statement.id),
        "text": told.statement.text,
        "score": round(told.worth, 6),
        "holds": told.holds,
        "memory_ids": [_id(job, row) for row in told.rows],
    }


def _succession(job: RecallJob, each: Succession) -> dict[str, Any]:
    return {
        "statement_id": number_id("stm", each.statement),
        "superseded_by": number_id("stm", each.by),
        "memory_ids": [_id(job, row) for row in each.old],
    }


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
    best = fuse.ranked(job, np.arange(pool.rows.size))[:_SHOWN].tolist()
    weights = {**fuse.WEIGHTS, "next": fuse.NEXT, "answers": fuse.ANSWERS, "session": fuse.SESSION}
    weights |= {"asks": fuse.ASKS, "speaker": fuse.SPEAKER, "time": fuse.TIME, "human": fuse.HUMAN}
    weights |= {"questions": fuse.QUESTIONS, "graph": fuse.GRAPH}
    candidates = [{"memory_id": _id(job, int(pool.rows[at])), **measures(job, at)} for at in best]
    return {"weights": weights, "pool": int(pool.rows.size), "candidates": candidates}
