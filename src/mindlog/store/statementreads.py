"""Reads of statements on a connection: pages by a query, groups whole, evidence by pages. Knows no pool.

Belief is asked of an instant of the store, validity of an instant of the world. What is believed now rests on live
evidence; what was believed once shows what it rested on, as long as the memory is not forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import apsw

from mindlog.store.connect import Row, fetch
from mindlog.store.entityreads import groups, names
from mindlog.store.graphrows import EvidenceRow, GroupTargets, StatementRow, ValidityRow
from mindlog.store.queries import q

__all__ = ["NOW", "Moment", "evidence", "group", "statement_rows"]

#: Later than every instant: what is believed then is what is believed now.
NOW = (1 << 63) - 1

_EVIDENCE_SHOWN = 50
# Pieces of evidence of a statement, up to which it is read together with others.
_READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Of when statements are read: as believed at `known_at`, valid at `valid_at` or whenever."""

    known_at: int = NOW
    valid_at: int | None = None

    @property
    def is_past(self) -> bool:
        """Whether former revisions count as evidence."""
        return self.known_at != NOW

    def holds(self, valid_from: int | None, valid_to: int | None) -> bool:
        """Say whether the interval meets the moment of the world."""
        at = self.valid_at
        return at is None or ((valid_from is None or valid_from <= at) and (valid_to is None or valid_to > at))


@dataclass(slots=True)
class _Context:
    """What statement rows are completed from, by statement or by root."""

    name: Mapping[int, str]
    validities: Mapping[int, Sequence[ValidityRow]]
    contradicts: Mapping[int, Sequence[int]] = field(default_factory=dict[int, list[int]])


Evidence = Callable[[int], tuple[tuple[EvidenceRow, ...], int]]
"""Returns the rows to show of a statement, and how many there are."""


# -- pages --------------------------------------------------------------------------------------------------------------
def statement_rows(
    connection: apsw.Connection, ids: Sequence[int], moment: Moment, first: int | None = None
) -> list[StatementRow]:
    """Return the statements whole, in the order of `ids`; of their evidence that of the memory `first` comes first.

    What nobody may see is not named: by a superseding or otherwise.
    """
    heads = _heads(connection, ids)
    validities = _validities(connection, ids, moment)
    contradicts = _contradictions(connection, ids)
    others = {each.superseded_by for rows in validities.values() for each in rows if each.superseded_by is not None}
    others.update(other for found in contradicts.values() for other in found)
    seen = {number for (number,) in fetch(connection, q.visible_statements, (_json(others),))} if others else set[int]()
    context = _Context(
        name=_names(connection, heads),
        validities={each: [_without(row, seen) for row in rows] for each, rows in validities.items()},
        contradicts={each: [other for other in found if other in seen] for each, found in contradicts.items()},
    )
    shown = _Shown(connection, moment, ids, first)
    by_id = {row[0]: row for row in heads}
    return [_statement(by_id[each], context, shown) for each in ids if each in by_id]


class _Shown:
    """The evidence of some statements that is shown, that of one memory before the newest of all.

    Read at once for those that have little, one by one for the rest.
    """

    def __init__(self, connection: apsw.Connection, moment: Moment, ids: Sequence[int], first: int | None) -> None:
        self._connection = connection
        self._any_revision = moment.is_past
        self._first = first
        self._long = {each for (each,) in fetch(connection, q.statements_of_much_evidence, (_json(ids), _READ_AT_ONCE))}
        self._short: dict[int, list[EvidenceRow]] = {}
        few = [each for each in ids if each not in self._long]
        for row in fetch(connection, q.evidence_of_all, (_json(few), self._any_revision)):
            self._short.setdefault(row[0], []).append(_evidence(row))

    def __call__(self, statement: int) -> tuple[tuple[EvidenceRow, ...], int]:
        if statement not in self._long:
            known = self._short.get(statement, [])
            return self._cut(known), len(known)
        rows = evidence(self._connection, statement, _EVIDENCE_SHOWN, any_revision=self._any_revision)
        if len(rows) < _EVIDENCE_SHOWN:
            return self._cut(rows), len(rows)
        count = fetch(self._connection, q.count_evidence, (statement, self._any_revision))[0][0]
        return self._cut([*self._own(statement), *rows]), count

    def _own(self, statement: int) -> list[EvidenceRow]:
        """Return the evidence of the memory that comes first, which may be older than all that is shown."""
        if self._first is None:
            return []
        values = (statement, self._first, self._any_revision, _EVIDENCE_SHOWN)
        return [_evidence(row) for row in fetch(self._connection, q.evidence_of_one, values)]

    def _cut(self, rows: Sequence[EvidenceRow]) -> tuple[EvidenceRow, ...]:
        unique = dict.fromkeys(rows) if self._first is None else sorted(dict.fromkeys(rows), key=self._is_later)
        return tuple(islice(unique, _EVIDENCE_SHOWN))

    def _is_later(self, row: EvidenceRow) -> bool:
        return row.slot != self._first


def evidence(
    connection: apsw.Connection,
    statement: int,
    limit: int,
    after: tuple[int, int, int] | None = None,
    *,
    any_revision: bool = False,
) -> list[EvidenceRow]:
    """Return a statement's evidence from live revisions, or from any of memories that are not forgotten, newest first."""
    slot, start, end = after or (NOW, 0, 0)
    values = (statement, slot, slot, start, end, any_revision, limit)
    return [_evidence(row) for row in fetch(connection, q.evidence_page, values)]


def _without(row: ValidityRow, seen: Collection[int]) -> ValidityRow:
    if row.superseded_by is None or row.superseded_by in seen:
        return row
    return ValidityRow(
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        superseded_by=None,
        recorded_at=row.recorded_at,
        invalidated_at=row.invalidated_at,
    )


# -- groups -------------------------------------------------------------------------------------------------------------
def group(
    connection: apsw.Connection, dataset: int, subject: int, family: str, about: GroupTargets | None = None
) -> list[StatementRow]:
    """Return every statement of the group as it is stored, with all its live evidence: what a new timeline is made from."""
    members = [member for found in groups(connection, dataset, [subject]).values() for member in found]
    if about is None:
        found = fetch(connection, q.statements_of_group, (_json(members), family))
    else:
        objects = [each for found in groups(connection, dataset, about.objects).values() for each in found]
        values = json.dumps(list(about.values))
        found = fetch(connection, q.statements_of_group_about, (_json(members), family, _json(objects), values))
    ids = [number for (number,) in found]
    heads = _heads(connection, ids)
    live: dict[int, list[EvidenceRow]] = {}
    for row in fetch(connection, q.live_evidence, (_json(ids),)):
        live.setdefault(row[0], []).append(_evidence(row))
    validities = _validities(connection, ids, Moment())
    context = _Context(_names(connection, heads), validities, _contradictions(connection, ids))
    by_id = {row[0]: row for row in heads}

    def every(statement: int) -> tuple[tuple[EvidenceRow, ...], int]:
        rows = tuple(live.get(statement, ()))
        return rows, len(rows)

    return [_statement(by_id[each], context, every) for each in ids]


# -- rows ---------------------------------------------------------------------------------------------------------------
def _heads(connection: apsw.Connection, ids: Sequence[int]) -> list[Row]:
    return fetch(connection, q.statement_heads, (_json(ids),))


def _names(connection: apsw.Connection, heads: Iterable[Row]) -> dict[int, str]:
    """Return by root what the ends of the statements are called."""
    ends = {(row[1], end) for row in heads for end in (row[2], row[5]) if end is not None}
    called: dict[int, str] = {}
    for dataset in {dataset for dataset, _ in ends}:
        found = groups(connection, dataset, (end for owner, end in ends if owner == dataset))
        members = [member for each in found.values() for member in each]
        called |= {row[0]: row[2] for row in fetch(connection, q.entity_heads, (_json(found),))}
        called |= {root: known[0] for root, known in names(connection, members).items()}
    return called


def _validities(connection: apsw.Connection, ids: Sequence[int], moment: Moment) -> dict[int, list[ValidityRow]]:
    found: dict[int, list[ValidityRow]] = {}
    for statement, valid_from, valid_to, superseded_by, recorded_at, invalidated_at in fetch(
        connection, q.validities_of, (_json(ids), moment.known_at, moment.known_at)
    ):
        if moment.holds(valid_from, valid_to):
            row = ValidityRow(
                valid_from=valid_from,
                valid_to=valid_to,
                superseded_by=superseded_by,
                recorded_at=recorded_at,
                invalidated_at=invalidated_at,
            )
            found.setdefault(statement, []).append(row)
    return found


def _contradictions(connection: apsw.Connection, ids: Sequence[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for statement, other in fetch(connection, q.contradictions_of, (_json(ids), _json(ids))):
        found.setdefault(statement, []).append(other)
    return found


def _statement(head: Row, context: _Context, shown: Evidence) -> StatementRow:
    number, dataset, subject, predicate, family, target, value, value_key, value_type, text, created_at = head
    rows, count = shown(number)
    return StatementRow(
        id=number,
        dataset=dataset,
        subject=subject,
        subject_name=context.name[subject],
        predicate=predicate,
        family=family,
        object=target,
        object_name=None if target is None else context.name[target],
        value=value,
        value_key=value_key,
        value_type=value_type,
        text=text,
        created_at=created_at,
        validities=tuple(context.validities.get(number, ())),
        evidence=rows,
        evidence_count=count,
        contradicts=tuple(sorted(context.contradicts.get(number, ()))),
    )


def _evidence(row: Row) -> EvidenceRow:
    statement, slot, version, start, end, confidence, tier, asserted_at, valid_from, valid_to, time_phrase = row
    return EvidenceRow(
        statement=statement,
        slot=slot,
        version=version,
        start=start,
        end=end,
        confidence=confidence,
        tier=tier,
        asserted_at=asserted_at,
        valid_from=valid_from,
        valid_to=valid_to,
        time_phrase=time_phrase,
    )


def _json(values: Iterable[int]) -> str:
    return json.dumps(list(values))
