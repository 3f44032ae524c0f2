"""The stage that records a memory's lexical terms: by which words it is found, for people who ask."""

from __future__ import annotations

import asyncio

from mindlog.derive.job import DeriveJob
from mindlog.index.analyzer import analyze
from mindlog.index.texts import indexed_text
from mindlog.store.graphrows import MemoryTerms

__all__ = ["memory_text"]

# Below it the terms are there sooner than a thread would be.
_SHORT = 8192


async def memory_text(job: DeriveJob) -> None:
    """Record the terms that the lexical index has of the memory, in order of the text, each once."""
    text = indexed_text(job.memory.agent, job.memory.text)
    found = analyze(text) if len(text) <= _SHORT else await asyncio.to_thread(analyze, text)
    terms = tuple(dict.fromkeys(found))
    job.results = MemoryTerms(terms=terms)
    job.output = {"terms": len(terms), "words": len(found)}
