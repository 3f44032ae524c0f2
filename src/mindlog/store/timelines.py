"""The operations on what is believed: a group's validities and contradictions, and the log's word of them. Knows no queue.

A belief that is replaced in the moment in which it was recorded was never held: it is dropped, so that no instant sees it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from mindlog.ids import number_id
from mindlog.store.connect import Row, fetch
from mindlog.store.graphrows import GraphWrite, Interval, Timeline
from mindlog.store.queries import q
from mindlog.store.rows import to_json
from mindlog.store.stale import members
from mindlog.store.transaction import Transaction

__all__ = ["EVENTS", "apply_timeline", "log_events", "statement_facts"]

EVENTS: Final = frozenset({"statement_added", "statement_superseded", "statement_contradicted", "statement_retracted"})

_Believed = tuple[int | None, int | None, int | None]  # valid_from, valid_to, superseded_by


def apply_timeline(tx: Transaction, dataset: int, timeline: Timeline) -> set[int]:
    """Make the timeline what is believed of its group from now on; returns the statements of which anything changed.

    Statements that are not there are passed over, and none is superseded by such a one.
    """
    named = {*timeline.intervals, *(each for pair in timeline.contradictions for each in pair)}
    superseding = (each.superseded_by for intervals in timeline.intervals.values() for each in intervals)
    there = _there(tx, dataset, {*named, *(each for each in superseding if each is not None)})
    believed: dict[int, list[Row]] = {}
    for row in fetch(tx.connection, q.open_validities, (json.dumps(list(timeline.intervals)),)):
        believed.setdefault(row[1], []).append(row)
    changed = {
        statement
        for statement, intervals in timeline.intervals.items()
        if statement in there and _believe(tx, statement, intervals, believed.get(statement, []), there)
    }
    return changed | _contradict(tx, dataset, timeline, there)


def _there(tx: Transaction, dataset: int, statements: Collection[int]) -> dict[int, int]:
    """Return the subjects of those statements that are there, by id."""
    found = fetch(tx.connection, q.statements_among, (json.dumps(list(statements)), dataset))
    return {row[0]: row[1] for row in found}


def _believe(
    tx: Transaction, statement: int, intervals: Iterable[Interval], known: Iterable[Row], there: Collection[int]
) -> bool:
    wanted: dict[_Believed, None] = {}
    for each in intervals:
        superseded_by = each.superseded_by if each.superseded_by in there else None
        wanted[each.valid_from, each.valid_to, superseded_by] = None
    kept: set[_Believed] = set()
    dropped: list[Row] = []
    for row in known:
        if row[2:5] in wanted and row[2:5] not in kept:
            kept.add(row[2:5])
        else:
            dropped.append(row)
    for number, *_, recorded_at in dropped:
        # Later than now: the clock was set back since.
        if recorded_at >= tx.at:
            tx.connection.execute(q.delete_validity, (number,))
        else:
            tx.connection.execute(q.close_validity, (tx.at, number))
    opened = [each for each in wanted if each not in kept]
    tx.connection.executemany(q.insert_validity, [(statement, *each, tx.at) for each in opened])
    return bool(dropped or opened)


def _contradict(tx: Transaction, dataset: int, timeline: Timeline, there: Mapping[int, int]) -> set[int]:
    wanted = {
        (min(pair), max(pair)) for pair in timeline.contradictions if pair[0] != pair[1] and there.keys() >= {*pair}
    }
    group = (members(tx, dataset, timeline.subject), timeline.family)
    found = fetch(tx.connection, q.contradictions_of_group, group)
    # Of statements that are not named nothing is said, so nothing of theirs is taken away.
    known = {(one, other) for one, other in found if {one, other} & timeline.intervals.keys()}
    tx.connection.executemany(q.delete_contradiction, sorted(known - wanted))
    tx.connection.executemany(
        q.insert_contradiction, [(*pair, there[pair[0]], timeline.family, tx.at) for pair in sorted(wanted - known)]
    )
    return {statement for pair in known ^ wanted for statement in pair}


# -- the log ------------------------------------------------------------------------------------------------------------
def statement_facts(tx: Transaction, dataset: int, timelines: Iterable[Timeline]) -> dict[int, Row]:
    """Return subject, predicate and object of the statements that the timelines have events of, by id."""
    ids = {statement for timeline in timelines for _, statement in timeline.events}
    return {row[0]: row[1:] for row in fetch(tx.connection, q.statements_among, (json.dumps(list(ids)), dataset))}


def log_events(
    tx: Transaction, write: GraphWrite, timeline: Timeline, facts: Mapping[int, Row], changed: Collection[int]
) -> None:
    """Tell the log of those of the timeline's events whose statements have changed: applied again, it tells nothing."""
    told = [(event, statement) for event, statement in timeline.events if statement in changed and statement in facts]
    if not told:
        return
    ids = json.dumps([statement for _, statement in told])
    ended = {row[1]: row[4] for row in fetch(tx.connection, q.open_validities, (ids,)) if row[4] is not None}
    for event, statement in told:
        payload = {
            "statement": number_id("stm", statement),
            "subject": number_id("ent", timeline.subject),
            "predicate": facts[statement][1],
        }
        if statement in ended:
            payload["superseded_by"] = number_id("stm", ended[statement])
        tx.add_log(event, write.dataset, write.slot, write.version, to_json(payload))
