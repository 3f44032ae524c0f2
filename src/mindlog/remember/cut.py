"""The stage chunk_text: the document in chunks, every chunk a memory at once, so that it can be recalled before it is understood."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mindlog.errors import InvalidInput
from mindlog.remember.chunk import chunks
from mindlog.remember.keep import Keeping, keep
from mindlog.remember.resume import chunk_jobs
from mindlog.remember.versions import Old, keepings
from mindlog.store.documentrows import NewText, TextKey

if TYPE_CHECKING:
    from mindlog.remember.chunk import Chunk
    from mindlog.remember.job import RememberJob

__all__ = ["chunk_text"]

_AT_ONCE = 16  # chunks on their way into the store


async def chunk_text(job: RememberJob) -> None:
    """Cut the document and keep its chunks; what an older version says and this one does not is taken out of sight."""
    settings = job.tools.settings
    pieces = await asyncio.to_thread(_cut, job, settings.chunk_tokens, settings.chunk_max_tokens)
    if not pieces:
        raise InvalidInput("document: holds no text", field="document")
    store, run = job.tools.store, job.run.id
    kept = await asyncio.to_thread(store.texts, run, "chunk")
    done = {row.key.position for row in kept}
    old = await asyncio.to_thread(_old, job)
    todo = [
        each
        for each in keepings(job, [_text(job, piece) for piece in pieces], old)
        if each.text.key.position not in done
    ]
    made: Counter[str] = Counter({"kept_before": len(done)} if done else {})
    for start in range(0, len(todo), _AT_ONCE):
        made.update(await _together(job, todo[start : start + _AT_ONCE]))
    await store.set_chunks(run, job.owner, len(pieces))
    forgotten = await store.switch_document(run, job.owner)
    job.chunks = chunk_jobs(job, await asyncio.to_thread(store.texts, run, "chunk"))
    tokens = sum(piece.tokens for piece in pieces)
    job.output("chunk_text").update(chunks=len(pieces), tokens=tokens, forgotten=forgotten, **made)


async def _together(job: RememberJob, batch: Sequence[Keeping]) -> list[str]:
    """Keep some texts at once: they share commits. The first error is raised when all have ended."""
    # Their slots rise in the document's order, whichever is embedded first.
    reserved = [(each, job.tools.store.reserve()) for each in batch]
    outcomes = await asyncio.gather(*(keep(job, each, slot) for each, slot in reserved), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return [each.how for each in batch]


def _cut(job: RememberJob, target: int, limit: int) -> list[Chunk]:
    return chunks(job.document, job.tools.count_tokens, target=target, limit=limit)


def _text(job: RememberJob, piece: Chunk) -> NewText:
    key = TextKey(run=job.run.id, origin="chunk", position=piece.position)
    return NewText(key=key, start=piece.start, end=piece.end, headings=piece.headings)


def _old(job: RememberJob) -> list[Old]:
    """Return the chunks that the document has now, by earlier runs, with the memories they are."""
    store = job.tools.store
    rows = store.document_texts(job.dataset.number, job.run.document_id)
    rows = [row for row in rows if row.key.origin == "chunk" and row.key.run != job.run.id and row.is_live]
    memories = {memory.id: memory for memory in store.memories([row.memory_id.slot for row in rows])}
    return [Old(row=row, memory=memories[row.memory_id]) for row in rows if row.memory_id in memories]
