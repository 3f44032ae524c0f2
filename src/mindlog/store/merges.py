"""The operations that make one entity of two, take that back, and decide what was proposed. Knows no thread and no queue.

Rows keep their own entity for good. The roots of all entities that merges tie together are worked out anew from the
merges that stand, in the order in which they were made: each makes the root of its `into` end that of both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from mindlog.errors import Conflict, EntityNotFound, InvalidInput, ProposalNotFound
from mindlog.ids import number_id
from mindlog.store import entityreads
from mindlog.store.connect import Row, fetch
from mindlog.store.graphrows import Merge, ProposalRow
from mindlog.store.queries import q
from mindlog.store.rows import to_json
from mindlog.store.stale import mark_entities
from mindlog.store.transaction import Transaction

__all__ = ["decide_proposal", "join", "merge_entities", "unmerge_entity"]

_DECISIONS = ("accepted", "refused", "undone")


def merge_entities(tx: Transaction, dataset: int, entity: int, into: int, reason: str) -> int:
    """Make one entity of two; see `GraphStore.merge_entities`."""
    roots = [_visible_root(tx, dataset, each, name) for name, each in (("entity", entity), ("into", into))]
    if roots[0] == roots[1]:
        raise InvalidInput("into: the two are one entity already", field="into")
    return _merge(tx, dataset, entity, into, reason)


def unmerge_entity(tx: Transaction, dataset: int, entity: int) -> int:
    """Take the entity's last standing merge back; see `GraphStore.unmerge_entity`."""
    standing = fetch(tx.connection, q.standing_merges, (entity,)) if _roots(tx, dataset, [entity]) else []
    merge = _last_of(standing, entity)
    if merge is None:
        raise EntityNotFound(f"entity: {number_id('ent', entity)} was not merged", field="entity")
    return _undo(tx, dataset, standing, merge)


def decide_proposal(tx: Transaction, proposal: int, status: str) -> ProposalRow:
    """Accept or refuse a proposal, or take its merge back; see `GraphStore.decide_proposal`."""
    if status not in _DECISIONS:
        raise InvalidInput(f"status: {str(status)[:64]!r} is none of {', '.join(_DECISIONS)}", field="status")
    found = _proposal(tx, proposal)
    roots = _roots(tx, found.dataset, [found.entity, found.other])
    is_one = roots[found.entity] == roots[found.other]
    if status == "undone" and found.status != status:
        _take_back(tx, found)
    if status == "refused" and found.status == "accepted" and is_one:
        raise Conflict("status: the proposal was accepted; take the merge back first", field="status")
    if status == "accepted" and not is_one:
        _merge(tx, found.dataset, found.other, found.entity, found.reason)
    if status not in (found.status, "undone"):
        _record(tx, found.dataset, proposal, status)
    return _proposal(tx, proposal)


def join(tx: Transaction, dataset: int, merge: Merge) -> None:
    """Merge what a memory's own words tell to be one, unless a person has told the two apart.

    A redo changes nothing, nor does an id that is not there.
    """
    roots = _roots(tx, dataset, [merge.entity, merge.into])
    if len(roots) < 2 or roots[merge.entity] == roots[merge.into]:
        return
    if roots[merge.into] not in entityreads.told_apart(tx.connection, [merge.entity]):
        _merge(tx, dataset, merge.entity, merge.into, merge.reason)


def _visible_root(tx: Transaction, dataset: int, entity: int, field: str) -> int:
    for row in entityreads.entities(tx.connection, dataset, [entity], count_limit=1):
        return row.id
    raise EntityNotFound(f"{field}: there is no entity {number_id('ent', entity)}", field=field)


def _roots(tx: Transaction, dataset: int, entities: Sequence[int]) -> dict[int, int]:
    return dict(fetch(tx.connection, q.roots_of, (json.dumps(list(entities)), dataset)))


def _merge(tx: Transaction, dataset: int, entity: int, into: int, reason: str) -> int:
    tx.connection.execute(q.insert_merge, (dataset, entity, into, reason, tx.at))
    payload = {"entity": number_id("ent", entity), "into": number_id("ent", into)}
    lsn = tx.add_log("entity_merged", dataset, None, None, to_json(payload))
    standing = fetch(tx.connection, q.standing_merges, (entity,))
    _set_roots(tx, dataset, standing, standing, lsn)
    return lsn


def _undo(tx: Transaction, dataset: int, standing: Sequence[Row], merge: Row) -> int:
    """Take one of the standing merges back, and with it every acceptance of what is no longer one."""
    number, merged, into = merge
    tx.connection.execute(q.undo_merge, (tx.at, number))
    payload = {"entity": number_id("ent", merged), "from": number_id("ent", into)}
    lsn = tx.add_log("entity_unmerged", dataset, None, None, to_json(payload))
    _set_roots(tx, dataset, standing, [each for each in standing if each != merge], lsn)
    ends = json.dumps(sorted({end for _, *ends in standing for end in ends}))
    for (proposal,) in fetch(tx.connection, q.accepted_and_apart, (ends,)):
        _record(tx, dataset, proposal, "undone")
    return lsn


# -- proposals ----------------------------------------------------------------------------------------------------------
def _proposal(tx: Transaction, proposal: int) -> ProposalRow:
    found = entityreads.proposal(tx.connection, proposal)
    if found is None:
        raise ProposalNotFound(f"proposal_id: there is no proposal {number_id('prp', proposal)}", field="proposal_id")
    return found


def _take_back(tx: Transaction, proposal: ProposalRow) -> None:
    if proposal.status != "accepted":
        raise Conflict("status: the proposal was not accepted; there is no merge to take back", field="status")
    pair = {proposal.entity, proposal.other}
    standing = fetch(tx.connection, q.standing_merges, (proposal.other,))
    # Standing merges are a forest, as each joined what was two: without the one between them, the two are apart.
    merge = next((each for each in standing if {*each[1:]} == pair), None)
    if merge is None:
        raise Conflict("status: other merges make the two one; take those back", field="status")
    _undo(tx, proposal.dataset, standing, merge)


def _record(tx: Transaction, dataset: int, proposal: int, status: str) -> None:
    tx.connection.execute(q.decide_proposal, (status, tx.at, proposal))
    tx.add_log(
        "proposal_decided", dataset, None, None, to_json({"proposal": number_id("prp", proposal), "status": status})
    )


# -- roots --------------------------------------------------------------------------------------------------------------
def _set_roots(tx: Transaction, dataset: int, tied: Iterable[Row], standing: Iterable[Row], lsn: int) -> None:
    """Give everything that was tied the root that the standing merges say; its groups become stale."""
    parents, _ = _replayed(standing)
    ids = sorted({end for _, *ends in tied for end in ends})
    old = _roots(tx, dataset, ids)
    for each in ids:
        root = _root(parents, each)
        if old.get(each) != root:
            tx.connection.execute(q.set_root, (root, each))
    mark_entities(tx, ids, lsn)


def _replayed(merges: Iterable[Row]) -> tuple[dict[int, int], dict[int, Row]]:
    """Return the parent of every root that a merge has moved, and the merge that moved it."""
    parents: dict[int, int] = {}
    moved: dict[int, Row] = {}
    for merge in merges:
        _, entity, into = merge
        root, new = _root(parents, entity), _root(parents, into)
        if root != new:
            parents[root], moved[root] = new, merge
    return parents, moved


def _root(parents: dict[int, int], entity: int) -> int:
    while entity in parents:
        entity = parents[entity]
    return entity


def _last_of(standing: Sequence[Row], entity: int) -> Row | None:
    """Return the last merge that was asked for the entity itself, else the one that moved it as the root of others."""
    own = [merge for merge in standing if merge[1] == entity]
    return own[-1] if own else _replayed(standing)[1].get(entity)
