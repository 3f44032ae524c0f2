"""Re-embedding a store with another model: what `ModelMismatch` asks for. Owns the walk over the memories.

A second composition root beside the engine, for the one job that must open a store of the wrong model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from mindlog.errors import InvalidInput
from mindlog.models.embedder import Embedder
from mindlog.models.load import load_embedder
from mindlog.settings import Settings
from mindlog.spoken import spoken
from mindlog.store.base import ModelStamp
from mindlog.store.reindex import Replacement
from mindlog.store.sqlite import SqliteStore

__all__ = ["reindex"]

_BATCH = 256

Progress = Callable[[int], None]
"""Called after every batch with the number of memories in it."""


async def reindex(settings: Settings, *, embedder: Embedder | None = None, progress: Progress | None = None) -> int:
    """Embed every memory whose vectors are of another model than the configured one, with its questions; returns how many memories.

    May be interrupted and started again; until it is done the store refuses to open for anything else. The indexes
    are rebuilt when the store is opened next.

    Raises:
        InvalidInput: there is no store in the directory.
        MindlogError: what opening a store or a model raises.
    """
    if await asyncio.to_thread(SqliteStore.inspect_model, settings.data) is None:
        raise InvalidInput(f"data: there is no store in {settings.data}", field="data")
    own = embedder is None
    embedder = embedder or await asyncio.to_thread(load_embedder, settings)
    try:
        stamp = ModelStamp(name=embedder.name, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)
        store = await asyncio.to_thread(_open, settings, stamp)
        try:
            return await _embed_all(store, stamp, embedder, progress or _silent)
        finally:
            await store.aclose()
    finally:
        if own:
            await embedder.aclose()


def _open(settings: Settings, stamp: ModelStamp) -> SqliteStore:
    return SqliteStore.open(settings.data, model=stamp, settings=settings, model_check=False)


async def _embed_all(store: SqliteStore, stamp: ModelStamp, embedder: Embedder, progress: Progress) -> int:
    done, after = 0, -1
    while slots := await asyncio.to_thread(store.stale_vectors, stamp, _BATCH, after):
        replaced = await store.replace_vectors(await _embedded(store, slots, embedder), stamp)
        done, after = done + replaced, slots[-1]
        progress(replaced)
    await _embed_questions(store, stamp, embedder)
    await store.finish_reindex(stamp)
    return done


async def _embed_questions(store: SqliteStore, stamp: ModelStamp, embedder: Embedder) -> None:
    """Embed the questions again: making them anew would ask the language model once more for each memory."""
    after = 0
    while questions := await asyncio.to_thread(store.stale_questions, stamp, _BATCH, after):
        embeddings = await embedder.embed([text for _, text in questions], kind="query")
        vectors = [embedding.vectors[0] for embedding in embeddings]
        await store.replace_questions(
            [(number, vector) for (number, _), vector in zip(questions, vectors, strict=True)], stamp
        )
        after = questions[-1][0]


async def _embedded(store: SqliteStore, slots: Sequence[int], embedder: Embedder) -> list[Replacement]:
    texts = await asyncio.to_thread(lambda: list(store.index_texts(slots)))
    embeddings = await embedder.embed([spoken(each.agent, each.text) for each in texts])
    return [
        (text.slot, text.version, embedding.vectors, embedding.states)
        for text, embedding in zip(texts, embeddings, strict=True)
    ]


def _silent(done: int) -> None:
    return
