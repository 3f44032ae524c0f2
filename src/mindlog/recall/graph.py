"""The graph lane: the entities a cue names, what is stated of them, and the memories that carry it.

Owns how well a statement answers a cue and which statement has taken the place of which. Reads are bounded: how much there is to
know of an entity does not count. Knows no score of a memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mindlog.index.analyzer import analyze
from mindlog.index.base import Candidates
from mindlog.knowledge.families import Nature, nature
from mindlog.recall.cue import HUMAN
from mindlog.recall.job import RecallJob
from mindlog.recall.predicatewords import predicate_terms
from mindlog.store.graphrows import EntityRow, StatementQuery, StatementRow

__all__ = ["Succession", "Told", "Trail", "search_graph"]

Rows = tuple[int, ...]
"""Catalog rows that may be hits, each once."""

ENTITIES, STATEMENTS, MENTIONS = 12, 100, 30
_NOTHING = Candidates(np.empty(0, np.int64), np.empty(0, np.float32))
PAST = 0.5  # of what a statement is worth that does not hold at the time asked for, or is no state


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A statement about an entity of the cue. worth: the share of the cue that it meets, less if it is past."""

    statement: StatementRow
    worth: float
    holds: bool
    rows: Rows  # of the memories that carry it


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """Of one group: memories that say only what has been superseded, and those that say what superseded it."""

    statement: int
    by: int
    old: Rows
    new: Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """How the graph lane came to its candidates."""

    entities: tuple[EntityRow, ...] = ()
    statements: tuple[Told, ...] = ()
    successions: tuple[Succession, ...] = ()


async def search_graph(job: RecallJob) -> None:
    """Find the memories that carry statements about what the cue names, then those that only name it."""
    job.trail, job.lanes["graph"] = Trail(), _NOTHING
    named = _named(job)
    if not named:
        return
    entities = tuple(entity for entity, _ in named)
    told = _statements(job, named)
    job.trail = Trail(entities=entities, statements=told, successions=tuple(_successions(told)))
    job.lanes["graph"] = _candidates(job, told, _mentions(job, entities))


def _named(job: RecallJob) -> list[tuple[EntityRow, frozenset[str]]]:
    """Return the entities with the terms of the cue that name each; the longest names first."""
    assert job.cue is not None
    cue = job.cue
    keys = [*cue.names, *(sorted(HUMAN) if cue.first_person else ())]
    found = job.tools.store.entities_by_key(job.dataset.number, keys) if keys else {}
    named: dict[int, tuple[EntityRow, frozenset[str]]] = {}
    for key in keys:
        said = key in cue.names
        for entity in found.get(key, ()):
            if said or entity.is_speaker:
                named.setdefault(entity.id, (entity, frozenset(analyze(key)) if said else frozenset()))
    return list(named.values())[:ENTITIES]


def _statements(job: RecallJob, named: Sequence[tuple[EntityRow, frozenset[str]]]) -> tuple[Told, ...]:
    """Return the newest statements about the entities, those that meet most of the cue first."""
    assert job.cue is not None
    terms = {entity.id: frozenset(job.cue.terms) - own for entity, own in named}
    query = StatementQuery(
        dataset=job.dataset.number,
        now=job.now,
        either=tuple(terms),
        known_at=job.request.as_of,
        current=False,
        limit=STATEMENTS,
    )
    rows = job.tools.store.statements(query)
    found = zip(rows, _evidence(job, rows), strict=True)
    told = [_told(job, statement, terms, carried) for statement, carried in found if carried]
    return tuple(sorted(told, key=lambda each: (-each.worth, -each.statement.id)))


def _told(job: RecallJob, statement: StatementRow, terms: dict[int, frozenset[str]], rows: Rows) -> Told:
    ends = (statement.subject, statement.subject_name), (statement.object, statement.object_name or statement.value)
    own = 0 if statement.subject in terms else 1
    wanted = terms.get(ends[own][0] or 0, frozenset())
    said = predicate_terms(statement.predicate).union(analyze(ends[1 - own][1] or ""))
    # That somebody moved there stays true; whether they live there is another statement.
    holds = _holds(job, statement) and not _is_event(statement)
    return Told(statement=statement, worth=_share(job, wanted, said) * (1 if holds else PAST), holds=holds, rows=rows)


def _share(job: RecallJob, wanted: frozenset[str], said: frozenset[str]) -> float:
    assert job.match is not None
    idf = job.match.idf
    met = sum(idf(term) for term in wanted & said)
    return met / sum(map(idf, wanted)) if met else 0.0


def _holds(job: RecallJob, statement: StatementRow) -> bool:
    """Say whether the statement is true at the time the cue names, or now."""
    assert job.time is not None
    return any(
        (each.valid_from is None or each.valid_from < end) and (each.valid_to is None or each.valid_to > start)
        for each in statement.validities
        for start, end in job.time.intervals or [(job.now, job.now + 1)]
    )


def _evidence(job: RecallJob, statements: Sequence[StatementRow]) -> list[Rows]:
    """Return the rows that carry each statement."""
    evidence = [each for statement in statements for each in statement.evidence]
    slots = np.array([each.slot for each in evidence], np.int64)
    rows = job.tools.indexes.catalog.rows_of(slots, np.array([each.version for each in evidence], np.uint32))
    allowed = iter(np.where(_allowed(job, rows), rows, -1).tolist())
    carried = (dict.fromkeys(islice(allowed, len(statement.evidence))) for statement in statements)
    return [tuple(row for row in rows if row >= 0) for rows in carried]


def _mentions(job: RecallJob, entities: Iterable[EntityRow]) -> Rows:
    """Return the newest rows that name the entities."""
    ids = [entity.id for entity in entities]
    slots = [slot for _, slot in job.tools.store.mention_slots(job.dataset.number, ids, MENTIONS)]
    rows = job.tools.indexes.catalog.rows(np.array(slots, np.int64))
    return tuple(rows[_allowed(job, rows)].tolist())


def _allowed(job: RecallJob, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    assert job.mask is not None
    if not job.mask.size:
        return np.zeros(rows.size, np.bool_)
    return (rows >= 0) & (rows < job.mask.size) & job.mask.take(rows, mode="clip")


def _candidates(job: RecallJob, told: Sequence[Told], mentioned: Rows) -> Candidates:
    """Return the rows by the best that they carry."""
    worth = dict.fromkeys(mentioned, 0.0)
    for each in reversed(told):
        worth |= dict.fromkeys(each.rows, each.worth)
    best = sorted(worth.items(), key=lambda item: (-item[1], item[0]))[: job.wanted]
    return Candidates(np.array([row for row, _ in best], np.int64), np.array([score for _, score in best], np.float32))


def _successions(told: Sequence[Told]) -> Iterable[Succession]:
    """Yield what has superseded what, the oldest first, in the groups that the cue asks for."""
    groups: dict[tuple[int, str], list[Told]] = {}
    for each in told:
        groups.setdefault((each.statement.subject, each.statement.family), []).append(each)
    for members in groups.values():
        if members[0].worth > 0:
            yield from _in_group(members)


def _in_group(members: Sequence[Told]) -> Iterable[Succession]:
    known = {each.statement.id: each for each in members}
    after = {each.statement.id: _successor(each.statement) for each in members}
    standing = [each for each in members if after[each.statement.id] is None and not _is_event(each.statement)]
    current = {row for each in standing for row in each.rows}
    for each in sorted(members, key=lambda told: _begins(told.statement)):
        by = after[each.statement.id]
        old = tuple(row for row in each.rows if row not in current)
        if by in known and old:
            yield Succession(statement=each.statement.id, by=by, old=old, new=known[by].rows)


def _is_event(statement: StatementRow) -> bool:
    return nature(statement.predicate) is Nature.EVENT


def _successor(statement: StatementRow) -> int | None:
    """Return what superseded the statement, None if it stands in some of its time or nothing did."""
    last = max(statement.validities, key=lambda each: _start(each.valid_from), default=None)
    return None if last is None else last.superseded_by


def _begins(statement: StatementRow) -> int:
    return max((_start(each.valid_from) for each in statement.validities), default=0)


def _start(at: int | None) -> int:
    return -(1 << 63) if at is None else at
