"""recall: how long it takes at 1 000, 10 000 and 100 000 memories, and how much of the exact answer the index finds."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

import mindlog
from filled import Filled
from floor import percentile
from material import load_material
from mindlog.filters import Compare, Filters
from report import Row, Run, main

SIZES, SMALL_SIZES = (1_000, 10_000, 100_000), (1_000, 5_000)
K = 10
# Each filter and the share of memories it lets through.
FILTERS = {
    "no filter": Filters(),
    "filter of 10 %": Filters(metadata=Compare(key="tenth", operator="$eq", value=True)),
    "filter of 1 %": Filters(metadata=Compare(key="hundredth", operator="$eq", value=True)),
}


async def measure(run: Run) -> list[Row]:
    sizes = SMALL_SIZES if run.small else SIZES
    cues = 50 if run.small else 300
    filled = Filled(await load_material(), sizes[-1], cues)
    rows: list[Row] = []
    async with mindlog.aopen(run.directory / "recall", embedder=filled.embedder) as db:
        start = 0
        for size in sizes:
            await filled.fill(db, start, size)
            start = size
            rows += await _latency(db, filled, size, judged=size == SIZES[-1])
            rows += _found(db, filled, size)
    return rows


async def _latency(db: mindlog.AsyncMindlog, filled: Filled, size: int, *, judged: bool) -> list[Row]:
    for cue in filled.cues[:10]:
        await db.recall(cue, limit=K)
    taken = []
    cpu = time.process_time()
    for cue in filled.cues:
        start = time.perf_counter()
        await db.recall(cue, limit=K)
        taken.append(time.perf_counter() - start)
    cpu = time.process_time() - cpu
    p50, p99 = (1000 * percentile(taken, percent) for percent in (50, 99))
    floor, of = 1000 * _scan_seconds(filled, size), "exact float32 scan"
    return [
        Row(
            name=f"recall at {size:,}, p50",
            value=p50,
            unit="ms",
            floor=floor,
            floor_is=of,
            most=5.0 if judged else None,
        ),
        Row(name=f"recall at {size:,}, p99", value=p99, unit="ms", most=20.0 if judged else None),
        Row(name=f"recall at {size:,}, processor time each", value=1000 * cpu / len(taken), unit="ms"),
    ]


def _scan_seconds(filled: Filled, size: int) -> float:
    taken = []
    for vector in filled.cue_vectors[:20]:
        start = time.perf_counter()
        _exact(filled.vectors[:size], vector, np.arange(size))
        taken.append(time.perf_counter() - start)
    return percentile(taken, 50)


def _found(db: mindlog.AsyncMindlog, filled: Filled, size: int) -> list[Row]:
    """The index's own nearest ten against the exact ones, by slot; slots rise in the order of the texts."""
    indexes = db.engine.indexes
    dataset = db.engine.store.dataset("default")
    assert dataset is not None
    view = indexes.view()
    first = int(view.slot[:size].min())
    rows = []
    for name, filters in FILTERS.items():
        mask = view.mask(dataset.number, filters)
        allowed = view.slot[mask] - first
        shares = []
        for vector in filled.cue_vectors:
            found = view.slot[indexes.search_semantic(vector, mask, K).rows] - first
            shares.append(len(set(found.tolist()) & _exact(filled.vectors, vector, allowed)) / min(K, len(allowed)))
        rows.append(
            Row(name=f"index recall@{K} at {size:,}, {name}", value=float(np.mean(shares)), unit="", least=0.995)
        )
    return rows


def _exact(vectors: NDArray[np.float32], vector: NDArray[np.float32], allowed: NDArray[np.int64]) -> set[int]:
    scores = vectors[allowed] @ vector if len(allowed) < len(vectors) else vectors @ vector
    best = np.argpartition(-scores, min(K, len(scores)) - 1)[:K]
    return set(allowed[best].tolist())


if __name__ == "__main__":
    main("recall", measure)
