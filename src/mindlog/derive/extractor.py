"""The extractor stage: reads a memory with every tier that can run, and reconciles what they found with what is known.

What the offline tiers find is delivered whatever becomes of the language model: its error is raised after that, so the
stage has failed, is tried again, and its results then take the place of these.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mindlog.clock import iso
from mindlog.derive.context import Context, look_around
from mindlog.derive.edges import nearest
from mindlog.errors import LlmBudgetExceeded, MindlogError
from mindlog.ids import run_id
from mindlog.knowledge.extract.llm_tier import LlmTier
from mindlog.knowledge.extract.reading import LONGEST, combined
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import Extraction, Mention, Tier, name_key
from mindlog.knowledge.reconcile import RECONCILE, ReconcileJob
from mindlog.models.llm import NO_LLM
from mindlog.pipeline import describe, run
from mindlog.store.graphrows import GraphWrite, NewEdge

if TYPE_CHECKING:
    from mindlog.derive.job import DeriveJob
    from mindlog.records import Memory

__all__ = ["extractor", "why_unread"]

# Values of metadata "source" by which a writer says that the text is what mindlog itself has told it.
_OWN_WORDS = frozenset({"recall", "mindlog"})
# An output stays below 16 KiB, whatever a model says.
_RAW_CHARS = 2000
_ERROR_CHARS = 500
_EARLIER = 24
_SHOWN = 20


def why_unread(memory: Memory) -> str | None:
    """Return why nothing is to be made of a memory's text, None if it is to be read."""
    source = memory.metadata.get("source")
    return "recalled text" if isinstance(source, str) and source in _OWN_WORDS else None


def _read_by(job: DeriveJob) -> str | None:
    """Return which remember has read and stored the text, None if none has: then it is read as any memory's is."""
    text = job.tools.store.text_of(job.slot)
    if text is None or text.memory_id != job.memory.id or text.state != "stored":
        return None
    return f"read by {run_id(text.key.run, 'remember')}"


@dataclass(slots=True)
class _Reading:
    """What came of the tiers. prompt: what the language model was asked with, if it answered."""

    extraction: Extraction
    tiers: dict[str, str]
    prompt: str | None = None
    error: MindlogError | None = None


async def extractor(job: DeriveJob) -> None:
    """Read the text, reconcile what was found, and leave the graph write as the stage's results."""
    reason = why_unread(job.memory) or await asyncio.to_thread(_read_by, job)
    if reason is not None:
        job.output = {"skipped": reason}
        return
    context = await asyncio.to_thread(look_around, job, await nearest(job))
    source = await _source(job, context)
    reading = await _read(job, source)
    job.tools.reader.remember(job.memory.id, reading.extraction)
    job.output = _output(source, context, reading)
    # What an earlier reading of it has found is taken back by a write that finds nothing.
    store = job.tools.store
    if _says_something(reading.extraction, context) or await asyncio.to_thread(store.has_knowledge, job.slot):
        await _reconcile(job, reading.extraction, context, has_llm=reading.tiers[Tier.LLM] == "ran")
    else:
        # Nothing to decide: no reason to wait for those who have something.
        revision = job.memory.id
        job.results = GraphWrite(dataset=job.dataset.number, slot=revision.slot, version=revision.version)
        job.has_statements = False
    if reading.error is not None:
        raise reading.error


async def _source(job: DeriveJob, context: Context) -> Source:
    memory = job.memory
    return Source(
        text=memory.text,
        occurred_at=memory.occurred_at,
        zone=job.tools.zone_of(job.dataset),
        speaker=memory.agent,
        known=context.known,
        quoted=context.quoted,
        earlier=await _earlier(job, context),
    )


async def _earlier(job: DeriveJob, context: Context) -> tuple[Mention, ...]:
    """Return whom and what the memories before this one named, the latest first, each once.

    A memory that is still being derived beside this one is read here: who "she" is must not depend on which is done first.
    """
    zone, found = job.tools.zone_of(job.dataset), dict[str, Mention]()
    for memory in context.before:
        named = context.named.get(memory.id.slot) or await job.tools.reader.named(memory, zone)
        for mention in named:
            found.setdefault(name_key(mention.name), mention)
    return tuple(found.values())[:_EARLIER]


async def _read(job: DeriveJob, source: Source) -> _Reading:
    """Read with the offline tiers, then with the language model if there is one. Its error is kept, not raised."""
    tools = job.tools
    reading = _Reading(extraction=await tools.reader.read(source), tiers={})
    for tier in (Tier.PATTERN, Tier.CLASSIFIER):
        skipped = tools.reader.skipped.get(tier)
        most = LONGEST[tier]
        ran = "ran" if len(source.text) <= most else f"ran: the first {most} characters"
        reading.tiers[tier] = ran if skipped is None else f"skipped: {skipped}"
    if tools.llm is None:
        reading.tiers[Tier.LLM] = f"skipped: {NO_LLM}"
        return reading
    try:
        found = await LlmTier(tools.llm).extract(source)
    except LlmBudgetExceeded as exc:
        reading.tiers[Tier.LLM] = f"skipped: {exc.detail}"
    except MindlogError as exc:
        reading.tiers[Tier.LLM] = f"failed: {describe(exc)[:_ERROR_CHARS]}"
        reading.error = exc
    else:
        reading.tiers[Tier.LLM], reading.prompt = "ran", found.prompt
        reading.extraction = await asyncio.to_thread(combined, [reading.extraction, found], source)
    return reading


def _says_something(extraction: Extraction, context: Context) -> bool:
    return bool(extraction.mentions or extraction.claims or context.references)


async def _reconcile(job: DeriveJob, extraction: Extraction, context: Context, *, has_llm: bool) -> None:
    """Reconcile under the dataset's lock, which is held until the results are committed: nobody decides on what is not there."""
    tools, memory = job.tools, job.memory
    edges = tuple(NewEdge(target=quoted.slot, kind="references", weight=1.0) for quoted in context.references)

    async def deliver(write: GraphWrite) -> None:
        job.results = replace(write, edges=edges)

    task = ReconcileJob(
        store=tools.store,
        embedder=tools.embedder,
        dataset=job.dataset,
        slot=memory.id.slot,
        version=memory.id.version,
        agent=memory.agent,
        occurred_at=memory.occurred_at,
        text=memory.text,
        extraction=extraction,
        now=tools.clock.now(),
        deliver=deliver,
        llm=tools.llm if has_llm else None,
        names=tools.names,
        trust="web" if memory.metadata.get("trust") == "web" else "user",
    )
    await job.held.enter_async_context(tools.locks.hold(job.dataset.number))
    await run(RECONCILE, task)
    job.has_statements = bool(task.told)
    job.output["reconcile"] = dict(task.record)


def _output(source: Source, context: Context, reading: _Reading) -> dict[str, Any]:
    extraction = reading.extraction
    output: dict[str, Any] = {
        "tiers": reading.tiers,
        "mentions": len(extraction.mentions),
        "claims": len(extraction.claims),
        "dates": [
            {"phrase": date.phrase, "start": iso(date.start), "end": iso(date.end)}
            for date in extraction.dates[:_SHOWN]
        ],
        "rejected": {str(reason): count for reason, count in extraction.rejected.items()},
        "known_names": len(source.known),
        "earlier_names": len(source.earlier),
        "quoted": {
            "spans": [[span.start, span.end] for span in source.quoted[:_SHOWN]],
            "memories": [str(memory_id) for memory_id in context.references[:_SHOWN]],
        },
    }
    raw = None if reading.error is None else reading.error.extra.get("raw_output")
    if reading.prompt is not None:
        output["prompt"] = reading.prompt
    return output if raw is None else {**output, "raw_output": str(raw)[:_RAW_CHARS]}
