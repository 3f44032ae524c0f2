"""query: how long an answer without a model takes at 100 000 memories and 200 000 statements, beside recall alone in the same run.

Also sixteen at once, and about an entity of which 50 000 statements are known. Vectors are prepared: the embedder costs nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import mindlog
from filled import Filled
from floor import percentile
from material import load_material
from mindlog.engine import Engine
from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.families import family
from mindlog.models.embedder import EmbedKind, TextEmbedding
from mindlog.records import RecallRequest
from mindlog.store.graphrows import (
    EvidenceRow,
    GraphWrite,
    Interval,
    MentionRow,
    NewEntity,
    NewStatement,
    Timeline,
)
from mindlog.views import QueryRequest
from report import Row, Run, main

SIZE, SMALL_SIZE = 100_000, 3_000
STATED = 2  # statements a memory
ABOUT = 10  # statements an entity
HUB, SMALL_HUB, OF_HUB = 50_000, 2_000, 10  # statements about one entity, and of them a memory
AT_ONCE = 16
PREDICATES = ("likes", "owns", "visited", "met", "uses", "reads", "plays", "collects")
WRITES = 256


async def measure(run: Run) -> list[Row]:
    size, hub = (SMALL_SIZE, SMALL_HUB) if run.small else (SIZE, HUB)
    cues = 50 if run.small else 300
    filled = Filled(await load_material(), size, cues)
    async with mindlog.aopen(run.directory / "query", embedder=_Anything(filled), derive=False) as db:
        await filled.fill(db, 0, size)
        engine = db.engine
        names = await _state(engine, filled, size - hub // OF_HUB)
        await _hub(engine, filled, hub)
        questions = [f"What does {names[at % len(names)]} say of {cue}" for at, cue in enumerate(filled.cues)]
        about_hub = [f"What does Hubert Allwissend say of {cue}" for cue in filled.cues[:50]]
        await _each(questions[:10], lambda text: _query(engine, text))
        recalls = await _each(questions, lambda text: _recall(engine, text))
        queries = await _each(questions, lambda text: _query(engine, text))
        hubs = await _each(about_hub, lambda text: _query(engine, text))
        began = time.perf_counter()
        crowd = await _crowd(questions, lambda text: _query(engine, text))
        rate = len(questions) / (time.perf_counter() - began)
    judged = not run.small
    return [
        *_rows("query", queries, recalls, (15.0, 60.0) if judged else (None, None)),
        Row(name=f"query, {AT_ONCE} at once, p99", value=_ms(crowd, 99), unit="ms"),
        Row(name=f"query, {AT_ONCE} at once", value=rate, unit="/s"),
        Row(
            name=f"query about {hub:,} statements, p99", value=_ms(hubs, 99), unit="ms", most=100.0 if judged else None
        ),
    ]


def _rows(
    name: str, taken: Sequence[float], recalls: Sequence[float], most: tuple[float | None, float | None]
) -> list[Row]:
    return [
        Row(
            name=f"{name}, p{percent}",
            value=_ms(taken, percent),
            unit="ms",
            floor=_ms(recalls, percent),
            floor_is="recall of the same cue",
            most=limit,
        )
        for percent, limit in zip((50, 99), most, strict=True)
    ]


def _ms(taken: Sequence[float], percent: int) -> float:
    return 1000 * percentile(list(taken), percent)


async def _each(texts: Sequence[str], ask: Callable[[str], Awaitable[object]]) -> list[float]:
    taken: list[float] = []
    for text in texts:
        start = time.perf_counter()
        await ask(text)
        taken.append(time.perf_counter() - start)
    return taken


async def _crowd(texts: Sequence[str], ask: Callable[[str], Awaitable[object]]) -> list[float]:
    """Ask all, so many at a time; an error of one is an error of the bench."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(text: str) -> float:
        async with slots:
            start = time.perf_counter()
            await ask(text)
            return time.perf_counter() - start

    return await asyncio.gather(*(one(text) for text in texts))


async def _query(engine: Engine, text: str) -> None:
    await engine.query(QueryRequest(question=text))


async def _recall(engine: Engine, text: str) -> None:
    await engine.recall(RecallRequest(cue=text, limit=engine.settings.query_limit))


# -- what is known ------------------------------------------------------------------------------------------------------
async def _state(engine: Engine, filled: Filled, size: int) -> list[str]:
    """State two things by every memory, ten of every entity; returns the entities' names."""
    count = max(size * STATED // ABOUT, 1)
    ids = engine.store.reserve_entities(count)
    names = [f"Nomen{at:x} Testova" for at in range(count)]
    slots = _slots(engine, size)
    for at in range(0, size, WRITES):
        writes = []
        for n in range(at, min(at + WRITES, size)):
            entity = n % count
            fresh = n < count
            words = filled.texts[n].split()[:STATED]
            writes.append(_write(engine, slots[n], ids[entity], names[entity], words, n, fresh=fresh))
        await asyncio.gather(*(engine.store.write_graph(write) for write in writes))
    return names


async def _hub(engine: Engine, filled: Filled, count: int) -> None:
    """State very much of one entity, by the last memories."""
    (entity,) = engine.store.reserve_entities(1)
    slots = _slots(engine, filled.count)[-(count // OF_HUB) :]
    writes = [
        _write(
            engine, slot, entity, "Hubert Allwissend", [f"thing{n:x}x{each}" for each in range(OF_HUB)], n, fresh=n == 0
        )
        for n, slot in enumerate(slots)
    ]
    await engine.store.write_graph(writes[0])
    for at in range(1, len(writes), WRITES):
        await asyncio.gather(*(engine.store.write_graph(write) for write in writes[at : at + WRITES]))


def _slots(engine: Engine, size: int) -> list[int]:
    return engine.indexes.view().slot[:size].tolist()


def _write(
    engine: Engine, slot: int, entity: int, name: str, values: Sequence[str], number: int, *, fresh: bool
) -> GraphWrite:
    predicate = PREDICATES[number % len(PREDICATES)]
    ids = engine.store.reserve_statements(len(values))
    statements = tuple(
        NewStatement(
            id=each,
            subject=entity,
            predicate=predicate,
            family=family(predicate),
            object=None,
            value=value,
            value_key=name_key(value),
            value_type="text",
            text=f"{name} {predicate} {value}",
        )
        for each, value in zip(ids, values, strict=True)
    )
    evidence = tuple(
        EvidenceRow(
            statement=each,
            slot=slot,
            version=1,
            start=0,
            end=8,
            confidence=0.9,
            tier="pattern",
            asserted_at=number,
        )
        for each in ids
    )
    return GraphWrite(
        dataset=1,
        slot=slot,
        version=1,
        entities=(NewEntity(id=entity, name=name, key=name_key(name), kind="person"),) if fresh else (),
        mentions=(MentionRow(entity=entity, start=0, end=4),),
        statements=statements,
        evidence=evidence,
        timelines=(
            Timeline(
                subject=entity,
                family=family(predicate),
                intervals={each: (Interval(valid_from=None, valid_to=None),) for each in ids},
            ),
        ),
    )


class _Anything:
    """The prepared embedder, which gives a text that it was not prepared for the vector of its last words."""

    def __init__(self, filled: Filled) -> None:
        self._inner = filled.embedder
        self._cues = set(filled.cues)
        self.name, self.dimensions, self.fingerprint = (
            self._inner.name,
            self._inner.dimensions,
            self._inner.fingerprint,
        )

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        """Look the texts up."""
        return await self._inner.embed([self._known(text) for text in texts])

    def _known(self, text: str) -> str:
        tail = text.partition(" say of ")[2]
        return tail if tail in self._cues else text

    async def aclose(self) -> None:
        """Nothing to release."""


if __name__ == "__main__":
    main("query", measure)
