"""The part of the graph around an entity: breadth first along relations, bounded by steps and by how many entities.

Reads a store; knows no caller and no view.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from mindlog.store.graphrows import StatementQuery, StatementRow

__all__ = ["Surroundings", "around"]

_PAGE = 500
_MOST_RELATIONS: Final = 5000  # of one graph


class StatementStore(Protocol):
    """What this reads of a store."""

    def statements(self, query: StatementQuery) -> list[StatementRow]:
        """Return a page of statements."""
        ...


@dataclass(slots=True)
class Surroundings:
    """Entities in the order in which they were reached, and the relations between them, newest first of each step."""

    entities: list[int]
    relations: dict[int, StatementRow] = field(default_factory=dict[int, StatementRow])
    truncated: bool = False


def around(store: StatementStore, start: Sequence[int], query: StatementQuery, steps: int, limit: int) -> Surroundings:
    """Return what can be reached from the roots in so many steps. `query` says of when; its limit does not matter."""
    found = Surroundings(list(dict.fromkeys(start))[:limit])
    found.truncated = len(found.entities) < len(set(start))
    rim = found.entities
    # One step more than asked for: it adds the relations between the last ones reached, and nobody new.
    for step in range(steps + 1):
        relations = list(_relations(store, replace(query, either=tuple(rim), limit=_PAGE), found))
        reached = _reached(relations, found, limit) if step < steps else []
        found.entities += reached
        known = set(found.entities)
        found.relations |= {row.id: row for row in relations if row.subject in known and row.object in known}
        if not reached:
            break
        rim = reached
    return found


def _reached(relations: Sequence[StatementRow], found: Surroundings, limit: int) -> list[int]:
    known = set(found.entities)
    ends = dict.fromkeys(end for row in relations for end in (row.subject, row.object) if end is not None)
    new = [end for end in ends if end not in known]
    room = limit - len(found.entities)
    found.truncated = found.truncated or len(new) > room
    return new[:room]


def _relations(store: StatementStore, query: StatementQuery, found: Surroundings) -> Iterator[StatementRow]:
    room = _MOST_RELATIONS - len(found.relations)
    while query.either:
        rows = store.statements(query)
        for row in rows:
            if row.object is None:
                continue
            if room == 0:
                found.truncated = True
                return
            room -= 1
            yield row
        if len(rows) < _PAGE:
            return
        query = replace(query, before_id=rows[-1].id)
