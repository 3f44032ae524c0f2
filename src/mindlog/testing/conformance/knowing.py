"""What the checks of the graph work with: memories with entities and statements in a line each. Owns no check.

A fact is written (subject, predicate, object) with names; an object in quotes is a value. Every name must stand in the
text. Keys are the names in lower case; a predicate is its own family.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindlog.records import Persisted
from mindlog.store.graphrows import (
    AliasRow,
    EntityQuery,
    EntityRow,
    EvidenceRow,
    GraphWrite,
    Interval,
    MentionRow,
    NewEntity,
    NewStatement,
    Proposal,
    StatementQuery,
    StatementRow,
    Timeline,
)
from mindlog.store.runrows import StageCommit, StageResults
from mindlog.testing.conformance.bench import Bench
from mindlog.testing.conformance.work import claim, settle

__all__ = ["ALWAYS", "Fact", "Knowing", "derived", "listed", "stage"]

Fact = tuple[str, str, str]

ALWAYS = Interval(valid_from=None, valid_to=None)


@dataclass(slots=True)
class Knowing:
    """Writes graphs into one open store and remembers which ids it used, by name and by fact."""

    bench: Bench
    dataset: str = "default"
    entities: dict[str, int] = field(default_factory=dict[str, int])
    statements: dict[Fact, int] = field(default_factory=dict[Fact, int])

    @property
    def number(self) -> int:
        """The number of the dataset."""
        return self.bench.number(self.dataset)

    async def learn(
        self, text: str, names: Sequence[str] = (), facts: Sequence[Fact] = (), **facts_of: Any
    ) -> Persisted:
        """Persist a memory and write what it says: its facts hold from ever to ever. `facts_of`: fields of the memory."""
        persisted = await self.bench.persist(text, dataset=self.dataset, **facts_of)
        await self.bench.store.write_graph(self.write(persisted.id.slot, names, facts))
        return persisted

    def write(self, slot: int, names: Sequence[str], facts: Sequence[Fact] = (), **others: Any) -> GraphWrite:
        """Return what the memory's current revision says as a write; new names and facts get ids. `others`: its other fields."""
        memory = self.bench.get(slot)
        named = dict.fromkeys([*names, *(end for fact in facts for end in _ends(fact))])
        new = tuple(self.entity(name) for name in named if name not in self.entities)
        told = tuple(self.statement(fact) for fact in facts if fact not in self.statements)
        write = GraphWrite(
            dataset=self.number,
            slot=slot,
            version=memory.id.version,
            entities=new,
            aliases=tuple(AliasRow(entity=self.entities[name], key=name.lower(), name=name) for name in named),
            mentions=tuple(self.mention(memory.text, name) for name in named),
            statements=told,
            evidence=tuple(self.evidence(slot, fact) for fact in facts),
            timelines=tuple(self.timeline({fact: (ALWAYS,)}, events=True) for fact in facts),
        )
        return replace(write, **others)

    # -- parts --------------------------------------------------------------------------------------------------------
    def entity(self, name: str, **facts: Any) -> NewEntity:
        """Return a new entity of the name."""
        self.entities[name] = self.bench.store.reserve_entities(1)[0]
        values: dict[str, Any] = {"kind": "person", "vector": self.vector(name)} | facts
        return NewEntity(id=self.entities[name], name=name, key=name.lower(), **values)

    def statement(self, fact: Fact, **facts: Any) -> NewStatement:
        """Return a new statement."""
        self.statements[fact] = self.bench.store.reserve_statements(1)[0]
        subject, predicate, end = fact
        is_value = end.startswith('"')
        values: dict[str, Any] = {
            "object": None if is_value else self.entities[end],
            "value": end.strip('"') if is_value else None,
            "value_key": end.strip('"').lower() if is_value else "",
            "value_type": "text" if is_value else None,
        }
        text = f"{subject} {predicate.replace('_', ' ')} {end}"
        number, whose = self.statements[fact], self.entities[subject]
        row = NewStatement(id=number, subject=whose, predicate=predicate, family=predicate, text=text, **values)
        return replace(row, **facts)

    def mention(self, text: str, name: str) -> MentionRow:
        """Return where the text names the entity first."""
        start = text.index(name)
        return MentionRow(entity=self.entities[name], start=start, end=start + len(name))

    def evidence(self, slot: int, fact: Fact, **facts: Any) -> EvidenceRow:
        """Return the memory's whole text as evidence of the fact."""
        memory = self.bench.get(slot)
        row = EvidenceRow(
            statement=self.statements[fact],
            slot=slot,
            version=memory.id.version,
            start=0,
            end=len(memory.text),
            confidence=0.5,
            tier="pattern",
            asserted_at=memory.occurred_at,
        )
        return replace(row, **facts)

    def proposal(self, one: str, other: str, **facts: Any) -> Proposal:
        """Return a proposal to make one of two."""
        low, high = sorted((self.entities[one], self.entities[other]))
        return replace(Proposal(entity=low, other=high, score=0.7, reason="part"), **facts)

    def timeline(
        self,
        intervals: Mapping[Fact, Iterable[Interval]],
        *,
        events: bool | Sequence[tuple[str, Fact]] = False,
        **facts: Any,
    ) -> Timeline:
        """Return when the facts of one group hold. events: those told, or True for an addition of each."""
        subject, family, _ = next(iter(intervals))
        told = [("statement_added", fact) for fact in intervals] if events is True else events or ()
        timeline = Timeline(
            subject=self.entities[subject],
            family=family,
            intervals={self.statements[fact]: tuple(each) for fact, each in intervals.items()},
            events=tuple((event, self.statements[fact]) for event, fact in told),
        )
        return replace(timeline, **facts)

    def vector(self, name: str) -> NDArray[np.float32]:
        """Return the vector of a name."""
        return self.bench.vectors(name)[0]

    # -- reads --------------------------------------------------------------------------------------------------------
    def known(self, **facts: Any) -> list[StatementRow]:
        """Return statements of the dataset: what is believed and valid now, or what the query's fields ask."""
        values: dict[str, Any] = {"now": 1 << 60, "limit": 1000} | facts
        return self.bench.store.statements(StatementQuery(dataset=self.number, **values))

    def facts(self, **facts: Any) -> list[Fact]:
        """Return the facts of `known`, in their order."""
        names = {number: fact for fact, number in self.statements.items()}
        return [names[row.id] for row in self.known(**facts)]

    def row(self, fact: Fact, **facts: Any) -> StatementRow:
        """Return one statement, which must be there; superseded or not."""
        (row,) = self.known(ids=(self.statements[fact],), **({"current": False} | facts))
        return row


def listed(bench: Bench, dataset: str = "default", **facts: Any) -> dict[str, EntityRow]:
    """Return the entities that a listing shows, by name."""
    values: dict[str, Any] = {"limit": 1000} | facts
    query = EntityQuery(dataset=bench.number(dataset), **values)
    return {row.name: row for row in bench.store.list_entities(query)}


async def derived(bench: Bench, results: StageResults, name: str = "extractor") -> dict[str, int]:
    """Commit the results as a stage of the only open run; the run stays open. Returns what was added."""
    (run,) = await claim(bench, lease_us=0)
    return dict((await bench.store.commit_stage(stage(run.id, name, results))).added)


def stage(run: int, name: str, results: StageResults) -> StageCommit:
    """Return the end of a stage with results."""
    return settle(run, name, results=results)


def _ends(fact: Fact) -> Iterable[str]:
    return (end for end in (fact[0], fact[2]) if not end.startswith('"'))
