"""The operations that give a revision its statements and evidence in the graph. Knows no thread and no queue."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from mindlog.store.connect import Row, fetch
from mindlog.store.graphrows import GraphWrite
from mindlog.store.queries import q
from mindlog.store.transaction import Transaction

__all__ = ["delete_unfounded", "put_evidence", "put_statements"]


def put_statements(tx: Transaction, write: GraphWrite, roots: Mapping[int, int], counts: Counter[str]) -> set[int]:
    """Add the statements that are not there; returns their ids. Self-loops and dangling ones are refused and counted."""
    known = _known(tx, write.dataset, (statement.id for statement in write.statements))
    added: set[int] = set()
    for statement in write.statements:
        ends = [statement.subject] if statement.object is None else [statement.subject, statement.object]
        if statement.id in known or statement.id in added:
            continue
        if not all(end in roots for end in ends):
            counts["dangling"] += 1
        elif len({roots[end] for end in ends}) < len(ends):
            counts["self_loop"] += 1
        else:
            said = (statement.predicate, statement.family, statement.object, statement.value, statement.value_key)
            facts = (statement.value_type, statement.text, tx.at, tx.lsn)
            row = (statement.id, write.dataset, statement.subject, *said, *facts)
            tx.connection.execute(q.insert_statement, row)
            added.add(statement.id)
    return added


def put_evidence(tx: Transaction, write: GraphWrite, counts: Counter[str]) -> set[int]:
    """Make the evidence given the revision's; returns the statements that have lost some. Dangling pieces are counted."""
    revision = (write.slot, write.version)
    there = _known(tx, write.dataset, (each.statement for each in write.evidence))
    old = {row[:3]: row[3:] for row in fetch(tx.connection, q.evidence_of, revision)}
    new: dict[Row, Row] = {}
    for each in write.evidence:
        if each.statement not in there:
            counts["dangling"] += 1
            continue
        said = (float(each.confidence), each.tier, each.asserted_at, each.valid_from, each.valid_to, each.time_phrase)
        new[each.statement, each.start, each.end] = said
    gone = [key for key in old if key not in new]
    tx.connection.executemany(q.delete_evidence, [(*revision, *key) for key in gone])
    changed = [(*revision, *key, *said) for key, said in new.items() if old.get(key) != said]
    tx.connection.executemany(q.put_evidence, changed)
    counts["evidence"] += len(new.keys() - old.keys())
    return {key[0] for key in gone}


def delete_unfounded(tx: Transaction, statements: Collection[int]) -> set[int]:
    """Delete those of the statements that rest on nothing at all, with their validities; returns their ids."""
    if not statements:
        return set()
    found = fetch(tx.connection, q.delete_unfounded, (json.dumps(list(statements)),))
    return {statement for (statement,) in found}


def _known(tx: Transaction, dataset: int, statements: Iterable[int]) -> set[int]:
    ids = json.dumps(list(dict.fromkeys(statements)))
    return {row[0] for row in fetch(tx.connection, q.statements_among, (ids, dataset))}
