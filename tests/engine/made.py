"""What the engine's tests are made with: an open engine, a clock to turn, embedders with chosen answers."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mindlog.engine import Engine
from mindlog.errors import MindlogError
from mindlog.filters import parse_filters
from mindlog.models.catalog import DEFAULT_FOLDER
from mindlog.models.embedder import EmbedKind, TextEmbedding
from mindlog.records import EncodeRequest, EncodeResult, Hit, Memory, RecallRequest, RecallResult
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder

BOUND = 20.0  # seconds any wait of these tests may take
DAY = 86_400_000_000

needs_model = pytest.mark.skipif(not (DEFAULT_FOLDER / "model.onnx").exists(), reason="make model has not been run")


class ManualClock:
    """A clock that stands still until it is turned."""

    def __init__(self, at: int = 1_750_000_000_000_000) -> None:
        self.at = at

    def now(self) -> int:
        return self.at


class Chosen(HashEmbedder):
    """A hash embedder whose vectors for some texts are chosen: `vectors` by a piece of the text."""

    def __init__(self, vectors: Mapping[str, Sequence[float]], dimensions: int = 8) -> None:
        super().__init__(dimensions=dimensions, name="chosen")
        self._chosen = {piece: _unit(np.array(vector, np.float32)) for piece, vector in vectors.items()}

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        found = await super().embed(texts, kind)
        return [self._replaced(text, each) for text, each in zip(texts, found, strict=True)]

    def _replaced(self, text: str, embedding: TextEmbedding) -> TextEmbedding:
        for piece, vector in self._chosen.items():
            if piece in text:
                return TextEmbedding(vectors=vector.reshape(1, -1), windows=((0, len(text)),))
        return embedding


class Spanned(HashEmbedder):
    """A hash embedder with token states that late interaction can use."""

    def __init__(self) -> None:
        super().__init__(dimensions=32, state_dimensions=16, name="spanned")

    def _embed_one(self, text: str) -> TextEmbedding:
        plain = super()._embed_one(text)
        spans = np.array([match.span() for match in re.finditer(r"\w+", text)], np.int32).reshape(-1, 2)
        return TextEmbedding(vectors=plain.vectors, windows=plain.windows, states=plain.states, state_spans=spans)


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / np.float32(np.linalg.norm(vector))


@asynccontextmanager
async def opened(
    path: Path, embedder: HashEmbedder | None = None, clock: ManualClock | None = None, **settings: object
) -> AsyncGenerator[Engine]:
    """An engine on `path`/data, closed in the end. It neither derives nor remembers unless told: a worker writes whenever it likes."""
    chosen = Settings(data=path / "data", **{"derive": False, "remember": False, **settings})  # type: ignore[arg-type]
    async with await Engine.open(chosen, embedder=embedder or HashEmbedder(), clock=clock) as engine:
        yield engine


async def keep(engine: Engine, text: str, **more: object) -> str:
    """The id of a memory that was kept."""
    return (await engine.encode(EncodeRequest(text=text, **more))).memory_id  # type: ignore[arg-type]


async def keep_all(engine: Engine, texts: Sequence[str], **more: object) -> list[str]:
    """The ids of many memories, kept in batches and in order."""
    ids: list[str] = []
    for at in range(0, len(texts), 1000):
        part = [EncodeRequest(text=text, **more) for text in texts[at : at + 1000]]  # type: ignore[arg-type]
        ids += [acked(outcome).memory_id for outcome in await engine.encode_batch(part)]
    return ids


def acked(outcome: EncodeResult | MindlogError) -> EncodeResult:
    """The outcome, which is no error."""
    assert isinstance(outcome, EncodeResult), outcome
    return outcome


async def recall(engine: Engine, cue: str, filters: Mapping[str, object] | None = None, **more: object) -> RecallResult:
    """A recall with its filters in their JSON form."""
    return await engine.recall(RecallRequest(cue=cue, filters=parse_filters(filters), **more))  # type: ignore[arg-type]


async def found(engine: Engine, cue: str, filters: Mapping[str, object] | None = None, **more: object) -> list[str]:
    """The ids that a recall finds, best first."""
    return ids(await recall(engine, cue, filters, **more))


def ids(result: RecallResult) -> list[str]:
    """The ids of the hits."""
    return [str(hit.memory.id) for hit in result.hits]


def texts(result: RecallResult) -> list[str]:
    """The texts of the hits."""
    return [hit.memory.text for hit in result.hits]


def hit_of(result: RecallResult, memory_id: str) -> Hit:
    """The hit with this id."""
    matching = [hit for hit in result.hits if str(hit.memory.id) == memory_id]
    assert len(matching) == 1, f"{memory_id} is {len(matching)} times among {ids(result)}"
    return matching[0]


async def everything(engine: Engine, dataset: str = "default", page: int = 1000) -> list[Memory]:
    """Every current memory of the dataset, newest first."""
    memories: list[Memory] = []
    cursor = None
    while True:
        listed = await engine.list_memories(dataset, limit=page, cursor=cursor)
        memories += listed.data
        if (cursor := listed.next_cursor) is None:
            return memories
