"""The operations on links between memories: those that stages make and those that people make. Knows no thread and no queue.

A symmetric kind holds both ways and is stored once. A likeness that was found before one of its texts was edited is not
shown (see `edges_among`), so what is found again takes the LSN of the day.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final

from mindlog.errors import InvalidInput, MemoryNotFound
from mindlog.ids import MemoryId
from mindlog.store.connect import fetch
from mindlog.store.graphrows import EDGE_KINDS, EdgeRow, NewEdge
from mindlog.store.queries import q
from mindlog.store.rows import to_json
from mindlog.store.transaction import Transaction

__all__ = ["BY_USER", "apply_edges", "check_kinds", "delete_link", "put_link"]

BY_USER: Final = "user"

_SYMMETRIC = frozenset({"similar_to", "contradicts"})


@dataclass(frozen=True, slots=True)
class _Memory:
    version: int
    lsn: int


_Link = tuple[int, str, int]  # source, kind, target


# -- stages -------------------------------------------------------------------------------------------------------------
def check_kinds(edges: Iterable[NewEdge]) -> None:
    """Raise `InvalidInput` for a kind that is none and for a weight that is no number."""
    for edge in edges:
        _check_kind(edge.kind)
        if not isfinite(edge.weight):
            raise InvalidInput(f"weight: {edge.weight} is not a number", field="weight")


def apply_edges(tx: Transaction, slot: int, dataset: int, made_by: str, edges: Iterable[NewEdge]) -> Counter[str]:
    """Replace the links that the stage `made_by` has made of the memory; returns how many are new and how many were refused.

    A link that somebody else has made stays as it is. Weights are cut to 0..1.
    """
    wanted, counts = _wanted(tx, slot, dataset, edges)
    made = {row[:3]: row[3:] for row in fetch(tx.connection, q.edges_made, (slot, made_by))}
    tx.connection.executemany(q.delete_edge, [link for link in made if link not in wanted])
    for link, (weight, since) in wanted.items():
        old = made.get(link)
        if old is None:
            if not _makes_room(tx, link):
                continue
            counts["edges"] += 1
        elif old[0] == weight and old[1] >= since:
            continue
        tx.connection.execute(q.put_edge, (*link, dataset, weight, made_by, slot, tx.lsn, tx.at))
    return counts


def _makes_room(tx: Transaction, link: _Link) -> bool:
    """Say whether the link is nobody else's; a symmetric one that a stage has made the other way round goes."""
    if fetch(tx.connection, q.find_edge, link):
        return False
    reverse = link[::-1]
    found = fetch(tx.connection, q.find_edge, reverse) if link[1] in _SYMMETRIC else []
    if found and found[0][1] == BY_USER:
        return False
    if found:
        tx.connection.execute(q.delete_edge, reverse)
    return True


def _wanted(
    tx: Transaction, slot: int, dataset: int, edges: Iterable[NewEdge]
) -> tuple[dict[_Link, tuple[float, int]], Counter[str]]:
    """Return the weight of every link that can be, and the LSN of the younger of its two revisions."""
    edges = list(edges)
    counts = Counter(edges=0)
    live = _live(tx, dataset, [slot, *(edge.target for edge in edges)])
    wanted: dict[_Link, tuple[float, int]] = {}
    for edge in edges:
        if edge.target == slot:
            counts["self_loop"] += 1
        elif edge.target not in live or slot not in live:
            counts["dangling"] += 1
        else:
            weight = min(max(float(edge.weight), 0.0), 1.0)
            link = (edge.target, edge.kind, slot) if edge.reverse else (slot, edge.kind, edge.target)
            wanted[link] = weight, max(live[slot].lsn, live[edge.target].lsn)
    return wanted, counts


def _live(tx: Transaction, dataset: int, slots: Iterable[int]) -> Mapping[int, _Memory]:
    found = fetch(tx.connection, q.live_memories, (json.dumps(list(slots)), dataset))
    return {slot: _Memory(version, lsn) for slot, version, lsn in found}


# -- people -------------------------------------------------------------------------------------------------------------
def put_link(tx: Transaction, dataset: int, source: int, target: int, kind: str, weight: float) -> EdgeRow:
    """Make or change a link by hand; see `GraphStore.put_link`."""
    _check_kind(kind)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"weight: {weight!r} is not a number from 0 to 1", field="weight")
    if source == target:
        raise InvalidInput("target: a memory cannot be linked to itself", field="target")
    live = _live(tx, dataset, (source, target))
    for name, slot in (("source", source), ("target", target)):
        if slot not in live:
            raise MemoryNotFound(f"{name}: there is no such memory", field=name)
    start, end = _ends(tx, source, target, kind)
    known = fetch(tx.connection, q.find_edge, (start, kind, end))
    made_at = known[0][3] if known else tx.at
    lsn = known[0][2] if known else tx.lsn
    if not known or known[0][:2] != (float(weight), BY_USER):
        lsn = _log(tx, "link_added", dataset, start, end, kind, live, weight=float(weight))
        tx.connection.execute(q.put_edge, (start, kind, end, dataset, float(weight), BY_USER, start, lsn, tx.at))
    return EdgeRow(
        source=start, target=end, kind=kind, weight=float(weight), made_by=BY_USER, created_at=made_at, lsn=lsn
    )


def delete_link(tx: Transaction, dataset: int, source: int, target: int, kind: str) -> bool:
    """Take a link between live memories away; see `GraphStore.delete_link`."""
    _check_kind(kind)
    live = _live(tx, dataset, (source, target))
    start, end = _ends(tx, source, target, kind)
    if source not in live or target not in live or not fetch(tx.connection, q.find_edge, (start, kind, end)):
        return False
    tx.connection.execute(q.delete_edge, (start, kind, end))
    _log(tx, "link_removed", dataset, start, end, kind, live)
    return True


def _ends(tx: Transaction, source: int, target: int, kind: str) -> tuple[int, int]:
    """Return the ends as they are stored: a symmetric link as it is there already, a new one from newer to older."""
    if kind not in _SYMMETRIC:
        return source, target
    newer, older = max(source, target), min(source, target)
    return (older, newer) if fetch(tx.connection, q.find_edge, (older, kind, newer)) else (newer, older)


def _log(
    tx: Transaction,
    event: str,
    dataset: int,
    source: int,
    target: int,
    kind: str,
    live: Mapping[int, _Memory],
    **facts: float,
) -> int:
    ids = {name: str(MemoryId(0, slot, live[slot].version)) for name, slot in (("source", source), ("target", target))}
    return tx.add_log(event, dataset, source, live[source].version, to_json({**ids, "kind": kind, **facts}))


def _check_kind(kind: str) -> None:
    if kind not in EDGE_KINDS:
        raise InvalidInput(f"kind: {str(kind)[:64]!r} is none of {', '.join(EDGE_KINDS)}", field="kind")
