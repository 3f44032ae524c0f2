"""The two stages that link a memory to others: to those nearest in meaning, and to the one before it in its session.

A link is owned by the later of its two memories: only memories that were written before this one are looked at, so a pair
is found once, and found again the same.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np

from mindlog.errors import Busy
from mindlog.index.base import Candidates
from mindlog.index.cascade import top
from mindlog.store.graphrows import MemoryEdges, NewEdge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mindlog.derive.job import DeriveJob

__all__ = ["auto_edge", "before_in_session", "nearest", "temporal_edge"]

_MINUTE = 60_000_000
# Windows of the memory that are compared: of a longer text so many, evenly spread. Those of the others all count.
_WINDOWS = 32
_FEW = 2


async def auto_edge(job: DeriveJob) -> None:
    """Link the memory to the nearest ones whose cosine is high enough; the weight is the cosine."""
    settings, near = job.tools.settings, await nearest(job)
    slots, cosines = job.place.view.slot[near.rows].tolist(), near.scores.tolist()
    edges = [
        NewEdge(target=slot, kind="similar_to", weight=min(1.0, cosine))
        for slot, cosine in zip(slots, cosines, strict=True)
        if cosine >= settings.auto_edge_cosine
    ]
    job.results = MemoryEdges(made_by="auto_edge", edges=tuple(edges[: settings.auto_edge_max]))
    job.output = {"looked_at": len(slots), "edges": len(job.results.edges), "nearest": _rounded(cosines[:1])}


async def nearest(job: DeriveJob) -> Candidates:
    """Return the rows of the earlier memories nearest in meaning; they are looked for once and stay in the job."""
    if job.near is None:
        job.near = await asyncio.to_thread(_nearest, job)
    return job.near


def _nearest(job: DeriveJob) -> Candidates:
    view, k = job.place.view, job.tools.settings.auto_edge_k
    vectors = _compared(job.place.vectors)
    if not k or not len(vectors):
        return Candidates(np.empty(0, np.int64), np.empty(0, np.float32))
    earlier = view.mask(job.dataset.number)
    earlier &= view.lsn < job.run.id
    # As in recall a memory is as near as its nearest window. What recall takes off for many windows is left out:
    # chance does not lift a best window as high as a link asks for.
    found = [job.tools.indexes.search_semantic(vector, earlier, k) for vector in vectors]
    return top(np.concatenate([each.rows for each in found]), np.concatenate([each.scores for each in found]), k)


async def temporal_edge(job: DeriveJob) -> None:
    """Link the memory before this one in its session to it, if it was not long ago and about the same."""
    # Two vectors are compared sooner than a thread would be there.
    is_short = len(job.place.vectors) <= _FEW
    edge, job.output = _follows(job) if is_short else await asyncio.to_thread(_follows, job)
    job.results = MemoryEdges(made_by="temporal_edge", edges=() if edge is None else (edge,))


def _follows(job: DeriveJob) -> tuple[NewEdge | None, dict[str, object]]:
    settings, view = job.tools.settings, job.place.view
    rows = before_in_session(job, 1)
    if not len(rows):
        return None, {"edges": 0, "reason": "nothing before it in a session"}
    gap = job.memory.occurred_at - int(view.occurred_at[rows[0]])
    limit = settings.temporal_edge_minutes * _MINUTE
    if gap > limit:
        return None, {"edges": 0, "reason": "the one before is too long ago", "gap_seconds": gap // 1_000_000}
    cosine = _cosine(job, rows)
    output: dict[str, object] = {"gap_seconds": gap // 1_000_000, "cosine": round(cosine, 3)}
    if cosine < settings.temporal_edge_cosine:
        return None, {"edges": 0, "reason": "the one before is about something else", **output}
    weight = max(0.0, 1.0 - gap / limit) if limit else 1.0
    # Read as a sentence: the one before is followed by this one.
    edge = NewEdge(target=int(view.slot[rows[0]]), kind="followed_by", weight=weight, reverse=True)
    return edge, {"edges": 1, **output}


def before_in_session(job: DeriveJob, reach: int) -> NDArray[np.int64]:
    """Return the rows of up to `reach` memories before this one in its session, the latest first.

    `Busy` if the index does not show the memory yet, so that the stage is tried again.
    """
    place = job.place
    if place.row < 0:
        raise Busy("the index does not show this memory yet")
    rows = place.view.neighbours(np.array([place.row]), reach)[0, :reach]
    rows = rows[rows >= 0]
    return rows[place.view.is_live(rows)]


def _cosine(job: DeriveJob, rows: NDArray[np.int64]) -> float:
    scores = [job.tools.indexes.semantic_scores(vector, rows)[0] for vector in _compared(job.place.vectors)]
    return float(max(scores, default=0.0))


def _compared(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    if len(vectors) <= _WINDOWS:
        return vectors
    return vectors[np.linspace(0, len(vectors) - 1, _WINDOWS).astype(np.int64)]


def _rounded(cosines: list[float]) -> float | None:
    return round(cosines[0], 3) if cosines else None
