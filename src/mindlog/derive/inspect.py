"""Everything there is to know of one revision of a memory, read at once. Knows no caller: the engine has checked that one."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from mindlog.knowledge.shown import entity_id, shown_edges, shown_statements
from mindlog.runs.shown import shown_run
from mindlog.runs.spent import with_spent
from mindlog.store.graphrows import MentionRow, StatementQuery
from mindlog.views import EntityRef, Inspection, Mention, Question, Statement

if TYPE_CHECKING:
    from mindlog.records import Dataset, Memory
    from mindlog.store.base import Store

__all__ = ["inspect"]

_VERSIONS = 50
_STATEMENTS = 500
_EDGES = 1000
_OPENING = 2000  # characters of a revision's text


async def inspect(memory: Memory, dataset: Dataset, store: Store, now: int) -> Inspection:
    """Return what is stored of the revision and derived from it. Of one that is no longer current: its record and runs."""
    return await asyncio.to_thread(_inspect, memory, dataset, store, now)


def _inspect(memory: Memory, dataset: Dataset, store: Store, now: int) -> Inspection:
    slot, current = memory.id.slot, memory.is_current
    edges = store.edges([slot], _EDGES + 1) if current else []
    statements = _statements(slot, dataset, store, now) if current else ()
    versions = store.revisions(slot, _VERSIONS, _OPENING)
    cut = {
        "edges": len(edges) > _EDGES,
        "statements": len(statements) > _STATEMENTS,
        "versions": any(each.id.version > _VERSIONS for each in versions),
    }
    return Inspection(
        memory=memory,
        vector=_vector(memory, store),
        terms=store.terms(slot) if current else (),
        questions=tuple(Question(text=row.text, source=row.source) for row in store.questions([slot]) if current),
        edges=shown_edges(edges[:_EDGES], store),
        entities=_mentions(slot, dataset, store) if current else (),
        statements=statements[:_STATEMENTS],
        versions=tuple(versions),
        runs=with_spent([shown_run(row, store.run_outputs(row.id)) for row in store.runs_of(slot)], store),
        truncated=tuple(name for name, is_cut in cut.items() if is_cut),
    )


def _vector(memory: Memory, store: Store) -> dict[str, Any]:
    vectors = store.vectors([memory.id.slot]).get(memory.id.slot) if memory.is_current else None
    return {
        "dimensions": store.model.dimensions,
        "windows": None if vectors is None else len(vectors),
        "model": store.model.name,
        "fingerprint": store.model.fingerprint,
    }


def _mentions(slot: int, dataset: Dataset, store: Store) -> tuple[Mention, ...]:
    spans: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    found: list[MentionRow] = store.mentions([slot]).get(slot, [])
    for row in sorted(found, key=lambda row: row.start):
        spans[row.entity].append((row.start, row.end))
    return tuple(
        Mention(
            entity=EntityRef(entity_id=entity_id(row.id), name=row.name),
            kind=row.kind,
            spans=tuple(spans[row.id]),
        )
        for row in store.entities(dataset.number, list(spans))
    )


def _statements(slot: int, dataset: Dataset, store: Store, now: int) -> tuple[Statement, ...]:
    query = StatementQuery(dataset=dataset.number, now=now, slot=slot, current=False, limit=_STATEMENTS + 1)
    return shown_statements(store.statements(query), store, now)
