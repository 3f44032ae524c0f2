"""A store of many memories with vectors, token states, sessions, speakers and metadata, made without the model's cost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import mindlog
from material import Material, PreparedEmbedder, chatter, questions

BATCH = 1000
SESSION = 20
SPEAKERS = 7
SETTLE_SECONDS = 600.0


class Filled:
    """The texts and vectors of the first `count` memories, and cues that are no memories."""

    def __init__(self, material: Material, count: int, cues: int) -> None:
        self.count = count
        self.texts = chatter(count)
        self.cues = questions(self.texts, cues)
        vectors = material.vectors(count + cues, seed=23)
        self.vectors, self.cue_vectors = vectors[:count], vectors[count:]
        self.embedder = PreparedEmbedder(material, [*self.texts, *self.cues], vectors)

    async def fill(self, db: mindlog.AsyncMindlog, start: int, end: int) -> None:
        """Keep the memories from `start` to `end`, and wait until the indexes are at rest."""
        for at in range(start, end, BATCH):
            outcomes = await db.encode_batch(self._item(n) for n in range(at, min(at + BATCH, end)))
            assert not any(isinstance(each, mindlog.MindlogError) for each in outcomes)
        assert await asyncio.to_thread(db.engine.indexes.settle, SETTLE_SECONDS)

    def _item(self, number: int) -> dict[str, object]:
        return {
            "text": self.texts[number],
            "session": f"session {number // SESSION}",
            "agent": None,
            "metadata": {"tenth": number % 10 == 0, "hundredth": number % 100 == 0},
        }


async def make_store(material: Material, directory: Path, count: int) -> Filled:
    """Make a closed store of `count` memories."""
    filled = Filled(material, count, cues=50)
    async with mindlog.aopen(directory, embedder=filled.embedder) as db:
        await filled.fill(db, 0, count)
    return filled
