"""Knowledge as derivation leaves it, put into an engine's store by hand: questions of a memory, statements with evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindlog.engine import Engine
from mindlog.ids import MemoryId
from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.families import family
from mindlog.store.graphrows import (
    EvidenceRow,
    GraphWrite,
    Interval,
    MemoryQuestions,
    MentionRow,
    NewEntity,
    NewStatement,
    Timeline,
)
from mindlog.store.runrows import StageCommit

LEASE = 60_000_000


async def ask(engine: Engine, memory_id: str, *questions: str) -> None:
    """Give the memory these questions, as its hype stage does."""
    wanted = MemoryId.parse(memory_id)
    embeddings = await engine.embedder.embed(questions, kind="query") if questions else []
    vectors = np.array([each.vectors[0] for each in embeddings], np.float32).reshape(-1, engine.embedder.dimensions)
    (run,) = [row.id for row in engine.store.runs_of(wanted.slot, wanted.version)]
    await engine.store.retry_runs([run], ["hype"])
    await engine.store.claim_runs("test", 1000, LEASE)
    results = MemoryQuestions(source="template", texts=tuple(questions), vectors=vectors)
    commit = StageCommit(
        run=run,
        owner="test",
        stage="hype",
        status="succeeded",
        error=None,
        started_at=1,
        finished_at=2,
        results=results,
    )
    await engine.store.commit_stage(commit)


class Graph:
    """Entities by name and statements of one dataset."""

    def __init__(self, engine: Engine, dataset: str = "default") -> None:
        self.engine = engine
        found = engine.store.dataset(dataset)
        assert found is not None
        self.dataset = found.number
        self.entities: dict[str, int] = {}
        self.statements: dict[tuple[str, str, str], int] = {}

    async def say(
        self,
        memory_id: str,
        *claims: tuple[str, str, str],
        names: Sequence[str] = (),
        at: int = 0,
        valid: tuple[int | None, int | None] = (None, None),
    ) -> None:
        """Let the memory state the claims (subject, predicate, value or, if it is an entity, object) and name entities."""
        wanted = MemoryId.parse(memory_id)
        names = tuple(dict.fromkeys((*(subject for subject, _, _ in claims), *names)))
        new = [self._entity(name) for name in names]
        known = [self._statement(claim, at) for claim in claims]
        evidence = tuple(
            EvidenceRow(
                statement=number,
                slot=wanted.slot,
                version=wanted.version,
                start=0,
                end=1,
                confidence=0.9,
                tier="pattern",
                asserted_at=at,
                valid_from=valid[0],
                valid_to=valid[1],
            )
            for number, _ in known
        )
        await self.engine.store.write_graph(
            GraphWrite(
                dataset=self.dataset,
                slot=wanted.slot,
                version=wanted.version,
                entities=tuple(each for each in new if each is not None),
                mentions=tuple(MentionRow(entity=self.entities[name], start=0, end=1) for name in names),
                statements=tuple(statement for _, statement in known if statement is not None),
                evidence=evidence,
                timelines=tuple(self._open(claim, at) for claim in dict.fromkeys(claims)),
            )
        )

    async def follow(self, *claims: tuple[str, str, str], at: Sequence[int]) -> None:
        """Let each claim of a group hold from its instant until the next one has taken its place."""
        numbers = [self.statements[claim] for claim in claims]
        intervals = {
            number: (Interval(valid_from=start, valid_to=end, superseded_by=by),)
            for number, start, end, by in zip(numbers, at, (*at[1:], None), (*numbers[1:], None), strict=True)
        }
        timeline = Timeline(subject=self.entities[claims[0][0]], family=family(claims[0][1]), intervals=intervals)
        await self.engine.store.write_graph(GraphWrite(dataset=self.dataset, timelines=(timeline,)))

    def _entity(self, name: str) -> NewEntity | None:
        if name in self.entities:
            return None
        self.entities[name] = self.engine.store.reserve_entities(1)[0]
        is_speaker = name in ("user", "Anna")
        return NewEntity(id=self.entities[name], name=name, key=name_key(name), kind="other", is_speaker=is_speaker)

    def _statement(self, claim: tuple[str, str, str], at: int) -> tuple[int, NewStatement | None]:
        if claim in self.statements:
            return self.statements[claim], None
        subject, predicate, said = claim
        number = self.statements[claim] = self.engine.store.reserve_statements(1)[0]
        target = self.entities.get(said)
        return number, NewStatement(
            id=number,
            subject=self.entities[subject],
            predicate=predicate,
            family=family(predicate),
            object=target,
            value=None if target is not None else said,
            value_key="" if target is not None else name_key(said),
            value_type=None if target is not None else "text",
            text=f"{subject} {predicate.replace('_', ' ')} {said}",
        )

    def _open(self, claim: tuple[str, str, str], at: int) -> Timeline:
        group = {other: number for other, number in self.statements.items() if other[:2] == claim[:2]}
        intervals = {number: (Interval(valid_from=at, valid_to=None),) for number in group.values()}
        return Timeline(subject=self.entities[claim[0]], family=family(claim[1]), intervals=intervals)


async def settled(engine: Engine) -> None:
    """Wait until the indexes have done what they were asked for."""
    assert await asyncio.to_thread(engine.indexes.settle, 30.0)


def lanes_of(hit: Any) -> set[str]:
    """The lanes that brought a hit up."""
    return set(hit.lanes)
