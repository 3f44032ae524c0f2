"""Reconciles the groups whose evidence an edit, a forget, a restore or a merge has changed.

Their timelines are computed anew from what is live: forgetting "we moved to Berlin" makes "lives in Bonn" current again.
Statements without live evidence are believed no longer, and again once it is back.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mindlog.knowledge.groups import member, new_timeline
from mindlog.store.graphrows import GraphWrite, Timeline

if TYPE_CHECKING:
    from mindlog.knowledge.locks import DatasetLocks
    from mindlog.store.base import Store

__all__ = ["regroup"]


async def regroup(store: Store, locks: DatasetLocks, limit: int = 100) -> int:
    """Reconcile up to `limit` stale groups; returns how many."""
    stale: dict[int, list[tuple[int, str, int]]] = {}
    for dataset, subject, family, lsn in await asyncio.to_thread(store.stale_groups, limit):
        stale.setdefault(dataset, []).append((subject, family, lsn))
    for dataset, groups in stale.items():
        async with locks.hold(dataset):
            timelines = await asyncio.to_thread(_timelines, store, dataset, groups)
            await store.write_graph(GraphWrite(dataset=dataset, timelines=timelines, settled=tuple(groups)))
    return sum(map(len, stale.values()))


def _timelines(store: Store, dataset: int, groups: list[tuple[int, str, int]]) -> tuple[Timeline, ...]:
    return tuple(
        new_timeline(subject, family, [member(row) for row in store.group(dataset, subject, family)])
        for subject, family, _ in groups
    )
