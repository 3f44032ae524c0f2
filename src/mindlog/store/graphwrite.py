"""The operation that applies a graph write: one memory's part of the graph, or new timelines, whole. Knows no queue.

Applied again it changes nothing. What is given takes the place of what the revision said before; what it says of things
that are not there is left out and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from mindlog.errors import InvalidInput, RevisionGone
from mindlog.ids import MemoryId, number_id
from mindlog.store import links, merges, statementwrite
from mindlog.store.connect import fetch
from mindlog.store.grams import tokens
from mindlog.store.graphrows import AliasRow, GraphWrite, NewEntity, Proposal
from mindlog.store.queries import q
from mindlog.store.rows import to_json
from mindlog.store.stale import settle
from mindlog.store.timelines import EVENTS, apply_timeline, log_events, statement_facts
from mindlog.store.transaction import Transaction

__all__ = ["EXTRACTOR", "apply_graph", "write_graph"]

EXTRACTOR: Final = "extractor"
"""Who makes the edges of a graph write."""

_SORTS = ("entities", "aliases", "mentions", "statements", "evidence", "edges", "proposals")
# What only a memory can bring.
_OF_A_MEMORY = ("entities", "aliases", "mentions", "statements", "evidence", "edges")


def write_graph(tx: Transaction, write: GraphWrite) -> int:
    """Apply the write outside a stage; see `GraphStore.write_graph`."""
    if write.slot is not None:
        found = fetch(tx.connection, q.live_memories, (f"[{write.slot}]", write.dataset))
        if [row[1] for row in found] != [write.version]:
            gone = MemoryId(0, write.slot, write.version or 0)
            raise RevisionGone(f"memory_id: {gone} was edited or forgotten", field="memory_id")
    apply_graph(tx, write)
    return tx.lsn


def apply_graph(tx: Transaction, write: GraphWrite) -> dict[str, int]:
    """Apply the write; returns how many rows of each sort are new, and how many were refused as `dangling` or `self_loop`.

    Raises `InvalidInput` for a write that contradicts itself, before anything is changed.
    """
    _check(tx, write)
    counts: Counter[str] = Counter(dict.fromkeys(_SORTS, 0))
    added: set[int] = set()
    doubtful: set[int] = set()
    if write.slot is not None:
        roots = _put_entities(tx, write, counts)
        _put_aliases(tx, write, roots, counts)
        _put_mentions(tx, write, roots, counts)
        added = statementwrite.put_statements(tx, write, roots, counts)
        doubtful = added | statementwrite.put_evidence(tx, write, counts)
    facts = statement_facts(tx, write.dataset, write.timelines)
    gone = statementwrite.delete_unfounded(tx, doubtful)
    counts["statements"] += len(added - gone)
    for timeline in write.timelines:
        changed = apply_timeline(tx, write.dataset, timeline) | (added ^ gone)
        log_events(tx, write, timeline, facts, changed)
    _put_proposals(tx, write.dataset, write.proposals, counts)
    for merge in write.merges:
        merges.join(tx, write.dataset, merge)
    if write.slot is not None:
        counts.update(links.apply_edges(tx, write.slot, write.dataset, EXTRACTOR, write.edges))
    for subject, family, lsn in write.settled:
        settle(tx, write.dataset, subject, family, lsn)
    return dict(counts)


def _check(tx: Transaction, write: GraphWrite) -> None:
    brings = [name for name in _OF_A_MEMORY if getattr(write, name)]
    if (write.slot is None) != (write.version is None) or (write.slot is None and brings):
        raise InvalidInput("slot: what a memory brings needs its slot and version", field="slot")
    if any((each.slot, each.version) != (write.slot, write.version) for each in write.evidence):
        raise InvalidInput("evidence: is of another revision than the write", field="evidence")
    if any((each.object is None) == (each.value is None) for each in write.statements):
        raise InvalidInput("statements: one has either an object or a value", field="statements")
    if any(event not in EVENTS for timeline in write.timelines for event, _ in timeline.events):
        raise InvalidInput(f"events: the types are {', '.join(sorted(EVENTS))}", field="events")
    shape = (tx.known.model.dimensions,)
    if any(each.vector is not None and each.vector.shape != shape for each in write.entities):
        raise InvalidInput(f"vector: the store's have {shape[0]} numbers", field="vector")
    links.check_kinds(write.edges)


# -- entities -----------------------------------------------------------------------------------------------------------
def _put_entities(tx: Transaction, write: GraphWrite, counts: Counter[str]) -> dict[int, int]:
    """Add the new entities; returns the roots of all that the write names and the dataset has."""
    for entity in write.entities:
        before = tx.connection.total_changes()
        tx.connection.execute(q.insert_entity, _entity_row(tx, write.dataset, entity))
        counts["entities"] += tx.connection.total_changes() - before
    ids = {each.id for each in write.entities} | {each.entity for each in (*write.aliases, *write.mentions)}
    for statement in write.statements:
        ids |= {statement.subject} if statement.object is None else {statement.subject, statement.object}
    return _roots(tx, write.dataset, ids)


def _entity_row(tx: Transaction, dataset: int, entity: NewEntity) -> tuple[object, ...]:
    vector = None if entity.vector is None else np.ascontiguousarray(entity.vector, dtype="<f4").tobytes()
    named = (entity.name, entity.kind, int(entity.is_speaker))
    return (entity.id, dataset, entity.id, *named, tx.at, tx.lsn, vector)


def _roots(tx: Transaction, dataset: int, ids: Iterable[int]) -> dict[int, int]:
    return dict(fetch(tx.connection, q.roots_of, (json.dumps(list(ids)), dataset)))


def _put_aliases(tx: Transaction, write: GraphWrite, roots: Mapping[int, int], counts: Counter[str]) -> None:
    """Make the names given those that the revision uses."""
    own = (AliasRow(entity=each.id, key=each.key, name=each.name) for each in write.entities)
    revision = (write.slot, write.version)
    old = {alias for (alias,) in fetch(tx.connection, q.alias_uses_of, revision)}
    new: set[int] = set()
    for alias in (*own, *write.aliases):
        if alias.entity in roots:
            new.add(_alias(tx, write.dataset, alias, counts))
        else:
            counts["dangling"] += 1
    tx.connection.executemany(q.delete_alias_use, [(*revision, alias) for alias in sorted(old - new)])
    tx.connection.executemany(q.insert_alias_use, [(*revision, alias) for alias in sorted(new - old)])


def _alias(tx: Transaction, dataset: int, alias: AliasRow, counts: Counter[str]) -> int:
    key = (dataset, alias.key, alias.entity)
    for (number,) in fetch(tx.connection, q.find_alias, key):
        return number
    tx.connection.execute(q.insert_alias, (*key, alias.name))
    number = tx.connection.last_insert_rowid()
    tx.connection.execute(q.insert_grams, (number, " ".join(tokens(dataset, alias.key))))
    counts["aliases"] += 1
    return number


def _put_mentions(tx: Transaction, write: GraphWrite, roots: Mapping[int, int], counts: Counter[str]) -> None:
    revision = (write.slot, write.version)
    old = {row[:2]: row[2] for row in fetch(tx.connection, q.mentions_of, revision)}
    new: dict[tuple[int, int], int] = {}
    for mention in write.mentions:
        if mention.entity in roots:
            place = (mention.entity, mention.start)
            new[place] = max(mention.end, new.get(place, 0))
        else:
            counts["dangling"] += 1
    tx.connection.executemany(q.delete_mention, [(*revision, *place) for place in old.keys() - new.keys()])
    moved = [(*revision, *place, end) for place, end in new.items() if old.get(place) != end]
    tx.connection.executemany(q.put_mention, moved)
    counts["mentions"] += len(new.keys() - old.keys())


# -- proposals ----------------------------------------------------------------------------------------------------------
def _put_proposals(tx: Transaction, dataset: int, proposals: Iterable[Proposal], counts: Counter[str]) -> None:
    proposals = list(proposals)
    roots = _roots(tx, dataset, {end for each in proposals for end in (each.entity, each.other)})
    for each in proposals:
        pair = (min(each.entity, each.other), max(each.entity, each.other))
        if not roots.keys() >= {*pair}:
            counts["dangling"] += 1
        elif roots[pair[0]] == roots[pair[1]]:
            counts["self_loop"] += 1
        elif not fetch(tx.connection, q.proposals_between, (json.dumps([pair, pair[::-1]]),)):
            counts["proposals"] += _propose(tx, dataset, pair, each)


def _propose(tx: Transaction, dataset: int, pair: tuple[int, int], proposal: Proposal) -> int:
    score = float(proposal.score)
    tx.connection.execute(q.insert_proposal, (dataset, *pair, score, proposal.reason, tx.at))
    ids = {"entity": number_id("ent", pair[0]), "other": number_id("ent", pair[1]), "score": score}
    payload = {"proposal": number_id("prp", tx.connection.last_insert_rowid()), **ids}
    tx.add_log("proposal_made", dataset, None, None, to_json(payload))
    return 1
