"""Stand-ins for models: deterministic, instant, and able to misbehave on demand.

Public for users' own tests. Owns no assertion and knows no store, index or engine.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import numpy as np
from blake3 import blake3

from mindlog.errors import EmbedderFailed, MindlogError
from mindlog.models.embedder import EmbedKind, TextEmbedding

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

__all__ = ["HashEmbedder", "Spoil"]

Spoil = Literal["nan", "inf", "zero", "short", "wrong_dimensions"]

_WORD = re.compile(r"\w+")
_STEM = 4


class HashEmbedder:
    """An embedder without a model: texts that share words (or the first four letters of words) are similar.

    dimensions: length of the vectors. state_dimensions: width of the token states, one per word; None for no states.
    window_words: words per window; a longer text gets several vectors.

    Controls, all changeable at any time:
        delay: seconds every call sleeps. spoil: how answers are damaged, or None.
        fail_calls: numbers (from 1) of the calls that raise `error`. fail_texts: texts whose call raises `error`.
        held(): context in which calls wait; `entered` is set as soon as a call has come in.
    Records: calls (number of embed calls), texts (every text seen, in order), closed.
    """

    def __init__(
        self,
        *,
        dimensions: int = 64,
        state_dimensions: int | None = None,
        window_words: int = 128,
        name: str = "hash",
    ) -> None:
        self._name = name
        self._dimensions = dimensions
        self._state_dimensions = state_dimensions
        self._window_words = window_words
        self._open = asyncio.Event()
        self._open.set()
        self.entered = asyncio.Event()
        self.delay = 0.0
        self.spoil: Spoil | None = None
        self.fail_calls: set[int] = set()
        self.fail_texts: set[str] = set()
        self.error: MindlogError = EmbedderFailed("the fake embedder was told to fail", retryable=True)
        self.calls = 0
        self.texts: list[str] = []
        self.closed = False

    @property
    def name(self) -> str:
        """The name given at construction."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._dimensions

    @property
    def fingerprint(self) -> str:
        """Hex BLAKE3 of name and sizes: two fakes of other sizes are other models."""
        sizes = f"{self._name}/{self._dimensions}/{self._state_dimensions}/{self._window_words}"
        return blake3(sizes.encode()).hexdigest()

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        """One embedding per text; waits, fails or spoils as the controls say."""
        self.calls += 1
        number = self.calls
        self.texts.extend(texts)
        self.entered.set()
        await self._open.wait()
        if self.delay:
            await asyncio.sleep(self.delay)
        if number in self.fail_calls or not self.fail_texts.isdisjoint(texts):
            raise self.error
        return self._spoiled([self._embed_one(text) for text in texts])

    async def aclose(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    @contextmanager
    def held(self) -> Generator[asyncio.Event]:
        """Calls made inside wait until the context ends; yields `entered`, cleared."""
        self.entered.clear()
        self._open.clear()
        try:
            yield self.entered
        finally:
            self._open.set()

    def vector(self, text: str) -> NDArray[np.float32]:
        """The (dimensions,) unit vector of a text of one window, for tests that need to know it."""
        return self._embed_one(text).vectors[0]

    def _embed_one(self, text: str) -> TextEmbedding:
        words = list(_WORD.finditer(text))
        step = self._window_words
        groups = [words[at : at + step] for at in range(0, len(words), step)] or [[]]
        starts = [0] + [group[0].start() for group in groups[1:]]
        windows = tuple(zip(starts, [*starts[1:], len(text)], strict=True))
        vectors = np.stack([self._bag([word.group() for word in group], text) for group in groups])
        vectors.setflags(write=False)
        return TextEmbedding(vectors=vectors, windows=windows, states=self._states([word.group() for word in words]))

    def _bag(self, words: list[str], text: str) -> NDArray[np.float32]:
        total = np.zeros(self._dimensions, dtype=np.float32)
        for word in words:
            folded = word.casefold()
            total += _feature(folded, self._dimensions) + 0.5 * _feature(folded[:_STEM], self._dimensions)
        return _unit(total) if total.any() else _feature(text, self._dimensions)

    def _states(self, words: list[str]) -> NDArray[np.int8] | None:
        width = self._state_dimensions
        if width is None:
            return None
        rows = [np.rint(127 * _feature(word.casefold(), width)) for word in words]
        states = np.array(rows, dtype=np.int8).reshape(len(words), width)
        states.setflags(write=False)
        return states

    def _spoiled(self, embeddings: list[TextEmbedding]) -> list[TextEmbedding]:
        if self.spoil is None:
            return embeddings
        if self.spoil == "short":
            return embeddings[:-1]
        return [_with_vectors(each, _spoil(each.vectors, self.spoil)) for each in embeddings]


def _with_vectors(embedding: TextEmbedding, vectors: NDArray[np.float32]) -> TextEmbedding:
    return TextEmbedding(vectors=vectors, windows=embedding.windows, states=embedding.states)


def _spoil(vectors: NDArray[np.float32], spoil: Spoil) -> NDArray[np.float32]:
    if spoil == "wrong_dimensions":
        return np.ascontiguousarray(vectors[:, :-1])
    filler = {"nan": np.nan, "inf": np.inf}.get(spoil, 0.0)
    return np.full_like(vectors, filler)


def _feature(feature: str, dimensions: int) -> NDArray[np.float32]:
    digest = blake3(feature.encode("utf-8", "surrogatepass")).digest(length=dimensions)
    return _unit(np.frombuffer(digest, dtype=np.uint8).astype(np.float32) - np.float32(127.5))


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / np.linalg.norm(vector).astype(np.float32)
