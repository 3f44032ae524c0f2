"""RECONCILE of one text of a document: one list of stages for its chunks and for the texts that enrichments add.

The stages are those of `knowledge.reconcile`, with what they need around them: the dataset's lock, held from the first until the
last has committed or one has failed, and the text's own reading. A text that fails is named and passed over; the others go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from mindlog.errors import RevisionGone
from mindlog.knowledge import reconcile
from mindlog.knowledge.reconcile import ReconcileJob
from mindlog.pipeline import ADVISORY, Stage, Steps, run
from mindlog.remember.reading import TextReading, loaded
from mindlog.remember.spanning import series_of
from mindlog.store.documentrows import TextWrite
from mindlog.testing.faults import fault

if TYPE_CHECKING:
    from mindlog.remember.job import TextJob
    from mindlog.store.graphrows import GraphWrite

__all__ = ["RECONCILE", "RECONCILE_WHOLE", "reconcile_text"]


async def _load_candidates(text: TextJob) -> None:
    """Find what is known of what the text speaks of. From here on nobody else changes the dataset's graph."""
    job, tools = text.job, text.job.tools
    rows = await asyncio.to_thread(
        tools.store.texts, text.key.run, text.key.origin, text.key.position - 1, 1, readings=True
    )
    reading = loaded(rows[0].reading or "")
    await text.held.enter_async_context(tools.locks.hold(job.dataset.number))
    asked = reading.tiers.get("llm") == "ran"

    async def deliver(write: GraphWrite) -> None:
        await _deliver(text, reading, write)

    text.task = ReconcileJob(
        store=tools.store,
        embedder=tools.embedder,
        dataset=job.dataset,
        slot=text.memory_id.slot,
        version=text.memory_id.version,
        agent=text.agent,
        occurred_at=job.occurred_at,
        text=text.text,
        extraction=reading.extraction,
        now=tools.clock.now(),
        deliver=deliver,
        llm=tools.llm if asked else None,
        names=tools.names,
        trust=text.trust,
    )
    await reconcile.load_candidates(text.task)


async def _resolve_edges(text: TextJob) -> None:
    """Decide what each claim is."""
    assert text.task is not None  # load_candidates has made it
    await reconcile.resolve_edges(text.task)


async def _store(text: TextJob) -> None:
    """Commit what the text says: the graph, its series if it is the whole document, and that it is stored."""
    assert text.task is not None
    fault(f"before_text:{text.key.position}")
    task = text.task
    await reconcile.store(task)
    text.state = "stored"
    for what, number in task.record.items():
        if isinstance(number, int):
            text.job.count("store", what, number)
    text.job.count("store", "texts")
    await text.release()
    fault(f"after_text:{text.key.position}")


async def _deliver(text: TextJob, reading: TextReading, write: GraphWrite) -> None:
    job = text.job
    assert text.task is not None
    series = series_of(job, text, reading, text.task.found) if text.is_whole else None
    added = await job.tools.store.store_text(
        TextWrite(key=text.key, owner=job.owner, graph=replace(write), series=series)
    )
    if series is not None and text.key.origin == "chunk":
        job.output("store_series").update({what: added.get(what, 0) for what in ("series", "points")})


def _step(name: str, work: Callable[[TextJob], Awaitable[None]], *also: str) -> Stage[TextJob]:
    async def at_work(text: TextJob) -> None:
        if text.was == "stored":
            text.job.count(name, "before")
            return
        try:
            await work(text)
        except RevisionGone:
            # Somebody has edited or forgotten the memory: what it says now is its own derivation's business.
            text.is_gone = True
            text.job.count(name, "gone")
            await text.release()
        except BaseException as exc:
            if isinstance(exc, Exception):
                text.error = exc
                text.job.broken(name, exc)
            await text.release()
            raise

    def wanted(text: TextJob) -> bool:
        is_next = text.wants("read") and (name == "load_candidates" or text.task is not None)
        return is_next or text.told_again(name, "stored")

    return Stage(name, at_work, policy=ADVISORY, enabled=wanted, also=also)


RECONCILE: Steps[TextJob] = (
    _step("load_candidates", _load_candidates),
    _step("resolve_edges", _resolve_edges),
    _step("store", _store),
)

RECONCILE_WHOLE: Steps[TextJob] = (*RECONCILE[:-1], _step("store", _store, "store_series"))
"""The same of a text that is the whole document: what its series are is committed with it."""


async def reconcile_text(text: TextJob) -> None:
    """Run RECONCILE for a text that an enrichment has added and read, as part of the stage that runs. Raises its error."""
    try:
        await run(RECONCILE, text)
    finally:
        await text.release()
    if text.error is not None:
        raise text.error
