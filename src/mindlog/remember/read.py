"""The stages extract_graph and summarize_chunk: what a text says, and what it is about in a sentence or two.

What the offline tiers find is kept whatever becomes of the language model: its error is raised after that, so the stage has
failed for this text, and says so; the others go on.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mindlog.errors import EarlierFailure, LlmBudgetExceeded, MindlogError
from mindlog.knowledge.extract.llm_tier import LlmTier
from mindlog.knowledge.extract.reading import combined
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import Extraction, Tier
from mindlog.knowledge.known import known_names, only_known, words_of
from mindlog.knowledge.places.coordinates import find_coordinates
from mindlog.knowledge.series.find import find_series
from mindlog.knowledge.series.found import FoundSeries
from mindlog.models.llm import NO_LLM
from mindlog.pipeline import describe
from mindlog.remember.reading import TextReading, dumped, loaded
from mindlog.remember.resume import POORLY
from mindlog.remember.summary import sentence_vectors, summarize, summarize_with, telling_spans
from mindlog.spoken import spoken
from mindlog.testing.faults import fault

if TYPE_CHECKING:
    from mindlog.knowledge.extraction import EntityKind
    from mindlog.models.embedder import TextEmbedding
    from mindlog.remember.job import TextJob

__all__ = ["extract_graph", "read", "summarize_chunk"]

_SHOWN = 2000  # texts that a stage's output speaks of one by one
_ERROR_CHARS = 500
_NAMED = 24


async def extract_graph(text: TextJob) -> None:
    """Read a chunk with every tier there is, and keep what it says until it is reconciled."""
    if text.state != "kept":
        await _tell_again(text)
        return
    await read(text, "extract_graph")
    fault(f"after_read:{text.key.position}")


async def _tell_again(text: TextJob) -> None:
    """Show what an earlier attempt has read, and fail as it failed: the stage's record is of the whole document."""
    job, key = text.job, text.key
    rows = await asyncio.to_thread(job.tools.store.texts, key.run, key.origin, key.position - 1, 1, readings=True)
    error = None if text.trouble is None else EarlierFailure(text.trouble)
    if rows and rows[0].reading:
        reading = await asyncio.to_thread(loaded, rows[0].reading)
        job.learn(_named(reading.extraction))
        _show(text, "extract_graph", reading, error)
    if error is not None:
        raise error


async def read(text: TextJob, stage: str) -> None:
    """Read a text for a stage and keep what it says. A language model's error is kept with it, then raised."""
    job = text.job
    source = await _source(text)
    extraction = await job.tools.reader.read(source)
    if text.trust == "derived":
        extraction = await asyncio.to_thread(only_known, extraction, source.text, source.known)
    tiers, error = {str(tier): f"skipped: {reason}" for tier, reason in job.tools.reader.skipped.items()}, None
    try:
        extraction = await _with_model(text, source, extraction, tiers, stage)
    except MindlogError as exc:
        if job.broken(stage, exc):
            raise
        tiers[str(Tier.LLM)] = f"failed: {describe(exc)[:_ERROR_CHARS]}"
        error = exc
    reading = await asyncio.to_thread(_reading, text, extraction, tiers)
    job.learn(_named(extraction))
    await job.tools.store.put_reading(
        job.owner, text.key, await asyncio.to_thread(dumped, reading), None if error is None else describe(error)
    )
    text.state = "read"
    _show(text, stage, reading, error)
    if error is not None:
        raise error


async def _source(text: TextJob) -> Source:
    job, words = text.job, text.text
    known = await asyncio.to_thread(known_names, job.tools.store, job.dataset.number, words_of(words))
    return Source(
        text=words,
        occurred_at=job.occurred_at,
        zone=job.tools.zone_of(job.dataset),
        speaker=text.agent if text.trust == "user" else None,
        known={**_read_before(text), **known},
        earlier=job.named if text.key.origin == "chunk" else (),
    )


def _read_before(text: TextJob) -> dict[str, EntityKind]:
    """Return the names of the document's earlier chunks that stand in this one."""
    words = text.text
    return {name: kind for name, kind in text.job.known.items() if name in words}


async def _with_model(
    text: TextJob, source: Source, offline: Extraction, tiers: dict[str, str], stage: str
) -> Extraction:
    llm = text.job.tools.llm
    if llm is None or text.trust == "derived":
        # Sentences that were made by rules are read by rules.
        tiers[str(Tier.LLM)] = f"skipped: {NO_LLM if llm is None else 'made from a series'}"
        return offline
    model, reasoning = text.job.model(stage)
    try:
        found = await LlmTier(llm).extract(source, model=model, reasoning=reasoning)
    except LlmBudgetExceeded as exc:
        tiers[str(Tier.LLM)] = f"skipped: {exc.detail}"
        return offline
    tiers[str(Tier.LLM)] = "ran"
    return await asyncio.to_thread(combined, [offline, found], source)


def _reading(text: TextJob, extraction: Extraction, tiers: dict[str, str]) -> TextReading:
    words = text.text
    return TextReading(
        extraction=extraction,
        # A text made from a series tells no new points of it, and what a page says is no point beside the user's own.
        series=_series(text, words) if text.trust == "user" else (),
        coordinates=tuple(find_coordinates(words)),
        tiers=tiers,
    )


def _series(text: TextJob, words: str) -> tuple[FoundSeries, ...]:
    job = text.job
    found = find_series(words, job.occurred_at, job.document.title, zone=job.tools.zone_of(job.dataset))
    for reason, number in found.left_out.items():
        job.count("extract_graph", f"points_left_out.{reason}", number)
    return tuple(found.series)


def _named(extraction: Extraction) -> tuple[Any, ...]:
    mentions = [mention for mention in extraction.mentions if mention.spans]
    return tuple(sorted(mentions, key=lambda mention: mention.spans[-1], reverse=True)[:_NAMED])


def _show(text: TextJob, stage: str, reading: TextReading, error: MindlogError | None) -> None:
    job, extraction = text.job, reading.extraction
    job.count(stage, "texts")
    for what, number in (
        ("mentions", len(extraction.mentions)),
        ("claims", len(extraction.claims)),
        ("dates", len(extraction.dates)),
        ("series", len(reading.series)),
        ("coordinates", len(reading.coordinates)),
    ):
        job.count(stage, what, number)
    entry: dict[str, Any] = {
        "position": text.key.position,
        "memory_id": str(text.memory_id),
        "mentions": len(extraction.mentions),
        "claims": len(extraction.claims),
        "series": len(reading.series),
        "tiers": reading.tiers,
    }
    if error is not None:
        job.count(stage, "failed")
        entry["error"] = describe(error)[:_ERROR_CHARS]
    each: list[Any] = job.output(stage).setdefault("each", [])
    if len(each) < _SHOWN or error is not None:
        each.append(entry)


async def summarize_chunk(text: TextJob) -> None:
    """Keep a summary of a chunk: by the model if there is one, else its most central sentences.

    A model's error does not cost the chunk the summary that needs none: it is kept with that, then raised.
    """
    job, store = text.job, text.job.tools.store
    if not text.needs_summary:
        job.count("summarize_chunk", "before")
        return
    summary, error = await _extractive(text, text.text), None
    told = "extractive"
    try:
        if job.tools.llm is not None:
            summary, told = await _by_model(text), "llm"
    except LlmBudgetExceeded as exc:
        job.output("summarize_chunk")["model"] = f"skipped: {exc.detail}"
    except MindlogError as exc:
        error = exc
    poorly = None if error is None else f"{POORLY}{describe(error)[:_ERROR_CHARS]}"
    await store.put_summary(job.owner, text.key, summary, poorly)
    text.needs_summary = error is not None
    job.count("summarize_chunk", told)
    if error is not None:
        raise error


async def _by_model(text: TextJob) -> str:
    job = text.job
    assert job.tools.llm is not None  # the stage has looked
    model, reasoning = job.model("summarize_chunk")
    language = "und" if job.complexity is None else job.complexity.language
    return await summarize_with(job.tools.llm, text.text, language, model=model, reasoning=reasoning)


async def _extractive(text: TextJob, words: str) -> str:
    """Return the chunk's most central sentences, by the token states of its own embedding: no sentence is embedded alone."""
    said = spoken(text.agent, words)
    (embedding,) = await text.job.tools.embedder.embed([said])
    return await asyncio.to_thread(_central, words, embedding, len(said) - len(words))


def _central(words: str, embedding: TextEmbedding, before: int) -> str:
    spans = telling_spans(words)
    vectors = sentence_vectors(embedding, [(start + before, end + before) for start, end in spans])
    told = [words[start:end] for start, end in spans]
    if vectors is None or not told:
        return told[0] if told else words
    return summarize(told, vectors)
